// The port `AccountRecovery`: an operator at the machine resets a lost password.
import type { PasswordHasher } from '#core/kernel/credentials';
import { NotFound } from '#core/kernel/errors';
import type { Clock, Ids } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/unit-of-work';
import type { AccountRecovery } from './offers.ts';
import { generatePassword } from './password.ts';
import type { AccountStore } from './ports.ts';
import { revokeCredentials } from './revocation.ts';
import type { RevocationParts } from './revocation.ts';
import { systemEntry } from './system-entry.ts';
import { isUsername } from './username.ts';

export interface RecoveryParts extends RevocationParts {
  readonly accounts: AccountStore;
  readonly passwordHasher: PasswordHasher;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function accountRecovery(parts: RecoveryParts): AccountRecovery {
  const { accounts, passwordHasher, audit, unitOfWork, clock, ids } = parts;
  const revoke = revokeCredentials(parts);
  return {
    async resetPassword(username) {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      if (account === undefined) throw new NotFound(`There is no account "${username}"`);
      const password = generatePassword(ids);
      const passwordHash = await passwordHasher.hash(password);
      await unitOfWork.run(async () => {
        if ((await accounts.lock(account.id)) === undefined) throw new NotFound(`There is no account "${username}"`);
        await accounts.update(account.id, { passwordHash, lastActiveAt: clock.now() });
        await audit.append(systemEntry(clock, 'user.password_reset', account.id, { username: account.username }));
        await revoke(account.id, (ended) => systemEntry(clock, 'user.tokens_revoked', account.id, ended));
      });
      return { password };
    },
  } satisfies AccountRecovery;
}
