// Use cases of sessions: sign-in, refresh-token rotation and sign-out.
import { auditEntry, type AuditAction } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import type { CredentialReader, PageSessions } from '#core/kernel/access/credentials';
import { userKey } from '#core/kernel/access/current-caller';
import { Forbidden, NotFound, Unauthorized } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { userAggregate } from '../model/events.ts';
import { userEvent } from '../model/user-event.ts';
import type { IdentityParts } from '../model/parts.ts';
import { stillProves, type Passwords } from './password-sign-in.ts';
import type { SessionOpener, SignedIn } from './session-opener.ts';
import type { CredentialOwner } from '../model/ports.ts';
import type { SignInBlocks } from './sign-in-blocks.ts';
import { isRefreshToken, mintRefreshToken, secondsAfter, type Session } from '../model/session.ts';

/** A session, as its user sees it. */
export interface ListedSession extends Session {
  /** The time of its last sign-in, refresh or renewal. */
  readonly lastUsedAt: Date;
  /** Whether it is the session of the request. */
  readonly current: boolean;
}

/** A session that a page has just renewed is not extended again, because a browser may not accept cookies. */
const renewedFor = { milliseconds: 60_000, sessions: 10_000 } as const;

export function sessionUseCases(
  parts: IdentityParts,
  passwords: Passwords,
  { blockOf, admitted }: SignInBlocks,
  { open, issue, signed }: SessionOpener,
) {
  const { accounts, sessions, tokenHasher, passwordHasher, currentCaller, lifetimes } = parts;
  const { sessionTokens, pageTokens } = parts;
  const { audit, events, unitOfWork, ids } = parts;

  /** When pages extended sessions, by their ids. */
  const extended = new Lru<number>(renewedFor.sessions);

  const wrong = (): Unauthorized => new Unauthorized('The username or password is wrong');

  const end = async (call: Call, id: string, action: AuditAction): Promise<void> => {
    const userId = await sessions.end(id);
    if (userId === undefined) return;
    await audit.append(auditEntry(call, action, `session:${id}`, { user_id: userId }));
    await events.emit(userEvent('session.ended', { userId, sessionId: id }, userId));
  };

  return {
    /** @throws {Unauthorized | Forbidden | RateLimited | Unavailable} */
    async signIn(
      call: Call,
      { username, password }: { readonly username: string; readonly password: string },
    ): Promise<SignedIn> {
      const proved = await passwords.prove({
        username,
        password,
        ip: call.ip,
        now: call.now,
        surface: 'login',
        entry: (action, resource, details) => auditEntry(call, action, resource, details),
      });
      if (proved === undefined) throw wrong();
      const { account, passwordHash, directory } = proved;
      const rehashed =
        passwordHash !== undefined && passwordHasher.outdated(passwordHash)
          ? await passwordHasher.hash(password, call.ip)
          : undefined;
      const opened = await open(call, account, directory === undefined ? {} : { directory }, (held) =>
        stillProves(proved, held) ? { ...(rehashed !== undefined && { passwordHash: rehashed }) } : undefined,
      );
      if (opened === undefined) throw wrong();
      return opened;
    },

    /** Exchanges a refresh token for a new pair. Using one twice ends its session. @throws {Unauthorized} */
    async refresh(
      call: Call,
      { refreshToken: presented }: { readonly refreshToken: string | undefined },
    ): Promise<SignedIn> {
      const stale = (): Unauthorized => new Unauthorized('The refresh token is not valid', { detail: 'Sign in again' });
      if (presented === undefined || !isRefreshToken(presented)) throw stale();
      const next = mintRefreshToken(ids);
      const renewed = await unitOfWork.run(async () => {
        const used = await sessions.useRefreshToken(tokenHasher.hash(presented), call.now);
        if (used === undefined) return undefined;
        if (used.outcome === 'reused') {
          await end(call, used.sessionId, 'session.refresh_token_reused');
          return undefined;
        }
        const account = await accounts.byId(used.userId);
        if (account === undefined || (await blockOf(account)) !== undefined) return undefined;
        // The session may have ended since the token was checked.
        if (!(await sessions.extend(used.sessionId, secondsAfter(call.now, lifetimes.refreshSeconds))))
          return undefined;
        // If anything up to here fails, the unit of work rolls back and the presented token stays valid. Otherwise a
        // retry with it would be treated as reuse of a stolen token.
        return issue(account, used.sessionId, next, call.now);
      });
      if (renewed === undefined) throw stale();
      return renewed;
    },

    /** Ends the session of the bearer token, else that of the cookies. @throws {Unauthorized | Forbidden} */
    async signOut(
      call: Call,
      { access, refresh }: { readonly access: string | undefined; readonly refresh: string | undefined },
    ): Promise<void> {
      const { caller } = call;
      const found = new Set<string>();
      if (caller.kind === 'user') {
        if (caller.credential.kind !== 'session')
          throw new Forbidden('This operation needs a session', { detail: 'A token is ended by deleting it' });
        found.add(caller.credential.id);
      } else {
        if (access === undefined && refresh === undefined) throw new Unauthorized('This operation needs a session');
        const claims = access === undefined ? undefined : await sessionTokens.read(access, call.now);
        if (claims !== undefined) found.add(claims.sessionId);
        const family =
          refresh !== undefined && isRefreshToken(refresh)
            ? await sessions.byRefreshToken(tokenHasher.hash(refresh))
            : undefined;
        if (family !== undefined) found.add(family.sessionId);
      }
      await unitOfWork.run(async () => {
        for (const id of found) await end(call, id, 'user.logout');
      });
    },

    /** The sessions of the caller, the one used last first. */
    async list({ caller, now }: Call<User>, page: PageRequest): Promise<Page<ListedSession>> {
      const slice = { now, limit: page.perPage, offset: offsetOf(page) };
      const { sessions: items, total } = await sessions.list(caller.id, slice);
      const listed = (session: Session): ListedSession => ({
        ...session,
        lastUsedAt: secondsAfter(session.expiresAt, -lifetimes.refreshSeconds),
        current: session.id === caller.credential.id,
      });
      return { items: items.map(listed), total, ...page };
    },

    /** Ends the caller's sessions, except that of the request. */
    endOthers: (call: Call<User>): Promise<void> =>
      unitOfWork.run(async () => {
        const { id, credential } = call.caller;
        const ended = await sessions.endAll(id, credential.id);
        if (ended > 0)
          await audit.append(auditEntry(call, 'user.logout', userAggregate(id), { sessions_ended: ended }));
      }),

    /** Ends one of the caller's sessions. @throws {NotFound} */
    endOne: (call: Call<User>, { id }: { readonly id: string }): Promise<void> =>
      unitOfWork.run(async () => {
        if ((await sessions.owner(id, call.now))?.id !== call.caller.id) throw new NotFound('There is no such session');
        await end(call, id, 'user.logout');
      }),

    pages: {
      async renew(pageToken, now) {
        const claims = await pageTokens.read(pageToken, now);
        if (claims === undefined) return undefined;
        const { sessionId, userId } = claims;
        return currentCaller.run(userKey(userId), async () => {
          const owner = await sessions.owner(sessionId, now);
          if (owner?.id !== userId || (await admitted(owner)) === undefined) return undefined;
          const last = extended.get(sessionId) ?? Number.NEGATIVE_INFINITY;
          if (Math.abs(now.getTime() - last) >= renewedFor.milliseconds) {
            const expiresAt = secondsAfter(now, lifetimes.refreshSeconds);
            // The session may have ended since its owner was read.
            if (!(await unitOfWork.run(() => sessions.extend(sessionId, expiresAt)))) return undefined;
            extended.set(sessionId, now.getTime());
          }
          return signed(claims, now);
        });
      },
    } satisfies PageSessions,

    reader: {
      prefix: 'eyJ',
      async read(token, now) {
        const claims = token.startsWith('eyJ') ? await sessionTokens.read(token, now) : undefined;
        if (claims === undefined) return undefined;
        // The token is signed, so its user is known before the session is checked. The query therefore counts against
        // the user's share, not against that of the address, which unauthenticated requests use.
        const owner = await currentCaller.run(userKey(claims.userId), () => sessions.owner(claims.sessionId, now));
        if (owner?.id !== claims.userId) return undefined;
        const { sessionId } = claims;
        const callerOf = async (found: CredentialOwner) => {
          const user = await admitted(found);
          const credential = { kind: 'session', id: sessionId, scopes: 'all' } as const;
          return user && ({ kind: 'user', ...user, credential } as const);
        };
        const caller = await callerOf(owner);
        return (
          caller && {
            ...caller,
            // A long request may outlive its access token. Only the session must still be valid.
            async unchanged(later) {
              const still = await sessions.owner(sessionId, later);
              return still && callerOf(still);
            },
          }
        );
      },
    } satisfies CredentialReader,
  };
}
