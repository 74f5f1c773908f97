// Use cases of sessions: sign-in, refresh-token rotation and sign-out.
import { auditEntry } from '#core/kernel/services/audit';
import type { AuditAction, AuditLog } from '#core/kernel/services/audit';
import type { Call } from '#core/kernel/caller';
import type { CredentialReader, PasswordHasher } from '#core/kernel/access/credentials';
import { userKey, type CurrentCaller } from '#core/kernel/access/current-caller';
import { Forbidden, Unauthorized } from '#core/kernel/errors';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Account } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { stillProves, type Passwords } from './password-sign-in.ts';
import type { AccountStore, CredentialOwner, SessionStore, SessionTokens, TokenHasher } from '../model/ports.ts';
import { isRefreshToken, mintRefreshToken, secondsAfter } from '../model/session.ts';
import type { SessionLifetimes } from '../model/session.ts';

/** A new or refreshed session, as returned to its owner. */
export interface SignedIn {
  readonly account: Account;
  /** A JWT, for the header `Authorization: Bearer` and the cookie. */
  readonly accessToken: string;
  /** Opaque. Valid for one refresh. */
  readonly refreshToken: string;
  readonly lifetimes: SessionLifetimes;
}

export interface SessionParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly sessionTokens: SessionTokens;
  readonly tokenHasher: TokenHasher;
  readonly passwordHasher: PasswordHasher;
  readonly passwords: Passwords;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly currentCaller: CurrentCaller;
  readonly lifetimes: SessionLifetimes;
}

export interface Sessions {
  /** @throws {Unauthorized | Forbidden | RateLimited | Unavailable} */
  signIn(call: Call, command: { readonly username: string; readonly password: string }): Promise<SignedIn>;
  /** Exchanges a refresh token for a new pair. Using one twice ends its session. @throws {Unauthorized} */
  refresh(call: Call, command: { readonly refreshToken: string | undefined }): Promise<SignedIn>;
  /** Ends the session of the bearer token, else that of the cookies. @throws {Unauthorized | Forbidden} */
  signOut(
    call: Call,
    cookies: { readonly access: string | undefined; readonly refresh: string | undefined },
  ): Promise<void>;
  readonly reader: CredentialReader;
}

/** Maximum number of sessions per user. Adding another ends the one refreshed least recently. */
const mostSessions = 1000;

export function sessions(parts: SessionParts): Sessions {
  const {
    accounts,
    sessions: store,
    sessionTokens,
    tokenHasher,
    passwordHasher,
    passwords,
    audit,
    events,
    unitOfWork,
    ids,
    currentCaller,
    lifetimes,
  } = parts;

  const wrong = (): Unauthorized => new Unauthorized('The username or password is wrong');

  const issue = async (account: Account, sessionId: string, refreshToken: string, now: Date): Promise<SignedIn> => {
    const accessToken = await sessionTokens.issue(
      { sessionId, userId: account.id },
      now,
      secondsAfter(now, lifetimes.accessSeconds),
    );
    return { account, accessToken, refreshToken, lifetimes };
  };

  const end = async (call: Call, id: string, action: AuditAction): Promise<void> => {
    const userId = await store.end(id);
    if (userId === undefined) return;
    await audit.append(auditEntry(call, action, `session:${id}`, { user_id: userId }));
    await events.emit({
      type: 'session.ended',
      aggregate: userAggregate(userId),
      actorId: userId,
      payload: { userId, sessionId: id },
    });
  };

  return {
    async signIn(call, { username, password }) {
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
      const session = {
        id: ids.uuid(),
        userId: account.id,
        createdAt: call.now,
        expiresAt: secondsAfter(call.now, lifetimes.refreshSeconds),
        ip: call.ip,
        userAgent: call.userAgent,
      };
      const refreshToken = mintRefreshToken(ids);
      const opened = await unitOfWork.run(async () => {
        // The account was suspended, deleted or given another password while the hash was computed.
        const held = await accounts.lock(account.id);
        if (held?.account.status !== 'active' || !stillProves(proved, held)) return undefined;
        await accounts.update(account.id, {
          lastActiveAt: call.now,
          ...(rehashed !== undefined && { passwordHash: rehashed }),
        });
        const ended = await store.endOldest(account.id, mostSessions);
        await store.insert(session);
        await store.addRefreshToken({
          hash: tokenHasher.hash(refreshToken),
          sessionId: session.id,
          createdAt: call.now,
        });
        await audit.append({
          ...auditEntry(call, 'user.login', `user:${account.id}`, {
            session_id: session.id,
            ...(ended > 0 && { sessions_ended: ended }),
            ...(directory !== undefined && { directory }),
          }),
          actorId: account.id,
          actorUsername: account.username,
        });
        return issue({ ...account, lastActiveAt: call.now }, session.id, refreshToken, call.now);
      });
      if (opened === undefined) throw wrong();
      return opened;
    },

    async refresh(call, { refreshToken: presented }) {
      const stale = (): Unauthorized => new Unauthorized('The refresh token is not valid', { detail: 'Sign in again' });
      if (presented === undefined || !isRefreshToken(presented)) throw stale();
      const next = mintRefreshToken(ids);
      const renewed = await unitOfWork.run(async () => {
        const used = await store.useRefreshToken(tokenHasher.hash(presented), call.now);
        if (used === undefined) return undefined;
        if (used.outcome === 'reused') {
          await end(call, used.sessionId, 'session.refresh_token_reused');
          return undefined;
        }
        const account = await accounts.byId(used.userId);
        if (account?.status !== 'active') return undefined;
        // The session may have ended since the token was checked.
        if (!(await store.extend(used.sessionId, secondsAfter(call.now, lifetimes.refreshSeconds)))) return undefined;
        await store.addRefreshToken({ hash: tokenHasher.hash(next), sessionId: used.sessionId, createdAt: call.now });
        // If anything up to here fails, the unit of work rolls back and the presented token stays valid. Otherwise a
        // retry with it would be treated as reuse of a stolen token.
        return issue(account, used.sessionId, next, call.now);
      });
      if (renewed === undefined) throw stale();
      return renewed;
    },

    async signOut(call, { access, refresh }) {
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
            ? await store.byRefreshToken(tokenHasher.hash(refresh))
            : undefined;
        if (family !== undefined) found.add(family.sessionId);
      }
      await unitOfWork.run(async () => {
        for (const id of found) await end(call, id, 'user.logout');
      });
    },

    reader: {
      prefix: 'eyJ',
      async read(token, now) {
        const claims = token.startsWith('eyJ') ? await sessionTokens.read(token, now) : undefined;
        if (claims === undefined) return undefined;
        // The token is signed, so its user is known before the session is checked. The query therefore counts against
        // the user's share, not against that of the address, which unauthenticated requests use.
        const owner = await currentCaller.run(userKey(claims.userId), () => store.owner(claims.sessionId, now));
        if (owner?.id !== claims.userId) return undefined;
        const { sessionId } = claims;
        const caller = (found: CredentialOwner) =>
          ({ kind: 'user', ...found, credential: { kind: 'session', id: sessionId, scopes: 'all' } }) as const;
        return {
          ...caller(owner),
          // A long request may outlive its access token. Only the session must still be valid.
          async unchanged(later) {
            const still = await store.owner(sessionId, later);
            return still && caller(still);
          },
        };
      },
    },
  } satisfies Sessions;
}
