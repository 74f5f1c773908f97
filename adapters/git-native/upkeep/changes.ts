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
const tickMs = 12;

/** What broke off in a repository, the first of its kind. */
interface Left {
  readonly broken: BrokenOff;
  /** By then all of it was there; known once it has been looked for. */
  until?: number;
}

/** At the stop, how often and how long what broke off is cleared up before it is left to others. */
const last = { pauseMs: 100, mostMs: 3000 } as const;

export class Changes {
  readonly #parts: ChangesParts;
  /** What broke off and may have left something, by repository and kind, until nothing of it is there. */
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
   * Ends the looking; every program has ended. Never rejects. What cannot be removed stays noted on disk, for whoever
   * comes next.
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

  /** Says that a change begins. Refs that a dead process has locked are free by then. */
  async begin({ id }: RepositoryLocation, changed: Changed): Promise<ChangeMark> {
    if (changed === 'refs') {
      await this.bury().catch((error: unknown) => this.#unburied(error));
      await this.#clear({ repository: id, changed });
    }
    return await this.#parts.liveProcesses.mark(id, changed);
  }

  /** Says that it is over; never rejects. @param whole false where its programs may have left something. */
  async end(mark: ChangeMark, whole: boolean): Promise<void> {
    try {
      if (whole) await mark.remove();
      else await this.#add(await mark.leave());
    } catch (error) {
      this.#failed(mark, error);
    }
    await this.#clear(mark);
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
    // Anew: what is looked for at this moment may miss some of it.
    this.#brokenOff.set(key, { broken: first });
    // The first one stands for both.
    await second?.forget();
  }

  /** Never rejects. */
  async #clear(one: Pick<BrokenOff, 'repository' | 'changed'>): Promise<void> {
    const left = this.#brokenOff.get(keyOf(one));
    if (left !== undefined) await this.#remove(left).catch((error: unknown) => this.#failed(one, error));
  }

  /** What is younger than a change that is still being made may belong to that one, and waits for its end. */
  async #remove(left: Left): Promise<void> {
    const { liveProcesses, directoryOf, log } = this.#parts;
    const { repository, changed, since, forget } = left.broken;
    await pause(tickMs);
    // Who begins after it makes what is younger than it; who began before it is found by its mark.
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
    this.#parts.log.warn({ err: error }, 'dead server processes could not be looked for');
  }

  #failed({ repository }: Pick<BrokenOff, 'repository'>, error: unknown): void {
    this.#parts.log.warn({ repository, err: error }, 'what a change left could not be removed yet');
  }
}

const keyOf = ({ repository, changed }: Pick<BrokenOff, 'repository' | 'changed'>): string =>
  `${repository} ${changed}`;
