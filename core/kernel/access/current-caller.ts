// The current caller: the key by which shared resources are divided between callers.
import type { Caller } from '../caller.ts';
import { clientNetwork } from '../network.ts';
import { declarePort } from '../ports.ts';

/** The port that returns the caller key of the current asynchronous context. */
export interface CurrentCaller {
  /** The caller key, as `callerKey` builds it; undefined for the server's own work, such as jobs. */
  key(): string | undefined;
  /** Runs `work`, including everything it awaits, with this caller key. */
  run<T>(key: string, work: () => T): T;
}

declare module '../ports.ts' {
  interface Ports {
    CurrentCaller: CurrentCaller;
  }
}

declarePort('CurrentCaller', { arity: 'single', component: 'current caller', critical: false, absent: 'refuse' });

/** The caller key: the account of a user, or the network of an anonymous client. */
export const callerKey = (caller: Caller, address: string): string =>
  caller.kind === 'user' ? userKey(caller.id) : `address:${clientNetwork(address)}`;

/** The caller key of an account whose caller is not yet authenticated, for example from the signature of a token. */
export const userKey = (id: string): string => `user:${id}`;
