// Implements the port `BotAccounts`: accounts of plugins, which have no password.
import type { BotAccounts } from '#core/kernel/access/bots';
import { Duplicate } from '#core/kernel/errors';
import { systemEntry, whereKept } from '#core/kernel/services/audit';
import { profileLimits, type Account } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import type { IdentityParts } from '../model/parts.ts';
import { noPassword } from '../model/password.ts';
import { userEvent } from '../model/user-event.ts';
import { botName } from '../model/username.ts';

/** RFC 2606, section 2: a domain that never exists. */
const noDomain = 'bots.invalid';

export function botAccounts(
  parts: Pick<IdentityParts, 'accounts' | 'audit' | 'events' | 'unitOfWork' | 'clock' | 'ids'>,
): BotAccounts {
  const { accounts, events, unitOfWork, clock, ids } = parts;
  const audit = whereKept(parts.audit);

  const of: BotAccounts['of'] = async (plugin) => {
    const account = await accounts.byUsername(botName(plugin));
    return account && { id: account.id, username: account.username, suspended: account.status === 'suspended' };
  };

  const insert = (plugin: string): Promise<void> =>
    unitOfWork.run(async () => {
      const id = ids.uuid();
      const username = botName(plugin);
      const account: Account = {
        id,
        username,
        // Random, so that no other account can have taken the address before.
        email: `${id}@${noDomain}`,
        displayName: plugin.slice(0, profileLimits.displayName),
        bio: '',
        avatarUrl: '',
        isAdmin: false,
        status: 'active',
        approval: undefined,
        emailVerified: false,
        createdAt: clock.now(),
        lastActiveAt: undefined,
      };
      await accounts.insert(account, noPassword);
      await audit.append(systemEntry(clock.now(), 'user.created', userAggregate(id), { username, bot_of: plugin }));
      await events.emit(userEvent('user.created', { userId: id, username }, undefined));
    });

  return {
    async ensure(plugin) {
      if ((await of(plugin)) !== undefined) return;
      try {
        await insert(plugin);
      } catch (error) {
        // Another process has created it meanwhile.
        if (!(error instanceof Duplicate)) throw error;
      }
    },
    of,
  } satisfies BotAccounts;
}
