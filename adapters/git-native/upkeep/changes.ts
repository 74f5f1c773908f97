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

/** Changes of one kind in one repository. */
interface Left extends Pick<BrokenOff, 'repository' | 'changed' | 'since'> {
  readonly marks: readonly string[];
}

/** How often dead processes are looked for where no change comes upon them. */
const watchMs = 10_000;
/** More than a tick of the file system's clock: what was made before it is told from what is made after it. */
const tickMs = 10;
/** At the stop, how often and how long what broke off is cleared up before it is left to others. */
const last = { pauseMs: 100, mostMs: 3000 } as const;

export class Changes {
  readonly #parts: ChangesParts;
  /** What broke off and may have left something, by repository and kind, until nothing of it can be there. */
  readonly #brokenOff = new Map<string, Left>();
  #burying: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Looks from now on for dead processes, and for what could not be removed yet. */
  watch(): void {
    this.#watch ??= setInterval(() => {
      this.#looking ??= this.#round().finally(() => {
        this.#looking = undefined;
      });
    }, watchMs).unref();
  }

  /**
   * Ends the looking; every program has ended. Never rejects.
   * @returns whether all is removed that broke off.
   */
  async settle(): Promise<boolean> {
    clearInterval(this.#watch);
    await this.#looking;
    await this.#burying?.catch(() => undefined);
    for (const until = performance.now() + last.mostMs; ;) {
      await this.#clearAll();
      if (this.#brokenOff.size === 0 || performance.now() > until) return this.#brokenOff.size === 0;
      await pause(last.pauseMs);
    }
  }

  /** Says that a change begins. Refs that a dead process has locked are free by then. */
  async begin({ id }: RepositoryLocation, changed: Changed): Promise<ChangeMark> {
    if (changed === 'refs') await this.bury().catch((error: unknown) => this.#unburied(error));
    return await this.#parts.liveProcesses.mark(id, changed);
  }

  /** Says that it is over; never rejects. @param whole false where its programs may have left something. */
  async end(mark: ChangeMark, whole: boolean): Promise<void> {
    try {
      if (whole) await mark.remove();
      else this.#add({ ...mark, since: await mark.since() });
      const left = this.#brokenOff.get(keyOf(mark));
      if (left !== undefined) await this.#clear(left);
    } catch (error) {
      this.#failed(mark, error);
    }
  }

  /** @param isWhole of what `work` resolves with, whether nothing is left. Where it rejects, something may be. */
  async during<T>(
    location: RepositoryLocation,
    kinds: readonly Changed[],
    work: () => Promise<T>,
    isWhole: (result: T) => boolean = () => true,
  ): Promise<T> {
    const marks: ChangeMark[] = [];
    let whole = false;
    try {
      for (const changed of kinds) marks.push(await this.begin(location, changed));
      const result = await work();
      whole = isWhole(result);
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
    await this.#clearAll();
  }

  async #clearAll(): Promise<void> {
    for (const left of this.#brokenOff.values())
      await this.#clear(left).catch((error: unknown) => this.#failed(left, error));
  }

  #add({ repository, changed, since, path }: BrokenOff): void {
    const key = keyOf({ repository, changed });
    const before = this.#brokenOff.get(key);
    this.#brokenOff.set(key, {
      repository,
      changed,
      since: Math.min(since, before?.since ?? Number.POSITIVE_INFINITY),
      marks: [...(before?.marks ?? []), path],
    });
  }

  /** What is younger than a change that is still being made may belong to that one, and waits for its end. */
  async #clear(one: Pick<BrokenOff, 'repository' | 'changed'>): Promise<void> {
    const left = this.#brokenOff.get(keyOf(one));
    if (left === undefined) return;
    const { liveProcesses, directoryOf, log } = this.#parts;
    const { repository, changed, since, marks } = left;
    await pause(tickMs);
    // Who begins after it makes what is younger than it; who began before it is found by its mark.
    const now = await liveProcesses.now();
    const others = await liveProcesses.firstChange(repository, changed, marks);
    const removed = await removeLeft(directoryOf(repository), changed, { since, before: Math.min(others, now) });
    if (removed.length > 0) log.info({ repository, removed }, 'removed what a change that broke off left');
    if (others < Number.POSITIVE_INFINITY || this.#brokenOff.get(keyOf(one)) !== left) return;
    this.#brokenOff.delete(keyOf(one));
    await liveProcesses.release(marks);
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
