// Records requests rejected by a rate limit: once per subject, scope and window, in batches and with a maximum rate, so
// that a flood of rejected requests does not cause a flood of writes.
import { Lru } from '#core/kernel/limits/lru';
import type { RateRefusal } from '#core/kernel/rate';
import { windowStart } from '#core/kernel/limits/memory-rate-counter';
import type { LimitParts } from './parts.ts';
import type { Violation } from './ports.ts';

/** Maximum number of violations that one process records in a minute. Further rejected requests are not recorded. */
const mostPerMinute = 600;
const batch = 200;
const subjectsKept = 10_000;
/** Maximum length of a path in UTF-16 code units. */
const longestPath = 500;

export type ViolationRecorder = ReturnType<typeof violationRecorder>;

export function violationRecorder({ violations, ids, log, unitOfWork }: LimitParts) {
  const seen = new Lru<true>(subjectsKept);
  const pending: Violation[] = [];
  let writing: Promise<void> | undefined;
  let minute = { number: 0, recorded: 0 };

  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      const some = pending.splice(0, batch);
      try {
        await unitOfWork.run(() => violations.add(some));
      } catch (error) {
        log.warn({ err: error, violations: some.length }, 'refused requests could not be recorded');
      }
    }
    writing = undefined;
  };

  return {
    /** Returns at once and never throws. */
    record({ windowSeconds, path, at, ...refusal }: RateRefusal): void {
      const began = windowStart({ limit: 0, windowSeconds, window: 'fixed' }, at.getTime());
      const key = `${refusal.subject} ${refusal.scope} ${began}`;
      const number = Math.floor(at.getTime() / 60_000);
      if (minute.number !== number) minute = { number, recorded: 0 };
      if (minute.recorded >= mostPerMinute || seen.get(key) === true) return;
      seen.set(key, true);
      minute.recorded += 1;
      const violation = { ...refusal, id: ids.uuid(), at, windowStart: new Date(began) };
      pending.push({ ...violation, path: path.slice(0, longestPath) });
      writing ??= write();
    },
    /** Resolves when all violations recorded so far have been written, or dropped after an error. */
    settled: (): Promise<void> => writing ?? Promise.resolve(),
  };
}
