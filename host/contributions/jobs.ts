// Scheduled jobs: each on a timer, on one process of many; the next run is counted from the end of the last.
import type { Log } from '#core/kernel/log';
import type { Locks } from '#core/kernel/unit-of-work';
import { within } from '../deadline.ts';
import type { Job } from '../definition.ts';

export interface OwnedJob {
  readonly plugin: string;
  readonly job: Job;
}

export interface RunningJobs {
  /** Aborts what runs and waits for it, at most so long. */
  stop(milliseconds: number): Promise<void>;
}

export function runJobs(
  jobs: readonly OwnedJob[],
  {
    locks,
    leads,
    logOf,
  }: {
    readonly locks: Locks;
    /** Whether this process is the one that runs them; asked before each run. */
    readonly leads: () => Promise<boolean>;
    readonly logOf: (plugin: string) => Log;
  },
): RunningJobs {
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

  const once = async ({ plugin, job }: OwnedJob): Promise<void> => {
    try {
      if (!(await leads())) return;
      // The lead may be another's while a run of this process lasts.
      await locks.exclusive(`job:${plugin}:${job.name}`, async () => {
        // Another process may have held the lock for long: the server may be stopping by now.
        if (!controller.signal.aborted) await job.run(controller.signal);
      });
    } catch (error) {
      if (!controller.signal.aborted) logOf(plugin).error({ job: job.name, err: error }, 'job failed');
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
