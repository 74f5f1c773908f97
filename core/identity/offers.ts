// The ports this area offers to others; its plugin provides them.
import { declarePort } from '#core/kernel/ports';

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
  }
  interface OptionalPorts {
    AccountRecovery: AccountRecovery;
  }
  interface PluralPorts {
    UserReferences: UserReferences;
  }
}

declarePort('Users', { arity: 'single', component: 'accounts (plugin "identity")', critical: true, absent: 'refuse' });
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
