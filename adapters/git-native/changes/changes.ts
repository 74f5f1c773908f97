// Tracks changes in progress in repositories, each with a mark (a write intent) that names its process, and removes the
// locks and temporary files of interrupted ones, left by killed programs and killed servers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel/services/log';
import type { BrokenOff, Changed, ChangeMark, LiveProcesses } from '../process/launcher/live-processes.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { removeLeft } from './stale-files.ts';
import { WithParts } from '../with-parts.ts';

export interface ChangesParts {
  readonly liveProcesses: LiveProcesses;
  readonly directoryOf: (repository: string) => string;
  readonly log: Log;
}

/** Milliseconds between two checks for dead processes. Changes of refs check too. */
const watchMs = 10_000;
/**
 * Milliseconds: more than a tick of the file system's clock, so that files made before and after can be distinguished.
 */
const tickMs = 12;

/** The interrupted changes of one kind in a repository, represented by the first. */
interface Left {
  readonly broken: BrokenOff;
  /** The time by which all their leftovers existed; set by the first attempt to remove these. */
  until?: number;
}

/**
 * When the server stops: milliseconds between attempts to remove leftovers, and in total, before they are left to other
 * processes.
 */
const last = { pauseMs: 100, mostMs: 3000 } as const;

export class Changes extends WithParts<ChangesParts> {
  /** Interrupted changes that may have left files, by repository and kind, until none of their files exist. */
  readonly #brokenOff = new Map<string, Left>();
  #burying: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  /** Starts to check for dead processes, and for leftovers that could not be removed yet, at regular intervals. */
  watch(): void {
    this.#watch ??= setInterval(() => {
      this.#looking ??= this.#round().finally(() => {
        this.#looking = undefined;
      });
    }, watchMs).unref();
  }

  /**
   * Stops the checks, once every program has ended. Never rejects. Leftovers that cannot be removed stay noted on disk
   * for the next process.
   */
  async settle(): Promise<void> {
    clearInterval(this.#watch);
    await this.#looking;
    await this.#burying?.catch(() => undefined);
    for (const until = performance.now() + last.mostMs; ;) {
      await this.#clearAll();
      if (this.#brokenOff.size === 0 || performance.now() > until) return;
      await pause(last.pauseMs);
    }
  }

  /** Marks the beginning of a change. For refs, locks of dead processes are removed first. */
  async begin({ id }: RepositoryLocation, changed: Changed): Promise<ChangeMark> {
    if (changed === 'refs') {
      await this.bury().catch((error: unknown) => this.#unburied(error));
      await this.#clear({ repository: id, changed });
    }
    return await this.parts.liveProcesses.mark(id, changed);
  }

  /**
   * Ends a change; never rejects.
   * @param whole false if its programs may have left files.
   */
  async end(mark: ChangeMark, whole: boolean): Promise<void> {
    try {
      if (whole) await mark.remove();
      else await this.#add(await mark.leave());
    } catch (error) {
      this.#failed(mark, error);
    }
    await this.#clear(mark);
  }

  /** @param isWhole of a result of `work`, whether it left no files. If `work` rejects, it may have left some. */
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

  /** Ends the programs that dead processes left running, and removes their locks. */
  async bury(): Promise<void> {
    this.#burying ??= this.#bury().finally(() => {
      this.#burying = undefined;
    });
    await this.#burying;
  }

  async #bury(): Promise<void> {
    const { liveProcesses, log } = this.parts;
    const { dead } = await liveProcesses.others();
    for (const name of dead)
      try {
        const broken = await liveProcesses.bury(name);
        log.info({ process: name, changes: broken.length }, 'a server process ended without saying so');
        for (const each of broken) await this.#add(each);
        for (const each of broken) await this.#clear(each);
      } catch (error) {
        this.#unburied(error);
      }
  }

  async #round(): Promise<void> {
    await this.bury().catch((error: unknown) => this.#unburied(error));
    await this.#clearAll();
  }

  async #clearAll(): Promise<void> {
    for (const { broken } of this.#brokenOff.values()) await this.#clear(broken);
  }

  async #add(broken: BrokenOff): Promise<void> {
    const key = keyOf(broken);
    const known = this.#brokenOff.get(key)?.broken;
    const [first, second] = known !== undefined && known.since <= broken.since ? [known, broken] : [broken, known];
    // A new entry without a time, because an attempt to remove leftovers that is running may miss some.
    this.#brokenOff.set(key, { broken: first });
    // The first one represents both.
    await second?.forget();
  }

  /** Never rejects. */
  async #clear(one: Pick<BrokenOff, 'repository' | 'changed'>): Promise<void> {
    const left = this.#brokenOff.get(keyOf(one));
    if (left !== undefined) await this.#remove(left).catch((error: unknown) => this.#failed(one, error));
  }

  /** Removes leftovers. Files younger than a change in progress may belong to it, and are kept until it ends. */
  async #remove(left: Left): Promise<void> {
    const { liveProcesses, directoryOf, log } = this.parts;
    const { repository, changed, since, forget } = left.broken;
    await pause(tickMs);
    // A change that begins later makes younger files; one that began earlier is found by its mark.
    const now = await liveProcesses.now();
    const until = (left.until ??= now);
    const before = Math.min(await liveProcesses.firstChange(repository, changed), now);
    const { removed, kept } = await removeLeft(directoryOf(repository), changed, { since, before });
    if (removed.length > 0) log.info({ repository, removed }, 'removed what a change that broke off left');
    const key = keyOf(left.broken);
    if (kept <= until || this.#brokenOff.get(key) !== left) return;
    this.#brokenOff.delete(key);
    await forget();
  }

  #unburied(error: unknown): void {
    this.parts.log.warn({ err: error }, 'dead server processes could not be looked for');
  }

  #failed({ repository }: Pick<BrokenOff, 'repository'>, error: unknown): void {
    this.parts.log.warn({ repository, err: error }, 'what a change left could not be removed yet');
  }
}

const keyOf = ({ repository, changed }: Pick<BrokenOff, 'repository' | 'changed'>): string =>
  `${repository} ${changed}`;
