// The ports that this area needs: stores of accounts, sessions, tokens and groups, a token hash and session tokens.
import type { Account, AccountPatch } from './account.ts';
import type { ExternalIdentity } from './external-identity.ts';
import type { Session } from './session.ts';
import type { AccessToken } from './access-token.ts';
import type { UserGroup } from './user-group.ts';

/** The account behind a valid credential: the members that a caller needs, and those that may block its sign-in. */
export interface CredentialOwner extends Pick<Account, 'emailVerified' | 'approval'> {
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
}

/** An account with its password hash. The hash must not leave this area. */
export interface SecuredAccount {
  readonly account: Account;
  /** `noPassword` for an account without a local password. */
  readonly passwordHash: string;
}

/** The filter and the slice of a list of accounts. */
export interface AccountQuery {
  /** A part of a username, e-mail address or display name, compared case-insensitively; undefined matches all. */
  readonly q: string | undefined;
  readonly status?: Account['status'] | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The store of accounts. */
export interface AccountStore {
  /** @throws {Duplicate} `identity_user_username_key` or `identity_user_email_key`; both compare case-insensitively. */
  insert(account: Account, passwordHash: string, isFirst?: 'first administrator'): Promise<void>;
  /** Whether this is the account that the first start of the instance created. */
  isFirst(id: string): Promise<boolean>;
  /** Whether any account exists. */
  any(): Promise<boolean>;
  byId(id: string): Promise<Account | undefined>;
  byIds(ids: readonly string[]): Promise<readonly Account[]>;
  byUsername(username: string): Promise<Account | undefined>;
  /** Accounts with one of these usernames, case-insensitively. One query. */
  byUsernames(usernames: readonly string[]): Promise<readonly Account[]>;
  byEmail(email: string): Promise<Account | undefined>;
  secured(username: string): Promise<SecuredAccount | undefined>;
  /** Ordered by username. */
  list(query: AccountQuery): Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;
  /** Reads the account and locks it until the unit of work ends. Other calls of `lock` wait. */
  lock(id: string): Promise<SecuredAccount | undefined>;
  /**
   * Locks every active instance administrator until the unit of work ends, and returns their ids, so that two
   * administrators cannot remove each other at the same time.
   */
  lockAdministrators(): Promise<readonly string[]>;
  /** @throws {Duplicate} as `insert`. */
  update(id: string, patch: AccountPatch): Promise<void>;
  /** Also deletes its sessions and tokens. @throws {StillReferenced} naming the table that refers to it. */
  delete(id: string): Promise<void>;
}

/** The store of sessions and their refresh tokens. */
export interface SessionStore {
  insert(session: Session): Promise<void>;
  /** The active account of a session that has not ended or expired. One query, because every request calls it. */
  owner(id: string, now: Date): Promise<CredentialOwner | undefined>;
  /** The sessions of a user that have not ended or expired, the one refreshed last first. */
  list(
    userId: string,
    slice: { readonly now: Date; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly sessions: readonly Session[]; readonly total: number }>;
  /** The start time of a session that has not ended or expired. */
  startedAt(id: string, now: Date): Promise<Date | undefined>;
  addRefreshToken(refresh: {
    readonly hash: string;
    readonly sessionId: string;
    readonly createdAt: Date;
  }): Promise<void>;
  /**
   * Uses up a refresh token of a live session. Of two calls with the same token, even concurrent ones, one returns
   * `fresh` and the other `reused`. Undefined if the token is unknown or its session has expired.
   */
  useRefreshToken(
    hash: string,
    now: Date,
  ): Promise<{ readonly outcome: 'fresh' | 'reused'; readonly sessionId: string; readonly userId: string } | undefined>;
  /** The session of a refresh token, used or not. */
  byRefreshToken(hash: string): Promise<{ readonly sessionId: string; readonly userId: string } | undefined>;
  /** Locks the session until the unit of work ends. @returns whether the session exists. */
  extend(id: string, expiresAt: Date): Promise<boolean>;
  /**
   * Ends the session and deletes its refresh tokens.
   * @returns the id of its user; undefined if the session had ended before.
   */
  end(id: string): Promise<string | undefined>;
  /** Ends all sessions of a user, except the given one. @returns how many ended. */
  endAll(userId: string, except?: string): Promise<number>;
  /**
   * Ends the sessions refreshed least recently, so that after adding one the user has at most `most`. Ends up to 1,000
   * in one statement. @returns how many ended.
   */
  endOldest(userId: string, most: number): Promise<number>;
  /**
   * Deletes up to `most` refresh tokens that were issued before this time, and are used or have no session. @returns
   * how many were deleted.
   */
  pruneRefreshTokens(before: Date, most: number): Promise<number>;
  /** Deletes up to `most` expired sessions. @returns how many were deleted. */
  prune(now: Date, most: number): Promise<number>;
}

/** The store of personal access tokens, by the hash of their secret. */
export interface TokenStore {
  /** @throws {Duplicate} `identity_token_hash_key`. */
  insert(token: AccessToken, hash: string): Promise<void>;
  /** An unexpired token of an active account. One query, because every request with a token calls it. */
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
  /** The tokens with these ids that exist, each with the id of its user. One query. */
  known(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Deletes a token of this user. @returns the deleted token; undefined if it did not exist. */
  delete(userId: string, id: string): Promise<AccessToken | undefined>;
  /** @returns how many were deleted. */
  deleteAll(userId: string): Promise<number>;
  count(userId: string): Promise<number>;
  /** Deletes the expired tokens of a user. @returns how many were deleted. */
  deleteExpired(userId: string, now: Date): Promise<number>;
  touch(id: string, now: Date): Promise<void>;
}

/** The store of external identities, and of keys that may be used once. */
export interface ExternalIdentityStore {
  /** @param key a hash of `identityKey`. @throws {Duplicate} `identity_external_key`. */
  insert(identity: ExternalIdentity, key: string): Promise<void>;
  byKey(key: string): Promise<ExternalIdentity | undefined>;
  /** Of one user, oldest first. */
  ofUser(userId: string): Promise<readonly ExternalIdentity[]>;
  /** Deletes an identity of this user. @returns the deleted identity; undefined if it did not exist. */
  delete(userId: string, id: string): Promise<ExternalIdentity | undefined>;
  /** Stores a hash that may be used once. @throws {Duplicate} `identity_used_answer_pkey` if it is stored already. */
  use(hash: string, expiresAt: Date): Promise<void>;
  isUsed(hash: string): Promise<boolean>;
  /** Deletes up to `most` hashes that have expired. @returns how many were deleted. */
  prune(now: Date, most: number): Promise<number>;
}

/** A group, and the number of its members. */
export type CountedGroup = UserGroup & { readonly memberCount: number };

/** A user in a group. */
export interface GroupMember {
  readonly user: Pick<Account, 'id' | 'username' | 'displayName' | 'avatarUrl'>;
  /** In a built-in group, the creation time of the account. */
  readonly addedAt: Date;
}

/** The store of user groups and their members. Members of built-in groups are derived from accounts. */
export interface GroupStore {
  /** The built-in groups first, then by name. */
  all(): Promise<readonly CountedGroup[]>;
  byId(id: string): Promise<CountedGroup | undefined>;
  /**
   * Must run inside a unit of work. Other callers of `count` wait until it ends, so that the limit cannot be exceeded.
   */
  count(): Promise<number>;
  /** @throws {Duplicate} if another group has the same slug or, case-insensitively, the same name. */
  insert(group: UserGroup): Promise<void>;
  /** Reads the group and locks it until the unit of work ends. */
  lock(id: string): Promise<UserGroup | undefined>;
  /** @throws {Duplicate} as `insert`. */
  update(group: UserGroup): Promise<void>;
  /** Also deletes its memberships. */
  delete(id: string): Promise<void>;
  /** One slice of the members, ordered by name, and the count of all. */
  members(
    group: Pick<UserGroup, 'id'>,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly members: readonly GroupMember[]; readonly total: number }>;
  /** @throws {Duplicate} if the user is already a member. */
  addMember(groupId: string, userId: string, addedAt: Date): Promise<void>;
  /** @returns whether the user was a member. */
  removeMember(groupId: string, userId: string): Promise<boolean>;
  /**
   * Whether a group that is not built in has a member who is an instance administrator or, with `beyond`, one who is in
   * a group of the role `instance_admin` or among `ids`. `except` does not count.
   */
  hasAdministrator(
    groupId: string,
    beyond?: { readonly ids: readonly string[]; readonly except: string },
  ): Promise<boolean>;
  /** The groups of a user, the built-in ones first, then by name; empty for an unknown user id. */
  ofUser(userId: string): Promise<readonly UserGroup[]>;
}

/** SHA-256 of a high-entropy secret, in lower-case hex. Stored instead of the secret. */
export interface TokenHasher {
  hash(secret: string): string;
}

/** The claims of a session's access token. */
export interface SessionClaims {
  readonly sessionId: string;
  readonly userId: string;
}

/** Signs and verifies the access tokens of sessions (JWT). */
export interface SessionTokens {
  issue(claims: SessionClaims, issuedAt: Date, expiresAt: Date): Promise<string>;
  /** Undefined if the token is malformed, altered, expired, not yet valid, or made for another purpose or instance. */
  read(token: string, now: Date): Promise<SessionClaims | undefined>;
}
