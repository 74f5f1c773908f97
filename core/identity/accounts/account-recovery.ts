// Implements the port `AccountRecovery`: an operator resets a lost password on the machine.
import { systemEntry } from '#core/kernel/services/audit';
import { found } from '#core/kernel/errors';
import { checkPerson } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import type { AccountRecovery } from '../model/offers.ts';
import type { IdentityParts } from '../model/parts.ts';
import { generatePassword } from '../model/password.ts';
import { revokeCredentials } from './revocation.ts';
import { isUsername } from '../model/username.ts';

export function accountRecovery(parts: IdentityParts): AccountRecovery {
  const { accounts, passwordHasher, audit, unitOfWork, clock, ids } = parts;
  return {
    async resetPassword(name) {
      const missing = `There is no account "${name}"`;
      const { id, username } = found(isUsername(name) ? await accounts.byUsername(name) : undefined, missing);
      const password = generatePassword(ids);
      const passwordHash = await passwordHasher.hash(password);
      const resource = userAggregate(id);
      await unitOfWork.run(async () => {
        checkPerson(found(await accounts.lock(id), missing).account, 'A bot has no password');
        await accounts.update(id, { passwordHash, lastActiveAt: clock.now() });
        await audit.append(systemEntry(clock.now(), 'user.password_reset', resource, { username }));
        await revokeCredentials(parts, id, (ended) => systemEntry(clock.now(), 'user.tokens_revoked', resource, ended));
      });
      return { password };
    },
  };
}
