// A folder of objects that are not part of a repository yet: those of a push until it is accepted. It has the form of
// `objects`, and the name that git gives to such a folder, so that both sweep each other's.
import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { removeAll } from '#adapters/git-common/files/remove-all';
import { syncFolder } from '#adapters/git-common/files/durable-files';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from './repositories.ts';

export class Quarantine {
  readonly folder: string;
  readonly #objects: string;

  private constructor(objects: string) {
    this.#objects = objects;
    this.folder = join(objects, `incoming-${randomUUID()}`);
  }

  static async open({ directory }: RepositoryLocation): Promise<Quarantine> {
    const quarantine = new Quarantine(join(directory, 'objects'));
    await mkdir(join(quarantine.folder, 'pack'), { recursive: true, mode: 0o700 });
    return quarantine;
  }

  get packPath(): string {
    return join(this.folder, 'pack', 'incoming.pack');
  }

  get indexPath(): string {
    return join(this.folder, 'pack', 'incoming.idx');
  }

  /** Bytes of its files. */
  async bytes(): Promise<number> {
    return await bytesIn(this.folder);
  }

  /** Moves the pack into the repository. Both files were synced before. */
  async keep(name: string): Promise<void> {
    const place = join(this.#objects, 'pack');
    // The index last: a pack without one is ignored.
    for (const [path, ending] of [
      [this.packPath, 'pack'],
      [this.indexPath, 'idx'],
    ] as const) {
      await chmod(path, 0o444);
      await rename(path, join(place, `${name}.${ending}`));
    }
    await syncFolder(place);
  }

  async close(): Promise<void> {
    await removeAll(this.folder);
  }
}

/** Bytes of a folder's files. A file that is removed meanwhile counts as 0, as does a missing folder. */
export async function bytesIn(folder: string): Promise<number> {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? [];
  let bytes = 0;
  for (const entry of found)
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(ignoreMissing))?.size ?? 0;
  return bytes;
}
