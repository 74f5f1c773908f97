// Runs the jobs and probes of a test host on demand, and moves its clock over the times at which jobs are due.
import type { FixedClock } from '#adapters/memory/index';
import type { Job, Probe } from '#host/plugin/definition';
import type { Life } from '#host/plugin/life';

/** The most runs of jobs in one move of the clock. */
const mostRuns = 10_000;

export interface ScheduledParts {
  readonly lives: readonly Life[];
  readonly clock: FixedClock;
  /** The plugins whose jobs follow the clock. */
  readonly tested: ReadonlySet<string>;
}

export class Scheduled {
  readonly #parts: ScheduledParts;
  /** When each job runs next, in milliseconds. A job is due for the first time one interval after the start. */
  readonly #due: Map<Job, number>;

  constructor(parts: ScheduledParts) {
    this.#parts = parts;
    const began = parts.clock.now().getTime();
    const jobs = parts.lives.filter(({ name }) => parts.tested.has(name)).flatMap(({ made }) => made?.jobs ?? []);
    this.#due = new Map(jobs.map((job) => [job, began + job.everySeconds * 1000]));
  }

  /** Runs a job once. @throws {Error} if the plugin has no such job, and what the job throws. */
  async runJob(plugin: string, name: string): Promise<void> {
    await this.#one<Job>('job', plugin, name, ({ made }) => made?.jobs).run(new AbortController().signal);
  }

  /** @returns the problem, or undefined. @throws {Error} if the plugin has no such probe, and what the probe throws. */
  async probe(plugin: string, name: string): Promise<string | undefined> {
    return this.#one<Probe>('probe', plugin, name, ({ made }) => made?.probes).check();
  }

  /**
   * Moves the clock, and runs each job at each time at which it is due, one after the other. @throws {RangeError} for
   * more than 10,000 runs, and what a job throws.
   */
  async advance(milliseconds: number): Promise<void> {
    const { clock } = this.#parts;
    const end = clock.now().getTime() + milliseconds;
    for (let runs = 0; ; runs += 1) {
      const [next] = [...this.#due].sort(([, a], [, b]) => a - b);
      if (next === undefined || next[1] > end) break;
      if (runs === mostRuns) throw new RangeError(`the jobs are due more than ${mostRuns} times in ${milliseconds} ms`);
      const [job, at] = next;
      // The test may have moved the clock past this time itself.
      clock.set(new Date(Math.max(at, clock.now().getTime())));
      this.#due.set(job, clock.now().getTime() + job.everySeconds * 1000);
      await job.run(new AbortController().signal);
    }
    clock.set(new Date(Math.max(end, clock.now().getTime())));
  }

  #one<T extends { readonly name: string }>(
    what: string,
    plugin: string,
    name: string,
    listed: (life: Life) => readonly T[] | undefined,
  ): T {
    const all = this.#parts.lives.flatMap((life) => (life.name === plugin ? (listed(life) ?? []) : []));
    const found = all.find((one) => one.name === name);
    if (found !== undefined) return found;
    const known = all.map((one) => `"${one.name}"`).join(', ');
    throw new Error(`plugin "${plugin}" has no ${what} "${name}"${known === '' ? '' : `, only ${known}`}`);
  }
}
