// Makes the port `Bot` of each plugin: calls by the plugin's account, which are metered like the requests of a user.
import { rateLimiter } from '#adapters/http/overload/rate-limiter';
import type { Bot, BotAccount, BotAccounts } from '#core/kernel/access/bots';
import type { Call, User } from '#core/kernel/caller';
import { Forbidden, Unavailable } from '#core/kernel/errors';
import type { Meter, RateBudgets, RateCounter } from '#core/kernel/rate';
import type { Clock, Ids } from '#core/kernel/time';

export interface BotParts {
  readonly accounts: () => BotAccounts;
  readonly budgets: () => RateBudgets | undefined;
  readonly rateCounter: () => RateCounter;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The host's value of the port `Bot`: plugins receive the one that `of` returns for their name. */
export type HostBot = Bot & { readonly of: (plugin: string) => Bot };

const never = new AbortController().signal;

export function hostBot(parts: BotParts): HostBot {
  const of = (plugin: string): Bot => botOf(plugin, parts);
  return { ...of('host'), of };
}

/** The bot of a plugin. */
function botOf(plugin: string, { accounts, budgets, rateCounter, clock, ids }: BotParts): Bot {
  const known = async (): Promise<BotAccount & { readonly suspended: boolean }> => {
    const account = await accounts().of(plugin);
    if (account !== undefined) return account;
    throw new Unavailable(`The account of the bot of plugin "${plugin}" was deleted`, {
      detail: 'The next start of the server creates it again, without rights',
    });
  };
  const charge = async (caller: User, meter: Exclude<Meter, 'none'>): Promise<void> => {
    const limiter = rateLimiter({ rateCounter: rateCounter(), budgets: budgets() });
    const request = { caller, ip: '', now: clock.now(), method: 'BOT', path: plugin };
    const { refusal } = (await limiter.take(meter, request)) ?? {};
    if (refusal !== undefined) throw refusal;
  };
  const made = async (requestId: string, signal: AbortSignal): Promise<Call<User>> => {
    const { id, username, suspended } = await known();
    if (suspended)
      throw new Forbidden(`The bot "${username}" is suspended`, {
        code: 'account_suspended',
        detail: 'Ask an administrator of this instance',
      });
    const credential = { kind: 'bot', id: plugin, scopes: 'all', via: 'bearer' } as const;
    const caller: User = { kind: 'user', id, username, isAdmin: false, credential };
    return {
      caller,
      requestId,
      ip: '',
      userAgent: '',
      signal,
      now: clock.now(),
      renew: () => made(requestId, signal),
      charge: (meter) => charge(caller, meter),
    };
  };
  return {
    async account() {
      const { id, username } = await known();
      return { id, username };
    },
    call: (signal = never) => made(ids.uuid(), signal),
  };
}
