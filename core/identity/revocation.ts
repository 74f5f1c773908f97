// Revocation of all credentials of an account: its sessions and its personal access tokens.
import type { AuditEntry, AuditLog } from '#core/kernel/audit';
import type { Events } from '#core/kernel/unit-of-work';
import { userAggregate } from './events.ts';
import type { SessionStore, TokenStore } from './ports.ts';

export interface RevocationParts {
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly audit: AuditLog;
  readonly events: Events;
}

/** Goes inside a unit of work that holds the account. */
export function revokeCredentials({ sessions, tokens, audit, events }: RevocationParts) {
  return async (userId: string, entry: (details: AuditEntry['details']) => AuditEntry): Promise<void> => {
    const [sessionCount, tokenCount] = [await sessions.endAll(userId), await tokens.deleteAll(userId)];
    const written = entry({ sessions_ended: sessionCount, tokens_revoked: tokenCount });
    await audit.append(written);
    await events.emit({
      type: 'user.credentials_revoked',
      aggregate: userAggregate(userId),
      payload: { userId },
      ...(written.actorId !== undefined && { actorId: written.actorId }),
    });
  };
}
