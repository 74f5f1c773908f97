// Deletes many rows in several units of work, so that none holds row locks and a connection for minutes.
import type { UnitOfWork } from './unit-of-work.ts';

/** Rows per batch. */
const batch = 10_000;

/**
 * Repeats the removal until no rows are left, each time in a separate unit of work.
 * @param remove removes up to this many rows and returns how many it removed.
 * @returns the total.
 */
export async function inBatches(unitOfWork: UnitOfWork, remove: (most: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await unitOfWork.run(() => remove(batch));
    total += removed;
    if (removed < batch) return total;
  }
}
