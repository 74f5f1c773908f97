// Keeping repositories fast after pushes, one run at a time for each: commit-graph, packed refs, few packs, a warm root
// listing.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/kernel/log';
import type { Contents } from '../objects/contents.ts';
import { ignoreAbsence } from '../storage/durable-files.ts';
import type { Lane } from '../process/limiter.ts';
import type { LastCommits } from '../last-commits/last-commits.ts';
import type { Place } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';
import type { Refs } from '../refs/refs.ts';

/**
 * Loose refs, packs, and loose objects in one of 256 folders (as `git gc` estimates) from which tidying is worth a
 * process.
 */
const manyLooseRefs = 64;
const manyPacks = 20;
const manyLooseObjects = 8;
const sampledFolder = '17';
const deadlineMs = 30 * 60_000;
/** Derived data is synced too: a commit-graph torn by a loss of power is worse than none. */
const config = { 'core.fsync': 'all' };

interface Turn {
  readonly done: Promise<void>;
  next: Promise<void> | undefined;
}

export interface MaintenanceParts {
  readonly processes: GitProcesses;
  readonly heavy: Lane;
  readonly refs: Refs;
  readonly contents: Contents;
  readonly lastCommits: LastCommits;
  readonly log: Log;
  /** Removes what aborted writers left in one repository. */
  readonly tidy: (place: Place) => Promise<void>;
}

export class Maintenance {
  readonly #parts: MaintenanceParts;
  readonly #turns = new Map<string, Turn>();

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  /** Resolves when a run that began after this call has ended; callers who wait for a run to begin share it. */
  maintain(place: Place): Promise<void> {
    const turn = this.#turns.get(place.id);
    if (turn === undefined) return this.#begin(place);
    turn.next ??= turn.done.then(() => this.maintain(place));
    return turn.next;
  }

  /**
   * Does other work in the repository while nothing else is done there: runs that are asked for meanwhile begin when it
   * has ended.
   */
  async alone<T>(place: Place, work: () => Promise<T>): Promise<T> {
    for (let turn = this.#turns.get(place.id); turn !== undefined; turn = this.#turns.get(place.id)) await turn.done;
    const working = work();
    void this.#take(
      place,
      working.then(
        () => undefined,
        () => undefined,
      ),
    );
    return await working;
  }

  #begin(place: Place): Promise<void> {
    return this.#take(
      place,
      this.#run(place).catch((error: unknown) => {
        this.#parts.log.warn({ repository: place.id, err: error }, 'a repository could not be maintained');
      }),
    );
  }

  #take(place: Place, work: Promise<void>): Promise<void> {
    const done = work.finally(() => {
      if (this.#turns.get(place.id) === turn) this.#turns.delete(place.id);
    });
    const turn: Turn = { done, next: undefined };
    this.#turns.set(place.id, turn);
    return done;
  }

  async #run(place: Place): Promise<void> {
    // First of all: what walks history, as warming does, walks by it.
    await this.#git(place, ['commit-graph', 'write', '--reachable', '--split', '--changed-paths', '--no-progress']);
    await this.#warm(place);
    const entries = (await readdir(join(place.directory, 'objects', 'pack')).catch(ignoreAbsence)) ?? [];
    const packs = entries.filter((name) => name.endsWith('.pack')).length;
    const loose = ((await readdir(join(place.directory, 'objects', sampledFolder)).catch(ignoreAbsence)) ?? []).length;
    if (packs > manyPacks || loose > manyLooseObjects)
      await this.#git(place, ['repack', '-d', '-q', '--geometric=2', '--write-midx']);
    if ((await this.#looseRefs(place)) > manyLooseRefs) await this.#git(place, ['pack-refs', '--all', '--prune']);
    await this.#parts.tidy(place);
  }

  /** The root listing of the default branch with its sizes and last commits, which is what is looked at next. */
  async #warm(place: Place): Promise<void> {
    const { refs, contents, lastCommits } = this.#parts;
    const tip = await refs.resolve(place, 'HEAD');
    const root = tip === undefined ? undefined : await contents.entry(place, tip, '');
    if (tip === undefined || root === undefined) return;
    await Promise.all([contents.tree(place, root.oid), lastCommits.of(place, tip, '')]);
  }

  async #git(place: Place, args: readonly string[]): Promise<void> {
    const { heavy, processes, log } = this.#parts;
    const { code, complaint } = await heavy.run(() =>
      processes.run([`--git-dir=${place.directory}`, ...args], { directory: place.directory, config, deadlineMs }),
    );
    if (code !== 0)
      log.warn({ repository: place.id, git: args[0], code, complaint }, 'a repository could not be maintained');
  }

  async #looseRefs(place: Place): Promise<number> {
    const found =
      (await readdir(join(place.directory, 'refs'), { recursive: true, withFileTypes: true }).catch(ignoreAbsence)) ??
      [];
    return found.filter((entry) => entry.isFile()).length;
  }
}
