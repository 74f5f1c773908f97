// The current caller: the key by which shared resources are divided between callers.
import type { Caller } from '../caller.ts';
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

/**
 * The network of an address, by which clients without an account are limited: an IPv4 address itself, and the /64 of an
 * IPv6 address, because a single machine may own a whole /64.
 */
export function clientNetwork(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.toLowerCase().split('::', 2);
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const left = groups(head);
  const right = groups(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return (
    [...left, ...zeros, ...right]
      .slice(0, 4)
      .map((group) => group.replace(/^0+(?=.)/, ''))
      .join(':') + '::/64'
  );
}
