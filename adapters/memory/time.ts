// Clocks and id generators: those of the system, and deterministic ones for tests.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Ids } from '#core/kernel/time';

export const systemClock: Clock = { now: () => new Date() };

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  bytes: (length) => new Uint8Array(randomBytes(length)),
};

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  advance(milliseconds: number): void;
  set(instant: Date): void;
}

/** Stands still until it is moved. */
export function fixedClock(start: Date | string): FixedClock {
  let time = new Date(start).getTime();
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds;
    },
    set: (instant) => {
      time = instant.getTime();
    },
  };
}

/**
 * 00000000-0000-4000-8000-000000000001 and so on; bytes follow from how often some were asked for, never the same. Not
 * for secrets.
 */
export function sequentialIds(): Ids {
  let uuids = 0;
  let asked = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${String((uuids += 1)).padStart(12, '0')}`,
    bytes: (outputLength) =>
      new Uint8Array(
        createHash('shake256', { outputLength })
          .update(String((asked += 1)))
          .digest(),
      ),
  };
}
