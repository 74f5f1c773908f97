// Changes that are being made in repositories, each under a mark (a write-intent) that names its process; and the
// removal of the locks and temporary files of those that broke off: of killed programs, and of killed servers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel/log';
import type { BrokenOff, Changed, ChangeMark, LiveProcesses } from '../process/live-processes.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { removeLeft } from './stale-files.ts';

export interface ChangesParts {
  readonly liveProcesses: LiveProcesses;
  readonly directoryOf: (repository: string) => string;
  readonly log: Log;
}

/** How often dead processes are looked for where no change comes upon them. */
const watchMs = 10_000;
/** More than a tick of the file system's clock: what was made before it is told from what is made after it. */
const tickMs = 10;

export class Changes {
  readonly #parts: ChangesParts;
  /** What broke off and may have left something, by repository and kind, until nothing of it can be there. */
  readonly #brokenOff = new Map<string, BrokenOff>();
  #burying: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Looks for dead processes from now on. */
  watch(): void {
    this.#watch ??= setInterval(() => void this.#round(), watchMs).unref();
  }

  stop(): void {
    clearInterval(this.#watch);
  }

  /** Says that a change begins. Refs that a dead process has locked are free by then. */
  async begin({ id }: RepositoryLocation, changed: Changed): Promise<ChangeMark> {
    if (changed === 'refs') await this.bury().catch((error: unknown) => this.#unburied(error));
    return await this.#parts.liveProcesses.mark(id, changed);
  }

  /** Says that it is over; never rejects. @param whole false where its programs may have left something. */
  async end(mark: ChangeMark, whole: boolean): Promise<void> {
    try {
      if (!whole) this.#add({ ...mark, since: await mark.since() });
      await mark.remove();
      const left = this.#brokenOff.get(keyOf(mark));
      if (left !== undefined) await this.#clear(left);
    } catch (error) {
      this.#failed(mark, error);
    }
  }

  async during<T>(location: RepositoryLocation, kinds: readonly Changed[], work: () => Promise<T>): Promise<T> {
    const marks: ChangeMark[] = [];
    let whole = false;
    try {
      for (const changed of kinds) marks.push(await this.begin(location, changed));
      const result = await work();
      whole = true;
      return result;
    } finally {
      for (const mark of marks) await this.end(mark, whole);
    }
  }

  /** Ends what dead processes left running, and breaks their locks. */
  async bury(): Promise<void> {
    this.#burying ??= this.#bury().finally(() => {
      this.#burying = undefined;
    });
    await this.#burying;
  }

  async #bury(): Promise<void> {
    const { liveProcesses, log } = this.#parts;
    const { dead } = await liveProcesses.others();
    for (const name of dead) {
      const broken = await liveProcesses.bury(name);
      log.info({ process: name, changes: broken.length }, 'a server process ended without saying so');
      for (const each of broken) this.#add(each);
      for (const each of broken) await this.#clear(each).catch((error: unknown) => this.#failed(each, error));
    }
  }

  async #round(): Promise<void> {
    await this.bury().catch((error: unknown) => this.#unburied(error));
    for (const left of this.#brokenOff.values())
      await this.#clear(left).catch((error: unknown) => this.#failed(left, error));
  }

  #add(broken: BrokenOff): void {
    const key = keyOf(broken);
    const { repository, changed } = broken;
    const since = Math.min(broken.since, this.#brokenOff.get(key)?.since ?? Number.POSITIVE_INFINITY);
    this.#brokenOff.set(key, { repository, changed, since });
  }

  /** What is younger than a change that is still being made may belong to that one, and waits for its end. */
  async #clear(one: Pick<BrokenOff, 'repository' | 'changed'>): Promise<void> {
    const left = this.#brokenOff.get(keyOf(one));
    if (left === undefined) return;
    const { liveProcesses, directoryOf, log } = this.#parts;
    const { repository, changed, since } = left;
    await pause(tickMs);
    // Who begins after it makes what is younger than it; who began before it is found by its own.
    const mark = await liveProcesses.mark(repository, changed);
    try {
      const others = await liveProcesses.firstChange(mark);
      const before = Math.min(others, await mark.since());
      const removed = await removeLeft(directoryOf(repository), changed, { since, before });
      if (removed.length > 0) log.info({ repository, removed }, 'removed what a change that broke off left');
      if (others === Number.POSITIVE_INFINITY && this.#brokenOff.get(keyOf(one)) === left)
        this.#brokenOff.delete(keyOf(one));
    } finally {
      await mark.remove();
    }
  }

  #unburied(error: unknown): void {
    this.#parts.log.warn({ err: error }, 'dead server processes could not be looked for');
  }

  #failed({ repository }: Pick<BrokenOff, 'repository'>, error: unknown): void {
    this.#parts.log.warn({ repository, err: error }, 'what a change left could not be removed yet');
  }
}

const keyOf = ({ repository, changed }: Pick<BrokenOff, 'repository' | 'changed'>): string =>
  `${repository} ${changed}`;
