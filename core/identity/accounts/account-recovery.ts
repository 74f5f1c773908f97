// Implements the port `AccountRecovery`: an operator resets a lost password on the machine.
import { systemEntry } from '#core/kernel/services/audit';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { NotFound } from '#core/kernel/errors';
import type { Clock, Ids } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { userAggregate } from '../model/events.ts';
import type { AccountRecovery } from '../model/offers.ts';
import { generatePassword } from '../model/password.ts';
import type { AccountStore } from '../model/ports.ts';
import { revokeCredentials } from './revocation.ts';
import type { RevocationParts } from './revocation.ts';
import { isUsername } from '../model/username.ts';

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
      const resource = userAggregate(account.id);
      await unitOfWork.run(async () => {
        if ((await accounts.lock(account.id)) === undefined) throw new NotFound(`There is no account "${username}"`);
        await accounts.update(account.id, { passwordHash, lastActiveAt: clock.now() });
        await audit.append(systemEntry(clock.now(), 'user.password_reset', resource, { username: account.username }));
        await revoke(account.id, (ended) => systemEntry(clock.now(), 'user.tokens_revoked', resource, ended));
      });
      return { password };
    },
  } satisfies AccountRecovery;
}
