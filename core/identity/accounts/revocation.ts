// Revokes all credentials of an account: sessions, personal access tokens, and credentials issued by other areas.
import type { AuditEntry, AuditLog } from '#core/kernel/services/audit';
import type { Events } from '#core/kernel/storage/unit-of-work';
import { userAggregate } from '../model/events.ts';
import type { IssuedCredentials } from '../model/offers.ts';
import type { SessionStore, TokenStore } from '../model/ports.ts';

export interface RevocationParts {
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly issued: () => readonly IssuedCredentials[];
  readonly audit: AuditLog;
  readonly events: Events;
}

/** Must run inside a unit of work that has locked the account. @returns counts, as members of an audit entry. */
export async function revokeIssued(
  issued: readonly IssuedCredentials[],
  userId: string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { what, revokeAll } of issued) counts[what] = await revokeAll(userId);
  return counts;
}

/** The returned function must run inside a unit of work that has locked the account. */
export function revokeCredentials({ sessions, tokens, issued, audit, events }: RevocationParts) {
  return async (userId: string, entry: (details: AuditEntry['details']) => AuditEntry): Promise<void> => {
    const [sessionCount, tokenCount] = [await sessions.endAll(userId), await tokens.deleteAll(userId)];
    const others = await revokeIssued(issued(), userId);
    const written = entry({ sessions_ended: sessionCount, tokens_revoked: tokenCount, ...others });
    await audit.append(written);
    await events.emit({
      type: 'user.credentials_revoked',
      aggregate: userAggregate(userId),
      payload: { userId },
      ...(written.actorId !== undefined && { actorId: written.actorId }),
    });
  };
}
