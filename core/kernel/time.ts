// The clock and the generator of ids: the two globals core may not reach for.
import { declarePort } from './ports.ts';

/** The port that tells the time. */
export interface Clock {
  now(): Date;
}

/** The port that makes ids and random bytes. */
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
