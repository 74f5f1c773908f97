// Named locks: a mutex with fair queuing inside one process, session-level advisory locks between processes.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { FairMutex } from '#core/kernel/limits/fair-limiter';
import type { Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Session } from '../connection/session.ts';

/**
 * A lock between processes, by name. The embedded database needs no such lock, because only one process has it open.
 */
export interface ProcessLock {
  /** @throws the signal's reason, if it is aborted first. */
  acquire(name: string, signal?: AbortSignal): Promise<() => Promise<void>>;
}

export const noProcessLock: ProcessLock = { acquire: async () => async () => undefined };

export function locks(unitOfWork: UnitOfWork, processLock: ProcessLock, caller?: () => string | undefined): Locks {
  const mutex = new FairMutex(caller);
  const held = new AsyncLocalStorage<ReadonlySet<string>>();
  return {
    async exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (unitOfWork.active)
        throw new Error(`the lock "${name}" was asked for inside a unit of work: take the lock first`);
      const mine = held.getStore() ?? new Set<string>();
      if (mine.has(name)) throw new Error(`the lock "${name}" is held already by the same call`);
      const alone = async (): Promise<T> => {
        const release = await processLock.acquire(name, signal);
        try {
          return await held.run(new Set([...mine, name]), work);
        } finally {
          await release();
        }
      };
      return mutex.run(name, alone, signal);
    },
  };
}

/**
 * Advisory locks on one shared session: a session can have any number of them, and a try that does not wait never
 * blocks the others. If the session breaks, its locks are lost; the guarded changes therefore also compare before they
 * swap.
 */
export function advisoryLock(session: Session): ProcessLock {
  return {
    async acquire(name, signal) {
      for (let wait = 5; ; wait = Math.min(100, wait * 2)) {
        signal?.throwIfAborted();
        const [row] = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name]);
        if (row?.['taken'] === true) break;
        await pause(wait);
      }
      const { generation } = session;
      return async () => {
        if (session.generation !== generation) return;
        await session.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => undefined);
      };
    },
  };
}
