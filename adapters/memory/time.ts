// A clock and an id generator for tests, which give the same values in every run.
import { createHash } from 'node:crypto';
import type { Clock, Ids } from '#core/kernel/time';

/** A clock that only moves when a test moves it. */
export interface FixedClock extends Clock {
  advance(milliseconds: number): void;
  set(instant: Date): void;
}

/** Creates a clock that starts at `start` and does not advance by itself. */
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
 * Generates 00000000-0000-4000-8000-000000000001 and so on. Bytes are derived from a counter, so each call differs. Not
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
