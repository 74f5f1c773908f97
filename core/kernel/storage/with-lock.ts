// Waits for a lock with a time limit, because its holder may be a process that died unnoticed.
import { Unavailable } from '../errors.ts';
import type { Locks } from './unit-of-work.ts';

export interface LockWait {
  readonly locks: Pick<Locks, 'exclusive'>;
  /** The name of the lock. */
  readonly name: string;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of the wait in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Builds the error for a wait that times out. Default: a message that suggests to try again. */
  readonly busy?: (cause: unknown) => Unavailable;
}

const usualMs = 20_000;

/**
 * Runs `work` under the lock. @throws {Unavailable} if the lock is not acquired in time; the signal's reason if it
 * aborts.
 */
export function withLock<T>(
  { locks, name, signal, waitMs = usualMs, busy = tooLong }: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(waitMs);
  const waiting = signal === undefined ? over : AbortSignal.any([signal, over]);
  return locks.exclusive(name, work, waiting).catch((error: unknown): never => {
    throw over.aborted && error === over.reason ? busy(error) : error;
  });
}

const tooLong = (cause: unknown): Unavailable =>
  new Unavailable('Another change took too long; nothing was changed', {
    detail: 'Changes of the same thing take turns, and this one did not come; try again',
    cause,
  });
