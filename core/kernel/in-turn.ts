// Waiting for a lock no longer than a time: who holds it may be a process that nobody has missed yet.
import { Unavailable } from './errors.ts';
import type { Locks } from './unit-of-work.ts';

export interface Turn {
  readonly locks: Pick<Locks, 'exclusive'>;
  /** Of the lock. */
  readonly name: string;
  /** Who waits does so no longer than this lives. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly waitMs?: number | undefined;
  /** What is told of a turn that did not come. Default: that it is worth trying again. */
  readonly busy?: (cause: unknown) => Unavailable;
}

const usualMs = 20_000;

/** Runs `work` as `Locks` does. @throws {Unavailable} where its turn does not come in time; the signal's reason. */
export function inTurn<T>(
  { locks, name, signal, waitMs = usualMs, busy = tooLong }: Turn,
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
