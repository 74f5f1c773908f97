// The ports that this area provides to others.
import type { Caller } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { UserGroup } from './user-group.ts';

/** The public members of an account. */
export interface PublicUser {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string;
}

/** The port by which other areas find accounts. */
export interface Users {
  /** Finds an account by username, case-insensitively. Includes suspended users, because their resources remain. */
  byUsername(username: string): Promise<PublicUser | undefined>;
  /** As `byUsername`, with one query for all names. Unknown names are missing. */
  byUsernames(usernames: readonly string[]): Promise<readonly PublicUser[]>;
  /** One query for all ids. Unknown ids are missing from the map. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, PublicUser>>;
  /** The e-mail address of an account, which may be shown to its owner only; '' if the account was deleted. */
  email(id: string): Promise<string>;
  /** Returns which of these users are instance administrators. One query. */
  administrators(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns which of these users exist and are not suspended. One query. */
  active(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Counts records that refer to users, so that deleting a user can be rejected with a reason. */
export interface UserReferences {
  /** A name for messages, such as "repositories" or "issues". */
  readonly what: string;
  /** The number of records that refer to each of these users. Users without any may be missing. */
  counts(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A thing of a user, on the page of the user. */
export interface ProfileItem {
  readonly name: string;
  /** The path of its page. */
  readonly path: string;
  readonly about: string;
  /** One word about who can see it; empty if everybody can. */
  readonly mark: string;
  readonly changedAt: Date;
}

/** Lists things that users own, for their pages. */
export interface ProfileLists {
  /** The title of the list, such as "Repositories". */
  readonly title: string;
  /** Those that the caller can read, the one that changed last first. */
  list(
    caller: Caller,
    userId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ProfileItem[]>;
}

/** Membership in user groups. Budgets and reviews depend on it. */
export interface UserGroups {
  /** All groups of the instance, which are few: the built-in ones (`seededGroups`) first, then by name. */
  list(): Promise<readonly UserGroup[]>;
  byId(id: string): Promise<UserGroup | undefined>;
  /**
   * The groups of one user, the built-in ones first; empty for an unknown user id. One query. A caller that needs this
   * on every request caches the result until `user_group.member_added`, `user_group.member_removed`,
   * `user_group.deleted` or `user.updated`.
   */
  groupsOf(userId: string): Promise<readonly UserGroup[]>;
  /**
   * Whether instance administrators are members of a group that is not built in. Without it, the budgets of such groups
   * are narrowed by instance administrators alone.
   */
  hasAdministrator?(groupId: string): Promise<boolean>;
}

/** The members of an account that its user may disclose to an application. */
export interface AccountClaims extends PublicUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly updatedAt: Date;
}

/** The port by which issuers of other credentials, such as OAuth2 tokens, query accounts. */
export interface Vouching {
  /** Undefined if the account does not exist or may not sign in. */
  claims(userId: string): Promise<AccountClaims | undefined>;
  /**
   * Like `claims`, and locks the account until the unit of work ends, so that revoking the account's credentials waits
   * for it. Must be called before other rows are locked.
   */
  held(userId: string): Promise<AccountClaims | undefined>;
  /** The time of the sign-in that started the session; undefined if the session has ended. */
  signedInAt(sessionId: string, now: Date): Promise<Date | undefined>;
}

/** Credentials that other areas issue for accounts. They end together with those of identity. */
export interface IssuedCredentials {
  /** The name of the count in an audit entry, such as "oauth_grants_revoked". */
  readonly what: string;
  /** Revokes all of an account, inside a unit of work that has locked it. @returns how many were revoked. */
  revokeAll(userId: string): Promise<number>;
  /**
   * Revokes what others have granted to things of this user, such as their applications. Called when the user is
   * suspended, inside the unit of work that has locked the account.
   * @returns counts, as members of an audit entry.
   */
  revokeOwned?(userId: string): Promise<Readonly<Record<string, number>>>;
}

/** Restores access to an account, for an operator on the machine: `hexforge admin reset-password NAME`. */
export interface AccountRecovery {
  /**
   * Sets a generated password and ends all sessions and tokens of the account.
   * @param username compared case-insensitively.
   * @throws {NotFound} if the account does not exist.
   */
  resetPassword(username: string): Promise<{ readonly password: string }>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    Users: Users;
    Vouching: Vouching;
  }
  interface OptionalPorts {
    AccountRecovery: AccountRecovery;
    UserGroups: UserGroups;
  }
  interface PluralPorts {
    UserReferences: UserReferences;
    IssuedCredentials: IssuedCredentials;
    ProfileLists: ProfileLists;
  }
}

declarePort('Users', { arity: 'single', component: 'accounts (plugin "identity")', critical: true, absent: 'refuse' });
declarePort('Vouching', {
  arity: 'single',
  component: 'vouching for users (plugin "identity")',
  critical: true,
  absent: 'refuse',
  methods: ['claims', 'held', 'signedInAt'],
});
declarePort('IssuedCredentials', {
  arity: 'plural',
  component: 'credentials issued for accounts',
  critical: true,
  absent: 'degraded',
  methods: ['revokeAll'],
});
declarePort('UserReferences', {
  arity: 'plural',
  component: 'user references',
  critical: false,
  absent: 'degraded',
  methods: ['counts'],
});
declarePort('ProfileLists', {
  arity: 'plural',
  component: 'lists of users’ things',
  critical: false,
  absent: 'degraded',
  methods: ['list'],
});
declarePort('AccountRecovery', {
  arity: 'optional',
  component: 'account recovery (plugin "identity")',
  critical: true,
  absent: 'degraded',
});
declarePort('UserGroups', {
  arity: 'optional',
  component: 'user-group store (plugin "identity")',
  critical: false,
  absent: 'unavailable',
  methods: ['list', 'byId', 'groupsOf'],
});
