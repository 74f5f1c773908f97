// Scheduled jobs: each runs on a timer, on one of several processes. The interval counts from the end of the last run.
import type { Log } from '#core/kernel/services/log';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import { within } from '../problems/deadline.ts';
import type { Job } from '../plugin/definition.ts';

export interface OwnedJob {
  readonly plugin: string;
  readonly job: Job;
}

export interface RunningJobs {
  /** Aborts running jobs and waits for them, at most this long. */
  stop(milliseconds: number): Promise<void>;
}

export interface JobsOptions {
  readonly locks: Locks;
  /** Whether this process is the leader; called before each run. */
  readonly leads: () => Promise<boolean>;
  readonly logOf: (plugin: string) => Log;
  /** The time limit of one run in milliseconds. */
  readonly limit: number;
  /** Called with a message when a run exceeds the limit, and with undefined when that run has ended. */
  readonly overdue: (owned: OwnedJob, sentence: string | undefined) => void;
}

export function runJobs(jobs: readonly OwnedJob[], { locks, leads, logOf, limit, overdue }: JobsOptions): RunningJobs {
  const controller = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  const schedule = (owned: OwnedJob): void => {
    if (controller.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const run = once(owned).then(() => {
        running.delete(run);
        schedule(owned);
      });
      running.add(run);
    }, owned.job.everySeconds * 1000);
    timers.add(timer.unref());
  };

  /** A run that ignores its abort signal only delays its own next run, because each job has its own lock. */
  const timed = async (owned: OwnedJob): Promise<void> => {
    const { plugin, job } = owned;
    const late = new AbortController();
    const timer = setTimeout(() => {
      const sentence = `The job "${job.name}" took longer than ${limit / 1000} s`;
      late.abort(new Error(sentence));
      logOf(plugin).error({ plugin, job: job.name, seconds: limit / 1000 }, 'job took too long and was told to end');
      overdue(owned, sentence);
    }, limit).unref();
    try {
      await job.run(AbortSignal.any([controller.signal, late.signal]));
    } finally {
      clearTimeout(timer);
      if (late.signal.aborted) overdue(owned, undefined);
    }
  };

  const once = async (owned: OwnedJob): Promise<void> => {
    const { plugin, job } = owned;
    try {
      if (!(await leads())) return;
      // The lead can pass to another process during a run, so each run also takes a lock.
      await locks.exclusive(`job:${plugin}:${job.name}`, async () => {
        // The lock may have taken long, and the server may be stopping now.
        if (!controller.signal.aborted) await timed(owned);
      });
    } catch (error) {
      if (!controller.signal.aborted) logOf(plugin).error({ plugin, job: job.name, err: error }, 'job failed');
    }
  };

  for (const owned of jobs) schedule(owned);
  return {
    async stop(milliseconds) {
      controller.abort();
      for (const timer of timers) clearTimeout(timer);
      await within(milliseconds, 'The running jobs', () => Promise.all(running)).catch(() => undefined);
    },
  };
}
