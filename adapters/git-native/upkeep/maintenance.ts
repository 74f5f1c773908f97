// Repository maintenance after pushes, one run at a time per repository: commit-graph, geometric repack, packed refs,
// and a warmed root listing.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeStaleFiles } from '../changes/stale-files.ts';
import type { Foundation } from '../foundation.ts';
import type { LastCommits } from '../last-commits/last-commits.ts';
import type { Contents } from '../objects/contents.ts';
import type { Changed } from '../process/launcher/live-processes.ts';
import type { Refs } from '../refs/refs.ts';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import { packedObjects } from '../storage/packed-objects.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { UpkeepGit } from './upkeep-git.ts';
import { WithParts } from '../with-parts.ts';

/**
 * Numbers of loose refs, packs, and loose objects in one of 256 folders (as `git gc` estimates) above which tidying is
 * worth a process.
 */
const manyLooseRefs = 64;
const manyPacks = 20;
const manyLooseObjects = 8;
const sampledFolder = '17';

interface Run {
  readonly done: Promise<void>;
  next: Promise<void> | undefined;
}

/** Milliseconds. Younger files may belong to a push of another process; no push takes longer. */
export const othersWriteMs = 2 * 3600_000;

export type MaintenanceParts = Foundation & {
  readonly git: UpkeepGit;
  readonly refs: Refs;
  readonly contents: Contents;
  readonly lastCommits: LastCommits;
};

export class Maintenance extends WithParts<MaintenanceParts> {
  readonly #runs = new Map<string, Run>();

  /** Resolves when a run that began after this call has ended. Callers that wait for the same run share it. */
  maintain(location: RepositoryLocation): Promise<void> {
    const turn = this.#runs.get(location.id);
    if (turn === undefined) return this.#begin(location);
    turn.next ??= turn.done.then(() => this.maintain(location));
    return turn.next;
  }

  /**
   * Does other work in the repository while no maintenance runs there. Runs requested in the meantime begin afterwards.
   */
  async alone<T>(location: RepositoryLocation, work: () => Promise<T>): Promise<T> {
    for (let turn = this.#runs.get(location.id); turn !== undefined; turn = this.#runs.get(location.id))
      await turn.done;
    const working = work();
    void this.#take(
      location,
      working.then(
        () => undefined,
        () => undefined,
      ),
    );
    return await working;
  }

  #begin(location: RepositoryLocation): Promise<void> {
    return this.#take(
      location,
      this.#run(location).catch((error: unknown) => {
        this.parts.log.warn({ repository: location.id, err: error }, 'a repository could not be maintained');
      }),
    );
  }

  #take(location: RepositoryLocation, work: Promise<void>): Promise<void> {
    const done = work.finally(() => {
      if (this.#runs.get(location.id) === turn) this.#runs.delete(location.id);
    });
    const turn: Run = { done, next: undefined };
    this.#runs.set(location.id, turn);
    return done;
  }

  async #run(location: RepositoryLocation): Promise<void> {
    // First, because the steps that walk history, such as warming, use it.
    if ((await packedObjects(location)) >= this.parts.limits.graphObjects)
      await this.#git(location, [
        'commit-graph',
        'write',
        '--reachable',
        '--split',
        '--changed-paths',
        '--no-progress',
      ]);
    await this.#warm(location);
    const entries = (await readdir(join(location.directory, 'objects', 'pack')).catch(ignoreMissing)) ?? [];
    const packs = entries.filter((name) => name.endsWith('.pack')).length;
    const loose = ((await readdir(join(location.directory, 'objects', sampledFolder)).catch(ignoreMissing)) ?? [])
      .length;
    if (packs > manyPacks || loose > manyLooseObjects)
      await this.#git(location, ['repack', '-d', '-q', '--geometric=2', '--write-midx']);
    if ((await this.#looseRefs(location)) > manyLooseRefs)
      await this.#git(location, ['pack-refs', '--all', '--prune'], 'refs');
    await removeStaleFiles(location.directory, this.parts.now() - othersWriteMs);
  }

  /**
   * Caches the root listing of the default branch with its sizes and last commits, which is probably requested next.
   */
  async #warm(location: RepositoryLocation): Promise<void> {
    const { refs, contents, lastCommits } = this.parts;
    const tip = await refs.resolve(location, 'HEAD');
    const root = tip === undefined ? undefined : await contents.entry(location, tip, '');
    if (tip === undefined || root === undefined) return;
    await Promise.all([contents.tree(location, root.oid), lastCommits.of(location, tip, '')]);
  }

  async #git(location: RepositoryLocation, args: readonly string[], changed: Changed = 'objects'): Promise<void> {
    const { git, changes, log } = this.parts;
    const { code, stderr } = await changes.during(
      location,
      [changed],
      () => git(location, args),
      // git leaves half a pack or graph behind when the disk is full.
      (ran) => ran.code === 0,
    );
    if (code !== 0)
      log.warn({ repository: location.id, git: args[0], code, stderr }, 'a repository could not be maintained');
  }

  async #looseRefs(location: RepositoryLocation): Promise<number> {
    const found =
      (await readdir(join(location.directory, 'refs'), { recursive: true, withFileTypes: true }).catch(
        ignoreMissing,
      )) ?? [];
    return found.filter((entry) => entry.isFile()).length;
  }
}
