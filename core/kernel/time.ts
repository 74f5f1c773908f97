// The ports of the clock and the id generator, because `core/` must not use these globals.
import { declarePort } from './ports.ts';

/** The port that returns the current time. */
export interface Clock {
  now(): Date;
}

/** The port that generates ids and random bytes. */
export interface Ids {
  /** A random uuid (RFC 9562, version 4). */
  uuid(): string;
  /** Cryptographically random bytes. */
  bytes(length: number): Uint8Array;
}

declare module './ports.ts' {
  interface Ports {
    Clock: Clock;
    Ids: Ids;
  }
}

declarePort('Clock', { arity: 'single', component: 'clock', critical: true, absent: 'refuse' });
declarePort('Ids', { arity: 'single', component: 'id source', critical: true, absent: 'refuse' });
