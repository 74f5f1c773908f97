// The ports this area needs: stores of accounts, sessions and tokens, a token hash and signed session tokens.
import type { Account, AccountPatch } from './account.ts';
import type { Session } from './session.ts';
import type { AccessToken } from './access-token.ts';
import type { UserGroup } from './user-group.ts';

/** The account behind a live credential, as a caller needs it. */
export interface CredentialOwner {
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
}

/** An account together with what proves its password. The hash never leaves the area. */
export interface SecuredAccount {
  readonly account: Account;
  readonly passwordHash: string;
}

/** Which accounts a list shows. */
export interface AccountQuery {
  /** Part of a username, e-mail address or display name, in any case; undefined matches all. */
  readonly q: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Where accounts are kept. */
export interface AccountStore {
  /** @throws {Duplicate} `identity_user_username_key` or `identity_user_email_key`; both compare case-insensitively. */
  insert(account: Account, passwordHash: string): Promise<void>;
  /** Whether there is any account at all. */
  any(): Promise<boolean>;
  byId(id: string): Promise<Account | undefined>;
  byIds(ids: readonly string[]): Promise<readonly Account[]>;
  byUsername(username: string): Promise<Account | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  secured(username: string): Promise<SecuredAccount | undefined>;
  /** Ordered by name. */
  list(query: AccountQuery): Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;
  /** Reads and holds the account until the unit of work ends; others who lock it wait. */
  lock(id: string): Promise<SecuredAccount | undefined>;
  /**
   * Holds every active super-admin until the unit of work ends, and yields their ids: so that two calls cannot each
   * remove the other one.
   */
  lockAdministrators(): Promise<readonly string[]>;
  /** @throws {Duplicate} as insert does. */
  update(id: string, patch: AccountPatch): Promise<void>;
  /** Its sessions and tokens go with it. @throws {StillReferenced} naming the table that refers to it. */
  delete(id: string): Promise<void>;
}

/** Where sessions and their refresh tokens are kept. */
export interface SessionStore {
  insert(session: Session): Promise<void>;
  /** The active account of a session that is neither ended nor expired. One query: it runs on every request. */
  owner(id: string, now: Date): Promise<CredentialOwner | undefined>;
  /** When a session began that is neither ended nor expired. */
  startedAt(id: string, now: Date): Promise<Date | undefined>;
  addRefreshToken(refresh: {
    readonly hash: string;
    readonly sessionId: string;
    readonly createdAt: Date;
  }): Promise<void>;
  /**
   * Uses up a refresh token of a live session. Of two calls with one token, also at the same moment, one sees `fresh`
   * and the other `reused`.
   * Undefined where nobody knows it or its session has expired.
   */
  useRefreshToken(
    hash: string,
    now: Date,
  ): Promise<{ readonly outcome: 'fresh' | 'reused'; readonly sessionId: string; readonly userId: string } | undefined>;
  /** The session a refresh token belongs to, used up or not. */
  byRefreshToken(hash: string): Promise<{ readonly sessionId: string; readonly userId: string } | undefined>;
  /** Holds the session until the unit of work ends. @returns whether it is there. */
  extend(id: string, expiresAt: Date): Promise<boolean>;
  /**
   * Ends the session, and with it its refresh tokens.
   * @returns the user it belonged to, undefined where it had ended before.
   */
  end(id: string): Promise<string | undefined>;
  /** @returns how many ended. */
  endAll(userId: string, except?: string): Promise<number>;
  /**
   * Ends those that were not refreshed for longest, so that with one more the user has `most` at most: up to 1,000 in
   * one statement. @returns how many ended.
   */
  endOldest(userId: string, most: number): Promise<number>;
  /**
   * Removes up to `most` refresh tokens that were issued before then, and are used or without a session. @returns how
   * many.
   */
  pruneRefreshTokens(before: Date, most: number): Promise<number>;
  /** Removes up to `most` that have expired. @returns how many. */
  prune(now: Date, most: number): Promise<number>;
}

/** Where personal access tokens are kept, by the hash of their secret. */
export interface TokenStore {
  /** @throws {Duplicate} `identity_token_hash_key`. */
  insert(token: AccessToken, hash: string): Promise<void>;
  /** A token that has not expired, of an active account. One query: it runs on every request. */
  byHash(
    hash: string,
    now: Date,
  ): Promise<
    { readonly token: Pick<AccessToken, 'id' | 'scopes' | 'lastUsedAt'>; readonly owner: CredentialOwner } | undefined
  >;
  /** Newest first. */
  list(
    userId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly tokens: readonly AccessToken[]; readonly total: number }>;
  /** Of these ids those of tokens that there are; one query. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes a token of this user. @returns it, undefined where there is none. */
  delete(userId: string, id: string): Promise<AccessToken | undefined>;
  /** @returns how many there were. */
  deleteAll(userId: string): Promise<number>;
  count(userId: string): Promise<number>;
  /** Removes those of a user that have expired. @returns how many. */
  deleteExpired(userId: string, now: Date): Promise<number>;
  touch(id: string, now: Date): Promise<void>;
}

/** A group, and how many are in it. */
export type CountedGroup = UserGroup & { readonly memberCount: number };

/** A user in a group. */
export interface GroupMember {
  readonly user: Pick<Account, 'id' | 'username' | 'displayName' | 'avatarUrl'>;
  /** Of a seeded group, when the account was made. */
  readonly addedAt: Date;
}

/** Where user groups and their members are kept; those of the seeded ones follow from accounts. */
export interface GroupStore {
  /** The seeded ones first, then by name. */
  all(): Promise<readonly CountedGroup[]>;
  byId(id: string): Promise<CountedGroup | undefined>;
  /** In a unit of work: whoever else counts waits until it ends, so that a bound holds. */
  count(): Promise<number>;
  /** @throws {Duplicate} where the slug, or the name in any case, is another's. */
  insert(group: UserGroup): Promise<void>;
  /** Reads and holds it until the unit of work ends. */
  lock(id: string): Promise<UserGroup | undefined>;
  /** @throws {Duplicate} as insert does. */
  update(group: UserGroup): Promise<void>;
  /** Its memberships go with it. */
  delete(id: string): Promise<void>;
  /** Some of them by name, and the count of all. */
  members(
    group: Pick<UserGroup, 'id'>,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly members: readonly GroupMember[]; readonly total: number }>;
  /** @throws {Duplicate} where they are in it. */
  addMember(groupId: string, userId: string, addedAt: Date): Promise<void>;
  /** @returns whether they were in it. */
  removeMember(groupId: string, userId: string): Promise<boolean>;
  /** The groups of a user, the seeded ones first, then by name; none for an id that is no user's. */
  ofUser(userId: string): Promise<readonly UserGroup[]>;
}

/** SHA-256 of a secret of high entropy, in lower-case hex: what is stored in its place. */
export interface TokenHasher {
  hash(secret: string): string;
}

/** What a session's access token says. */
export interface SessionClaims {
  readonly sessionId: string;
  readonly userId: string;
}

/** Signs and reads the access tokens of sessions (JWT). */
export interface SessionTokens {
  issue(claims: SessionClaims, issuedAt: Date, expiresAt: Date): Promise<string>;
  /**
   * Undefined where the token is malformed, altered, expired, not yet valid, or was made for another purpose or
   * instance.
   */
  read(token: string, now: Date): Promise<SessionClaims | undefined>;
}
