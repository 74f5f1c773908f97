// Locks by name: between calls of one process in its memory, between processes as advisory locks of the one session.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Turns } from '#core/kernel/turns';
import type { Locks, UnitOfWork } from '#core/kernel/unit-of-work';
import type { Session } from './session.ts';

/** What keeps other processes out. The embedded database has none. */
export interface Fence {
  take(name: string): Promise<() => Promise<void>>;
}

export const noFence: Fence = { take: async () => async () => undefined };

export function locks(unitOfWork: UnitOfWork, fence: Fence): Locks {
  const turns = new Turns();
  const held = new AsyncLocalStorage<ReadonlySet<string>>();
  return {
    async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
      if (unitOfWork.active)
        throw new Error(`the lock "${name}" was asked for inside a unit of work: take the lock first`);
      const mine = held.getStore() ?? new Set<string>();
      if (mine.has(name)) throw new Error(`the lock "${name}" is held already by the same call`);
      return turns.run(name, async () => {
        const letGo = await fence.take(name);
        try {
          return await held.run(new Set([...mine, name]), work);
        } finally {
          await letGo();
        }
      });
    },
  };
}

/**
 * Advisory locks on one shared session: a session can hold any number, and asking without waiting never blocks the
 * others.
 * Where the session breaks the lock is lost with it; what is guarded also compares before it swaps.
 */
export function advisoryFence(session: Session): Fence {
  return {
    async take(name) {
      for (let wait = 5; ; wait = Math.min(100, wait * 2)) {
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

/** An office that one process holds until its session ends; others ask again and again. */
export function office(session: Session, name: string): () => Promise<boolean> {
  let heldIn = 0;
  return async () => {
    if (heldIn !== 0 && heldIn === session.generation) return true;
    heldIn = 0;
    const [row] = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name]);
    if (row?.['taken'] === true) heldIn = session.generation;
    return heldIn !== 0;
  };
}
