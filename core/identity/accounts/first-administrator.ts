// Creates the first administrator when an instance starts without any account.
import { systemEntry } from '#core/kernel/services/audit';
import { createAccount } from './new-account.ts';
import { userAggregate } from '../model/events.ts';
import type { IdentityParts } from '../model/parts.ts';
import { generatePassword } from '../model/password.ts';

export interface Administrator {
  readonly username: string;
  readonly password: string | undefined;
}

/**
 * Creates an instance administrator if there is no account. If several processes start at the same time, one creates
 * it.
 * @returns the username, and the password if it was generated; undefined if an account existed.
 */
export async function firstAdministrator(
  parts: IdentityParts,
  { username, password }: Administrator,
): Promise<Administrator | undefined> {
  const { accounts, locks, clock, ids } = parts;
  if (await accounts.any()) return undefined;
  return locks.exclusive('identity.first-administrator', async () => {
    if (await accounts.any()) return undefined;
    const generated = password === undefined ? generatePassword(ids) : undefined;
    await createAccount(
      parts,
      {
        username,
        email: `${username}@localhost`,
        displayName: '',
        isAdmin: true,
        isFirst: true,
        approval: undefined,
        emailVerified: true,
        password: password ?? generated ?? '',
      },
      (id) => {
        const details = { username, is_admin: true, first_administrator: true };
        return systemEntry(clock.now(), 'user.created', userAggregate(id), details);
      },
    );
    return { username, password: generated };
  });
}
