// The layout of repositories on disk (`ab/abcdef….git` below the root), the same as that of git-native, and how one is
// created and removed atomically.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Conflict, NotFound, ValidationFailed } from '#core/kernel/errors';
import { removeAll } from '#adapters/git-common/files/remove-all';
import { replaceUnderLock, syncFolder, writeSynced } from '#adapters/git-common/files/durable-files';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { isLegalName } from '#adapters/git-common/names';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\tsharedRepository = 0600\n';
const folders = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];
/** Milliseconds to wait for another process that changes `HEAD`. */
const headWaitMs = 2000;

export interface RepositoryLocation {
  readonly id: string;
  readonly directory: string;
  /** Begins the keys of cached answers. Changes when objects are removed or the repository is. */
  readonly cacheKey: string;
  /** Counts the times that objects were removed. */
  readonly generation: number;
}

export class Repositories {
  readonly root: string;
  /** Removed repositories, until their files are deleted. */
  readonly #trash: string;
  /** Repositories that are being made. A rename moves a complete one into place. */
  readonly staging: string;
  readonly #generations = new Map<string, number>();
  readonly #deleting = new Set<Promise<void>>();

  constructor(root: string) {
    this.root = root;
    this.#trash = join(root, '.trash');
    this.staging = join(root, '.staging');
  }

  /** @throws {ValidationFailed} if the id is not a lower-case uuid. */
  location(id: string): RepositoryLocation {
    if (!uuid.test(id))
      throw new ValidationFailed('A repository on disk is named by a lower-case uuid', {
        detail: `repository: "${id}" is none`,
      });
    const generation = this.#generations.get(id) ?? 0;
    return {
      id,
      directory: join(this.root, id.slice(0, 2), `${id}.git`),
      cacheKey: `${id}:${generation}`,
      generation,
    };
  }

  /** Objects of the repository were removed: cached answers about them are not used again. */
  forgetObjects(id: string): void {
    this.#generations.set(id, (this.#generations.get(id) ?? 0) + 1);
  }

  /** @throws {NotFound} if the repository does not exist. */
  async existing(id: string): Promise<RepositoryLocation> {
    const location = this.location(id);
    if (!(await this.exists(location))) throw absent(id);
    return location;
  }

  async exists(location: RepositoryLocation): Promise<boolean> {
    return (await stat(join(location.directory, 'HEAD')).catch(ignoreMissing)) !== undefined;
  }

  async create(id: string, defaultBranch: string): Promise<void> {
    const location = this.location(id);
    const head = headOf(defaultBranch);
    if (await this.exists(location)) return;
    const made = join(this.staging, `${id}.${randomUUID()}`);
    const parent = join(this.root, id.slice(0, 2));
    try {
      await mkdir(made, { recursive: true, mode: 0o700 });
      for (const folder of folders) await mkdir(join(made, folder), { mode: 0o700 });
      await writeSynced(join(made, 'HEAD'), head);
      await writeSynced(join(made, 'config'), config);
      await Promise.all(['', ...folders].map((folder) => syncFolder(join(made, folder))));
      await mkdir(parent, { recursive: true, mode: 0o700 });
      await rename(made, location.directory);
    } catch (error) {
      await removeAll(made);
      // Another caller made it in the meantime.
      if (errnoOf(error) !== 'ENOTEMPTY' && !(await this.exists(location))) throw error;
    }
    await syncFolder(parent);
    await syncFolder(this.root);
  }

  /** Moves the repository to the trash. Its files are deleted in the background. */
  async discard(id: string): Promise<void> {
    const location = this.location(id);
    await mkdir(this.#trash, { recursive: true, mode: 0o700 });
    const discarded = join(this.#trash, `${id}.${randomUUID()}`);
    try {
      await rename(location.directory, discarded);
    } catch (error) {
      return ignoreMissing(error);
    }
    await syncFolder(join(this.root, id.slice(0, 2)));
    this.#delete(discarded);
  }

  /** Discards what a writer made in place of a removed repository: such a folder has no `HEAD`. */
  async discardRemains(location: RepositoryLocation): Promise<void> {
    const found = await Promise.all(
      ['HEAD', 'config'].map((name) => stat(join(location.directory, name)).catch(ignoreMissing)),
    );
    if (found.every((file) => file === undefined)) await this.discard(location.id);
  }

  /** Deletes what earlier processes discarded. */
  async sweep(): Promise<void> {
    for (const name of (await readdir(this.#trash).catch(ignoreMissing)) ?? []) this.#delete(join(this.#trash, name));
  }

  /** Resolves when every deletion in the background has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#deleting);
  }

  async list(): Promise<readonly string[]> {
    const shards = (await readdir(this.root).catch(ignoreMissing)) ?? [];
    const names = await Promise.all(
      shards
        .filter((shard) => /^[0-9a-f]{2}$/.test(shard))
        .map((shard) => readdir(join(this.root, shard)).catch(ignoreMissing)),
    );
    return names
      .flatMap((inside) => inside ?? [])
      .filter((name) => name.endsWith('.git') && uuid.test(name.slice(0, -'.git'.length)))
      .map((name) => name.slice(0, -'.git'.length))
      .toSorted();
  }

  /** @throws {ValidationFailed | Conflict} */
  async setHead(location: RepositoryLocation, branch: string): Promise<void> {
    const head = headOf(branch);
    const path = join(location.directory, 'HEAD');
    const giveUpAt = performance.now() + headWaitMs;
    for (;;) {
      try {
        await replaceUnderLock(path, head);
        return;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
        if (performance.now() > giveUpAt)
          throw new Conflict('Another process is changing the default branch', { detail: 'Try again' });
        await pause(20);
      }
    }
  }

  #delete(path: string): void {
    const deleting = removeAll(path)
      .catch(() => undefined)
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }
}

export const absent = (id: string): NotFound =>
  new NotFound('The repository is not on disk', { detail: `repository: "${id}"` });

function headOf(branch: string): string {
  if (!isLegalName('branch', branch))
    throw new ValidationFailed('The default branch has a name git does not allow', {
      detail: `default_branch: "${branch}"`,
    });
  return `ref: refs/heads/${branch}\n`;
}
