// Removal of many rows: some in each unit of work, so that none holds its rows and its connection for minutes.
import type { UnitOfWork } from './unit-of-work.ts';

/** Rows that one statement removes. */
const batch = 10_000;

/**
 * Repeats the removal until there is nothing left for it, each time in a unit of work of its own.
 * @param remove takes up to so many rows of each kind. @returns how many it took.
 */
export async function inBatches(unitOfWork: UnitOfWork, remove: (most: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await unitOfWork.run(() => remove(batch));
    total += removed;
    if (removed < batch) return total;
  }
}
