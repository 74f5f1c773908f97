// Jobs: each run starts after the end of the last, under a lock, until the host stops.
import t, { type Test } from 'tap';
import type { Log } from '#core/kernel/services/log';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import { runJobs } from '#host/contributions/jobs';

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const everySeconds = 0.001;
const patient = { leads: async (): Promise<boolean> => true, limit: 60_000, overdue: () => undefined };

const recordingLocks = () => {
  const names: string[] = [];
  const locks: Locks = {
    exclusive: (name, work) => {
      names.push(name);
      return work();
    },
  };
  return { names, locks };
};

/** The timers of jobs keep no process alive, so a test that waits for them needs another timer. */
function awake(t: Test): void {
  const timer = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(timer));
}

/** A job whose runs end when the test ends them; `started` resolves at the next run. */
const turns = () => {
  const starts: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  return {
    most: () => most,
    started: () => new Promise<void>((resolve) => starts.push(resolve)),
    end: () => waiting.shift()?.(),
    async run(): Promise<void> {
      most = Math.max(most, ++running);
      const ended = new Promise<void>((resolve) => waiting.push(resolve));
      starts.shift()?.();
      await ended;
      running--;
    },
  };
};

void t.test('runs follow each other without overlapping, each under the lock of its job', async (t) => {
  awake(t);
  const { names, locks } = recordingLocks();
  const job = turns();
  const first = job.started();
  const jobs = runJobs([{ plugin: 'a', job: { name: 'sweep', everySeconds, run: () => job.run() } }], {
    locks,
    logOf: () => silent,
    ...patient,
  });
  await first;
  t.strictSame(names, ['job:a:sweep']);
  const second = job.started();
  job.end();
  await second;
  t.equal(job.most(), 1);
  t.strictSame(names, ['job:a:sweep', 'job:a:sweep']);
  const stopped = jobs.stop(1_000);
  job.end();
  await stopped;
});

void t.test('a job that fails is logged for its plugin and runs again', async (t) => {
  awake(t);
  const { locks } = recordingLocks();
  const errors: unknown[] = [];
  const again = Promise.withResolvers<void>();
  let runs = 0;
  const run = async (): Promise<void> => {
    if (++runs === 2) again.resolve();
    throw new Error('no luck');
  };
  const jobs = runJobs([{ plugin: 'a', job: { name: 'sweep', everySeconds, run } }], {
    locks,
    ...patient,
    logOf: (plugin) => ({ ...silent, error: (members, message) => errors.push([plugin, members, message]) }),
  });
  await again.promise;
  await jobs.stop(1_000);
  t.match(errors[0], ['a', { job: 'sweep', err: { message: 'no luck' } }, 'job failed']);
});

void t.test('a stop aborts the current run and waits for it, and no run starts afterwards', async (t) => {
  awake(t);
  const { names, locks } = recordingLocks();
  const started = Promise.withResolvers<void>();
  let ended = false;
  const run = async (signal: AbortSignal): Promise<void> => {
    started.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)));
    ended = true;
  };
  const jobs = runJobs([{ plugin: 'a', job: { name: 'sweep', everySeconds, run } }], {
    locks,
    logOf: () => silent,
    ...patient,
  });
  await started.promise;
  await jobs.stop(1_000);
  t.equal(ended, true);
  t.equal(names.length, 1);
});

void t.test('a job that ignores the abort does not block the stop', async (t) => {
  awake(t);
  const { locks } = recordingLocks();
  const started = Promise.withResolvers<void>();
  const jobs = runJobs(
    [
      {
        plugin: 'a',
        job: {
          name: 'sweep',
          everySeconds,
          run: () => {
            started.resolve();
            return new Promise(() => undefined);
          },
        },
      },
    ],
    { locks, logOf: () => silent, ...patient },
  );
  await started.promise;
  await jobs.stop(10);
  t.pass('the stop ended');
});

void t.test('a process that is not the leader runs no job, and starts once it is the leader', async (t) => {
  awake(t);
  const { names, locks } = recordingLocks();
  let asked = 0;
  const ran = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    t.ok(asked > 5);
    ran.resolve();
  };
  const jobs = runJobs([{ plugin: 'a', job: { name: 'sweep', everySeconds, run } }], {
    locks,
    logOf: () => silent,
    ...patient,
    leads: async () => ++asked > 5,
  });
  await ran.promise;
  await jobs.stop(1_000);
  t.equal(names.length <= asked - 5, true, 'not even the lock is acquired before');
});
