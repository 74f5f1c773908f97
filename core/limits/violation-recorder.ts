// Records requests rejected by a rate limit: once per subject, scope and window, in batches and with a maximum rate, so
// that a flood of rejected requests does not cause a flood of writes.
import type { Log } from '#core/kernel/services/log';
import { Lru } from '#core/kernel/limits/lru';
import type { RateRefusal } from '#core/kernel/rate';
import { windowStart } from '#core/kernel/limits/memory-rate-counter';
import type { Ids } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Violation, ViolationStore } from './ports.ts';

/** Maximum number of violations that one process records in a minute. Further rejected requests are not recorded. */
const mostPerMinute = 600;
const batch = 200;
const subjectsKept = 10_000;
/** Maximum length of a path in UTF-16 code units. */
const longestPath = 500;

export interface ViolationRecorder {
  /** Returns at once and never throws. */
  record(refusal: RateRefusal): void;
  /** Resolves when all violations recorded so far have been written, or dropped after an error. */
  settled(): Promise<void>;
}

export function violationRecorder({
  store,
  ids,
  log,
  unitOfWork,
}: {
  readonly store: ViolationStore;
  readonly ids: Ids;
  readonly log: Log;
  readonly unitOfWork: UnitOfWork;
}): ViolationRecorder {
  const seen = new Lru<true>(subjectsKept);
  const pending: Violation[] = [];
  let writing: Promise<void> | undefined;
  let minute = { number: 0, recorded: 0 };

  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      const some = pending.splice(0, batch);
      try {
        await unitOfWork.run(() => store.add(some));
      } catch (error) {
        log.warn({ err: error, violations: some.length }, 'refused requests could not be recorded');
      }
    }
    writing = undefined;
  };

  return {
    record({ windowSeconds, path, at, ...refusal }) {
      const began = windowStart({ limit: 0, windowSeconds, window: 'fixed' }, at.getTime());
      const key = `${refusal.subject} ${refusal.scope} ${began}`;
      const number = Math.floor(at.getTime() / 60_000);
      if (minute.number !== number) minute = { number, recorded: 0 };
      if (minute.recorded >= mostPerMinute || seen.get(key) === true) return;
      seen.set(key, true);
      minute.recorded += 1;
      pending.push({
        ...refusal,
        id: ids.uuid(),
        at,
        path: path.slice(0, longestPath),
        windowStart: new Date(began),
      });
      writing ??= write();
    },
    settled: () => writing ?? Promise.resolve(),
  };
}
