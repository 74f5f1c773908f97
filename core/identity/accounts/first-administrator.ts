// Creates the first administrator when an instance starts without any account.
import { systemEntry } from '#core/kernel/services/audit';
import type { Clock, Ids } from '#core/kernel/time';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import type { CreateAccount } from './new-account.ts';
import { userAggregate } from '../model/events.ts';
import { generatePassword } from '../model/password.ts';
import type { AccountStore } from '../model/ports.ts';

export interface FirstAdministratorParts {
  readonly accounts: AccountStore;
  readonly create: CreateAccount;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Creates an instance administrator if there is no account. If several processes start at the same time, one creates
 * it.
 * @returns the username, and the password if it was generated; undefined if an account existed.
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
