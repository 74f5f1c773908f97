// The layout of repositories on disk (`ab/abcdef….git` below the root), and how one is created and removed atomically.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Conflict, NotFound, ValidationFailed } from '#core/kernel/errors';
import { isLegalName } from '#adapters/git-common/names';
import { replaceUnderLock, syncFolder, writeSynced } from '#adapters/git-common/files/durable-files';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { removeAll } from '#adapters/git-common/files/remove-all';
import type { Removals } from '../files/removals.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const folderName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.git$/;

/** `sharedRepository` makes what git writes below it readable by the server's user alone, whatever its umask. */
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\tsharedRepository = 0600\n';
const folders = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];

export interface RepositoryLocation {
  readonly id: string;
  readonly directory: string;
  /** Begins the keys of cached objects. It changes when objects are removed, so that older entries are not found. */
  readonly cacheKey: string;
}

export class Repositories {
  readonly root: string;
  /** Incomplete repositories. A rename moves a complete one into place. */
  readonly staging: string;
  /** Removed repositories, until their files are deleted. */
  readonly trash: string;
  readonly #removals: Removals;
  /** How often objects of a repository were removed. */
  readonly #generations = new Map<string, number>();

  /** @param staging where repositories are made, on the file system of `root`; removed with its process. */
  constructor(root: string, removals: Removals, staging: string) {
    this.root = root;
    this.#removals = removals;
    this.staging = staging;
    this.trash = join(root, '.trash');
  }

  /** @throws {ValidationFailed} if the id is not a lower-case uuid. */
  location(id: string): RepositoryLocation {
    if (!uuid.test(id))
      throw new ValidationFailed('A repository on disk is named by a lower-case uuid', {
        detail: `repository: "${id}" is none`,
      });
    const cacheKey = `${id}:${this.#generations.get(id) ?? 0}`;
    return { id, directory: join(this.root, id.slice(0, 2), `${id}.git`), cacheKey };
  }

  /** Forgets cached objects, because objects of the repository were removed. */
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

  /**
   * Whether the repository was removed in the meantime, to be called after a failure in it. False if the disk cannot be
   * read, so that the failure remains the reason. Never rejects.
   */
  async gone(location: RepositoryLocation): Promise<boolean> {
    return !(await this.exists(location).catch(() => true));
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
      await settled([writeSynced(join(made, 'HEAD'), head), writeSynced(join(made, 'config'), config)]);
      await settled(['', ...folders].map((folder) => syncFolder(join(made, folder))));
      await mkdir(parent, { recursive: true, mode: 0o700 });
      await rename(made, location.directory);
    } catch (error) {
      await this.#removals.remove(made);
      // Another process made it in the meantime.
      if (errnoOf(error) !== 'ENOTEMPTY' && !(await this.exists(location))) throw error;
    }
    await syncFolder(parent);
    await syncFolder(this.root);
  }

  /** Moves the repository to the trash. Its files are deleted in the background. */
  async discard(id: string): Promise<void> {
    const location = this.location(id);
    await mkdir(this.trash, { recursive: true, mode: 0o700 });
    const discarded = join(this.trash, `${id}.${randomUUID()}`);
    try {
      await rename(location.directory, discarded);
    } catch (error) {
      return ignoreMissing(error);
    }
    const shard = join(this.root, id.slice(0, 2));
    const outOfSight = syncFolder(shard);
    // Waits for the rename to be on disk: a power loss must not restore a partly deleted repository.
    void this.#removals.remove(discarded, async () => {
      await outOfSight.catch(() => syncFolder(shard));
      await removeAll(discarded);
    });
    await outOfSight;
  }

  /**
   * Discards what git wrote in place of a removed repository. It has neither of the two files that every repository
   * has.
   */
  async discardRemains(location: RepositoryLocation): Promise<void> {
    const found = await Promise.all(
      ['HEAD', 'config'].map((name) => stat(join(location.directory, name)).catch(ignoreMissing)),
    );
    if (found.every((file) => file === undefined)) await this.discard(location.id);
  }

  /** Deletes the repositories that earlier processes discarded. */
  async sweep(): Promise<void> {
    const discarded = (await readdir(this.trash).catch(ignoreMissing)) ?? [];
    for (const name of discarded) void this.#removals.remove(join(this.trash, name));
  }

  async list(): Promise<readonly string[]> {
    const shards = (await readdir(this.root).catch(ignoreMissing)) ?? [];
    const names = await Promise.all(
      shards
        .filter((shard) => /^[0-9a-f]{2}$/.test(shard))
        .map((shard) => readdir(join(this.root, shard)).catch(ignoreMissing)),
    );
    return names.flatMap((inside) => (inside ?? []).flatMap((name) => folderName.exec(name)?.[1] ?? [])).toSorted();
  }

  /**
   * Points `HEAD` to a branch.
   * @param attempt wraps each attempt, which returns false if another process holds the lock.
   * @throws {ValidationFailed | Conflict}
   */
  async setHead(
    location: RepositoryLocation,
    branch: string,
    attempt: (work: () => Promise<boolean>) => Promise<boolean>,
  ): Promise<void> {
    const head = headOf(branch);
    const giveUpAt = performance.now() + 2000;
    while (!(await attempt(() => replacedUnderLock(join(location.directory, 'HEAD'), head)))) {
      if (performance.now() > giveUpAt)
        throw new Conflict('Another process is changing the default branch', { detail: 'Try again' });
      await pause(20);
    }
  }
}

export const absent = (id: string): NotFound =>
  new NotFound('The repository is not on disk', { detail: `repository: "${id}"` });

async function replacedUnderLock(path: string, text: string): Promise<boolean> {
  try {
    await replaceUnderLock(path, text);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Like `Promise.all`, but it rejects only when all of the work has ended. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

function headOf(branch: string): string {
  if (!isLegalName('branch', branch))
    throw new ValidationFailed('The default branch has a name git does not allow', {
      detail: `default_branch: "${branch}"`,
    });
  return `ref: refs/heads/${branch}\n`;
}
