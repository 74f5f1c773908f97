// The account of a plugin, by which it acts in the forge: its bot.
import type { Call, User } from '../caller.ts';
import { declarePort } from '../ports.ts';

/** The account of a bot. */
export interface BotAccount {
  readonly id: string;
  /** The name of the plugin and `[bot]`, such as `first-look[bot]`. No person can have such a name. */
  readonly username: string;
}

/**
 * The account of the plugin that needs this port. It has no password and cannot sign in. The operator grants it rights
 * like those of a collaborator, and suspends it like any account.
 */
export interface Bot {
  /** @throws {Unavailable} if the account was deleted; the next start creates it again. */
  account(): Promise<BotAccount>;
  /**
   * A call by the bot, for ports and for `AccessDecision`. Its `renew` reads the account again.
   * @param signal ends the work. Default: it is never aborted.
   * @throws {Forbidden} `account_suspended`. @throws {Unavailable} if the account was deleted.
   */
  call(signal?: AbortSignal): Promise<Call<User>>;
}

/** Stores the accounts of bots, one for each plugin. Provided by the plugin that stores accounts. */
export interface BotAccounts {
  /** Creates the account if the plugin has none. Several processes may call it at the same time. */
  ensure(plugin: string): Promise<void>;
  /** Undefined if the plugin has none. */
  of(plugin: string): Promise<(BotAccount & { readonly suspended: boolean }) | undefined>;
}

declare module '../ports.ts' {
  interface Ports {
    Bot: Bot;
    BotAccounts: BotAccounts;
  }
}

declarePort('Bot', { arity: 'single', component: 'bot', critical: true, absent: 'refuse' });
declarePort('BotAccounts', {
  arity: 'single',
  component: 'accounts of bots (plugin "identity")',
  critical: true,
  absent: 'refuse',
  methods: ['ensure', 'of'],
});
