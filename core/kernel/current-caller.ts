// The current caller: on whose behalf the present work is done, for what is shared fairly between callers.
import type { Caller } from './caller.ts';
import { clientNetwork } from './network.ts';
import { declarePort } from './ports.ts';

/** The port that tells on whose behalf the present work is done. */
export interface CurrentCaller {
  /** As `callerKey` says it; undefined for the server's own work, such as jobs and upkeep. */
  key(): string | undefined;
  /** Does `work`, and whatever it awaits, on behalf of `key`. */
  run<T>(key: string, work: () => T): T;
}

declare module './ports.ts' {
  interface Ports {
    CurrentCaller: CurrentCaller;
  }
}

declarePort('CurrentCaller', { arity: 'single', component: 'current caller', critical: false, absent: 'refuse' });

/** Whose share of something is taken: the account's, or that of the network an anonymous client comes from. */
export const callerKey = (caller: Caller, address: string): string =>
  caller.kind === 'user' ? userKey(caller.id) : `address:${clientNetwork(address)}`;

/** The key of an account that is known before its caller is, as from the signature of a token. */
export const userKey = (id: string): string => `user:${id}`;
