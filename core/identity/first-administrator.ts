// The first administrator of an instance, created when it starts without any account.
import { systemEntry } from '#core/kernel/audit';
import type { Clock, Ids } from '#core/kernel/time';
import type { Locks } from '#core/kernel/unit-of-work';
import type { CreateAccount } from './new-account.ts';
import { userAggregate } from './events.ts';
import { generatePassword } from './password.ts';
import type { AccountStore } from './ports.ts';

export interface FirstAdministratorParts {
  readonly accounts: AccountStore;
  readonly create: CreateAccount;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Creates the super-admin of an instance that has no account yet; of several processes that start together one does.
 * @returns the account's name, and its password where it was generated; undefined where there was an account.
 */
export function firstAdministrator({ accounts, create, locks, clock, ids }: FirstAdministratorParts) {
  return async (wanted: {
    readonly username: string;
    readonly password: string | undefined;
  }): Promise<{ readonly username: string; readonly password: string | undefined } | undefined> => {
    if (await accounts.any()) return undefined;
    return locks.exclusive('identity.first-administrator', async () => {
      if (await accounts.any()) return undefined;
      const { username } = wanted;
      const generated = wanted.password === undefined ? generatePassword(ids) : undefined;
      await create(
        {
          username,
          email: `${username}@localhost`,
          displayName: '',
          isAdmin: true,
          approval: undefined,
          emailVerified: true,
          password: wanted.password ?? generated ?? '',
        },
        (id) =>
          systemEntry(clock.now(), 'user.created', userAggregate(id), {
            username,
            is_admin: true,
            first_administrator: true,
          }),
      );
      return { username, password: generated };
    });
  };
}
