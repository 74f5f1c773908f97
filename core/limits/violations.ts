// Use cases that read violations, one page or all, and delete old ones.
import type { Call, User } from '#core/kernel/caller';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import type { LimitParts } from './parts.ts';
import type { Violation } from './ports.ts';
import type { ViolationRecorder } from './violation-recorder.ts';

/** How many violations are kept, and for how many days. */
export const violationsKept = { count: 10_000, days: 30 } as const;
const batch = 500;

export function violationUseCases({ violations, clock, unitOfWork }: LimitParts, recorder: ViolationRecorder) {
  return {
    /** Newest first. */
    async list(_call: Call<User>, page: PageRequest): Promise<Page<Violation>> {
      await recorder.settled();
      const { violations: items, total } = await violations.list({ limit: page.perPage, offset: offsetOf(page) });
      return { ...page, items, total };
    },

    /** All stored violations, newest first. */
    async *all(_call: Call<User>): AsyncGenerator<Violation> {
      await recorder.settled();
      let last: Violation | undefined;
      for (let told = 0; told < violationsKept.count;) {
        const some = await violations.after(last, Math.min(batch, violationsKept.count - told));
        yield* some;
        told += some.length;
        last = some.at(-1);
        if (some.length < batch) return;
      }
    },

    async prune(): Promise<void> {
      const before = new Date(clock.now().getTime() - violationsKept.days * 86_400_000);
      await unitOfWork.run(() => violations.prune(before, violationsKept.count));
    },
  };
}
