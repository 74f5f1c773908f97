// Revokes all credentials of an account: sessions, personal access tokens, and credentials issued by other areas.
import type { Call, User } from '#core/kernel/caller';
import { auditEntry, type AuditEntry } from '#core/kernel/services/audit';
import { userAggregate } from '../model/events.ts';
import { userEvent } from '../model/user-event.ts';
import type { IdentityParts } from '../model/parts.ts';

/** Must run inside a unit of work that has locked the account. @returns counts, as members of an audit entry. */
export async function revokeIssued(
  { issued }: Pick<IdentityParts, 'issued'>,
  userId: string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { what, revokeAll } of issued()) counts[what] = await revokeAll(userId);
  return counts;
}

/** Revokes what others have granted to things of the account. Otherwise as `revokeIssued`. */
export async function revokeOwned(
  { issued }: Pick<IdentityParts, 'issued'>,
  userId: string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const each of issued()) Object.assign(counts, await each.revokeOwned?.(userId));
  return counts;
}

/** Must run inside a unit of work that has locked the account. */
export async function revokeCredentials(
  parts: Pick<IdentityParts, 'sessions' | 'tokens' | 'issued' | 'audit' | 'events'>,
  userId: string,
  entry: (details: AuditEntry['details']) => AuditEntry,
): Promise<void> {
  const { sessions, tokens, audit, events } = parts;
  const [sessionCount, tokenCount] = [await sessions.endAll(userId), await tokens.deleteAll(userId)];
  const others = await revokeIssued(parts, userId);
  const written = entry({ sessions_ended: sessionCount, tokens_revoked: tokenCount, ...others });
  await audit.append(written);
  await events.emit(userEvent('user.credentials_revoked', { userId }, written.actorId));
}

/** `revokeCredentials` with the audit entry of a caller. */
export const endCredentials = (
  parts: Parameters<typeof revokeCredentials>[0],
  call: Call<User>,
  userId: string,
): Promise<void> =>
  revokeCredentials(parts, userId, (details) =>
    auditEntry(call, 'user.tokens_revoked', userAggregate(userId), details),
  );
