// The ports this area offers to others; its plugin provides them.
import { declarePort } from '#core/kernel/ports';
import type { UserGroup } from './user-group.ts';

/** Of an account, what everybody may know. */
export interface PublicUser {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string;
}

/** The port by which others find accounts. */
export interface Users {
  /** By name, case-insensitively. Suspended users are found too: their things stay. */
  byUsername(username: string): Promise<PublicUser | undefined>;
  /** One query for all; unknown ids are missing from the map. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, PublicUser>>;
  /** The address of an account, which is nobody's to know but its owner's; '' of one that is gone. */
  email(id: string): Promise<string>;
  /** Of these, the administrators of the instance; one query. */
  administrators(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Says what else refers to users, so that deleting one can be refused with a reason. */
export interface UserReferences {
  /** In words: "repositories", "issues". */
  readonly what: string;
  /** How many refer to each of these users; users with none may be missing. */
  counts(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Who is in which user group: budgets and reviews hang on them. */
export interface UserGroups {
  /** All of an instance, few: the seeded ones (`seededGroups`) first, then by name. */
  list(): Promise<readonly UserGroup[]>;
  byId(id: string): Promise<UserGroup | undefined>;
  /**
   * Of one user, the seeded ones that follow from their account first; none for an id that is no user's. One query:
   * who asks on every request keeps the answer until `user_group.member_added`, `user_group.member_removed`,
   * `user_group.deleted` or `user.updated` tells that it changed.
   */
  groupsOf(userId: string): Promise<readonly UserGroup[]>;
}

/** Of an account, what its holder may let an application know. */
export interface AccountClaims extends PublicUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly updatedAt: Date;
}

/** The port by which whoever issues credentials of its own for accounts asks for them. */
export interface Vouching {
  /** Undefined where the account is gone or its holder may not sign in. */
  claims(userId: string): Promise<AccountClaims | undefined>;
  /**
   * The same, held until the unit of work ends: whoever ends the account's credentials waits until then, or is waited
   * for. Held before anything else is.
   */
  held(userId: string): Promise<AccountClaims | undefined>;
  /** When the session began, by a sign-in; undefined where it has ended. */
  signedInAt(sessionId: string, now: Date): Promise<Date | undefined>;
}

/** Credentials that others have issued for accounts, which end with those of identity. */
export interface IssuedCredentials {
  /** What they are, as a member of an audit entry: "oauth_grants_revoked". */
  readonly what: string;
  /** Ends all of the account, inside the unit of work that holds it. @returns how many. */
  revokeAll(userId: string): Promise<number>;
}

/** Lets an operator at the machine back into an account: `hexforge admin reset-password NAME`. */
export interface AccountRecovery {
  /**
   * Sets a generated password and ends every session and token of the account.
   * @param username compared case-insensitively.
   * @throws {NotFound} where there is no such account.
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
