// Where repositories lie (`ab/abcdef….git` below the root), and how one appears and disappears whole.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Conflict, NotFound, ValidationFailed } from '#core/kernel/errors';
import { codeOf, ignoreAbsence, replaceLocked, syncFolder, writeSynced } from './durable-files.ts';
import { isLegalName } from '../refs/names.ts';
import type { Place } from '../objects/objects.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const folderName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.git$/;

/** `sharedRepository` makes what git writes below it readable by the server's user alone, whatever its umask. */
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\tsharedRepository = 0600\n';
const folders = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];

export class Repositories {
  readonly root: string;
  /** Half-made repositories; a rename makes one real. */
  readonly nursery: string;
  /** Removed repositories, until their files are gone. */
  readonly trash: string;

  constructor(root: string) {
    this.root = root;
    this.nursery = join(root, '.new');
    this.trash = join(root, '.trash');
  }

  /** @throws {ValidationFailed} for what is no uuid. */
  place(id: string): Place {
    if (!uuid.test(id))
      throw new ValidationFailed('A repository on disk is named by a lower-case uuid', {
        detail: `repository: "${id}" is none`,
      });
    return { id, directory: join(this.root, id.slice(0, 2), `${id}.git`) };
  }

  /** @throws {NotFound} */
  async existing(id: string): Promise<Place> {
    const place = this.place(id);
    if (!(await this.exists(place)))
      throw new NotFound('The repository is not on disk', { detail: `repository: "${id}"` });
    return place;
  }

  async exists(place: Place): Promise<boolean> {
    return (await stat(join(place.directory, 'HEAD')).catch(ignoreAbsence)) !== undefined;
  }

  async create(id: string, defaultBranch: string): Promise<void> {
    const place = this.place(id);
    const head = headOf(defaultBranch);
    if (await this.exists(place)) return;
    const made = join(this.nursery, `${id}.${randomUUID()}`);
    await mkdir(made, { recursive: true, mode: 0o700 });
    for (const folder of folders) await mkdir(join(made, folder), { mode: 0o700 });
    await Promise.all([writeSynced(join(made, 'HEAD'), head), writeSynced(join(made, 'config'), config)]);
    await Promise.all(['', ...folders].map((folder) => syncFolder(join(made, folder))));
    const parent = join(this.root, id.slice(0, 2));
    await mkdir(parent, { recursive: true, mode: 0o700 });
    try {
      await rename(made, place.directory);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      // Made by someone else meanwhile.
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error;
    }
    await syncFolder(parent);
    await syncFolder(this.root);
  }

  /** Takes it out of sight. @returns where its files wait to be deleted; undefined where there was none. */
  async discard(id: string): Promise<string | undefined> {
    const place = this.place(id);
    await mkdir(this.trash, { recursive: true, mode: 0o700 });
    const discarded = join(this.trash, `${id}.${randomUUID()}`);
    try {
      await rename(place.directory, discarded);
    } catch (error) {
      return ignoreAbsence(error);
    }
    await syncFolder(join(this.root, id.slice(0, 2)));
    return discarded;
  }

  /**
   * The same for what git wrote under the name of a removed repository, which has neither of the two files that every
   * repository begins with.
   */
  async discardRemains(place: Place): Promise<string | undefined> {
    const found = await Promise.all(
      ['HEAD', 'config'].map((name) => stat(join(place.directory, name)).catch(ignoreAbsence)),
    );
    return found.every((file) => file === undefined) ? await this.discard(place.id) : undefined;
  }

  async list(): Promise<readonly string[]> {
    const shards = (await readdir(this.root).catch(ignoreAbsence)) ?? [];
    const names = await Promise.all(
      shards
        .filter((shard) => /^[0-9a-f]{2}$/.test(shard))
        .map((shard) => readdir(join(this.root, shard)).catch(ignoreAbsence)),
    );
    return names.flatMap((inside) => (inside ?? []).flatMap((name) => folderName.exec(name)?.[1] ?? [])).toSorted();
  }

  /** @throws {ValidationFailed | Conflict} */
  async setHead(place: Place, branch: string): Promise<void> {
    const head = headOf(branch);
    const giveUpAt = performance.now() + 2000;
    for (;;) {
      try {
        await replaceLocked(join(place.directory, 'HEAD'), head);
        return;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        if (performance.now() > giveUpAt)
          throw new Conflict('Another process is changing the default branch', { detail: 'Try again' });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}

function headOf(branch: string): string {
  if (!isLegalName('branch', branch))
    throw new ValidationFailed('The default branch has a name git does not allow', {
      detail: `default_branch: "${branch}"`,
    });
  return `ref: refs/heads/${branch}\n`;
}
