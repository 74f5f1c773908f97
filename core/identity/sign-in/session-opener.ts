// Opens sessions for users who were proved by a password or by an external provider, and issues their tokens.
import type { Call } from '#core/kernel/caller';
import { auditEntry, type AuditEntry } from '#core/kernel/services/audit';
import type { Account, AccountPatch } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { SecuredAccount, SessionClaims } from '../model/ports.ts';
import { mintRefreshToken, secondsAfter, type SessionLifetimes } from '../model/session.ts';
import type { SignInBlocks } from './sign-in-blocks.ts';

/** A new or refreshed session, as returned to its owner. */
export interface SignedIn {
  readonly account: Account;
  /** A JWT, for the header `Authorization: Bearer` and the cookie. */
  readonly accessToken: string;
  /** Opaque. Valid for one refresh. */
  readonly refreshToken: string;
  /** A JWT, for the cookie that keeps a browser signed in on pages. */
  readonly pageToken: string;
  readonly lifetimes: SessionLifetimes;
}

/** Maximum number of sessions per user. Adding another ends the one refreshed least recently. */
const mostSessions = 1000;

export function sessionOpener(parts: IdentityParts, { blockOf }: SignInBlocks) {
  const { accounts, sessions, tokenHasher, lifetimes, sessionTokens, pageTokens, audit, unitOfWork, ids } = parts;

  const signed = async (claims: SessionClaims, now: Date) => ({
    accessToken: await sessionTokens.issue(claims, now, secondsAfter(now, lifetimes.accessSeconds)),
    pageToken: await pageTokens.issue(claims, now, secondsAfter(now, lifetimes.refreshSeconds)),
    lifetimes,
  });

  /** Stores the refresh token, and signs the other tokens. */
  const issue = async (account: Account, sessionId: string, refreshToken: string, now: Date): Promise<SignedIn> => {
    await sessions.addRefreshToken({ hash: tokenHasher.hash(refreshToken), sessionId, createdAt: now });
    return { account, refreshToken, ...(await signed({ sessionId, userId: account.id }, now)) };
  };

  return {
    signed,
    issue,
    /**
     * Opens a session, unless the account was suspended or deleted meanwhile.
     * @param details further members of the audit entry.
     * @param check returns members of the account to change; undefined if its user is no longer proved.
     */
    async open(
      call: Call,
      account: Account,
      details: AuditEntry['details'],
      check: (held: SecuredAccount) => AccountPatch | undefined = () => ({}),
    ): Promise<SignedIn | undefined> {
      const session = {
        id: ids.uuid(),
        userId: account.id,
        createdAt: call.now,
        expiresAt: secondsAfter(call.now, lifetimes.refreshSeconds),
        ip: call.ip,
        userAgent: call.userAgent,
      };
      const refreshToken = mintRefreshToken(ids);
      return unitOfWork.run(async () => {
        const held = await accounts.lock(account.id);
        const patch = held === undefined || (await blockOf(held.account)) !== undefined ? undefined : check(held);
        if (patch === undefined) return undefined;
        await accounts.update(account.id, { lastActiveAt: call.now, ...patch });
        const ended = await sessions.endOldest(account.id, mostSessions);
        await sessions.insert(session);
        await audit.append({
          ...auditEntry(call, 'user.login', userAggregate(account.id), {
            session_id: session.id,
            ...(ended > 0 && { sessions_ended: ended }),
            ...details,
          }),
          actorId: account.id,
          actorUsername: account.username,
        });
        return issue({ ...account, lastActiveAt: call.now }, session.id, refreshToken, call.now);
      });
    },
  };
}
export type SessionOpener = ReturnType<typeof sessionOpener>;
