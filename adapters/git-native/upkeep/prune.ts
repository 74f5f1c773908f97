// Pruning of unreachable objects: git repacks reachable ones and sets the expired ones aside, which are deleted once
// every ref is checked to be complete without them.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Changes } from '../changes/changes.ts';
import type { Maintenance } from './maintenance.ts';
import type { UpkeepGit } from './upkeep-git.ts';
import { WithParts } from '../with-parts.ts';

export interface PruneParts {
  readonly git: UpkeepGit;
  readonly maintenance: Maintenance;
  readonly changes: Changes;
  /** Clears the caches of the repository and closes the packs held open for it. */
  readonly forget: (location: RepositoryLocation) => Promise<void>;
}

export class Pruner extends WithParts<PruneParts> {
  /** Does not run during maintenance of the repository: both replace packs. */
  prune(location: RepositoryLocation, before: Date, signal?: AbortSignal): Promise<{ readonly remaining: boolean }> {
    const { maintenance, changes } = this.parts;
    return maintenance.alone(location, () =>
      changes.during(location, ['objects'], () => this.#run(location, Math.floor(before.getTime() / 1000), signal)),
    );
  }

  async #run(
    location: RepositoryLocation,
    before: number,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly remaining: boolean }> {
    const aside = asideOf(location);
    await putBack(location);
    await mkdir(aside, { mode: 0o700 });
    try {
      const tips = await this.#tips(location, signal);
      // git-repack(1): reachable objects are written to one pack, younger unreachable objects to another with their
      // times. Packs with a .keep are unchanged.
      await this.#git(
        location,
        ['repack', '-a', '-d', '-q', '--cruft', `--cruft-expiration=${before}`, `--expire-to=${join(aside, 'pack')}`],
        signal,
      );
      // Loose objects are set aside as a copy, so the originals are deleted here.
      await this.#git(location, ['prune', `--expire=${before}`], signal);
      await this.#git(
        location,
        ['commit-graph', 'write', '--reachable', '--split=replace', '--changed-paths', '--no-progress'],
        signal,
      );
      await this.#check(location, tips, signal);
    } catch (error) {
      await putBack(location);
      throw error;
    } finally {
      await this.parts.forget(location);
    }
    await rm(aside, { recursive: true, force: true });
    return { remaining: (await packFiles(location)).some((name) => name.endsWith('.mtimes')) };
  }

  /**
   * Checks that no ref was made in the meantime of a commit that was found unreachable: its objects would be missing.
   * @throws {Unavailable} if there is such a ref.
   */
  async #check(location: RepositoryLocation, before: ReadonlySet<Oid>, signal: AbortSignal | undefined): Promise<void> {
    const input = [...(await this.#tips(location, signal)), ...[...before].map((oid) => `^${oid}`)]
      .map((line) => `${line}\n`)
      .join('');
    const args = ['rev-list', '--objects', '--quiet', '--stdin'];
    const { code, stderr } = await this.parts.git(location, args, { input, signal });
    if (code !== 0)
      throw new Unavailable('A ref was made of what was being pruned', {
        detail: `Nothing was removed from repository "${location.id}": ${stderr}`,
      });
  }

  /** The oids of all refs, including hidden ones. */
  async #tips(location: RepositoryLocation, signal: AbortSignal | undefined): Promise<ReadonlySet<Oid>> {
    const listed = await this.#git(location, ['for-each-ref', '--format=%(objectname)'], signal);
    return new Set(listed.split('\n').filter((line) => line !== ''));
  }

  /** @throws {Internal} if git fails. */
  async #git(location: RepositoryLocation, args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const options = { signal, maxCode: 0, maxOutput: 256 * 1024 ** 2 };
    return (await this.parts.git(location, args, options)).stdout.toString('latin1');
  }
}

/** On the file system of the packs, and outside the folders in which git looks for packs. */
const asideOf = (location: RepositoryLocation): string => join(location.directory, 'pruned');
const packFiles = async (location: RepositoryLocation): Promise<readonly string[]> =>
  (await readdir(join(location.directory, 'objects', 'pack')).catch(ignoreMissing)) ?? [];

/**
 * Restores what a run that failed or was killed had set aside. A pack is complete if it has its index, which git writes
 * last and which is moved last.
 */
async function putBack(location: RepositoryLocation): Promise<void> {
  const aside = asideOf(location);
  const names = (await readdir(aside).catch(ignoreMissing)) ?? [];
  for (const index of names.filter((name) => name.endsWith('.idx'))) {
    const stem = index.slice(0, -'idx'.length);
    for (const name of [...names.filter((other) => other.startsWith(stem) && other !== index), index]) {
      await rename(join(aside, name), join(location.directory, 'objects', 'pack', name)).catch(ignoreMissing);
    }
  }
  await rm(aside, { recursive: true, force: true });
}
