// A temporary object directory for the objects that git and this process make for a merge. It is removed when the merge
// is over.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import type { Oid } from '#core/repositories/git/git-backend';
import { errnoOf } from '#adapters/git-common/files/errno';
import type { Removals } from '../files/removals.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

const compress = promisify(deflate);

export type Quarantine = Awaited<ReturnType<typeof openQuarantine>>;

/** @param parent a folder that only this process removes. */
export async function openQuarantine(parent: string, location: RepositoryLocation, removals: Removals) {
  const folder = join(parent, randomUUID());
  await mkdir(folder, { mode: 0o700 });
  return {
    /** For git: it writes objects here and also reads those of the repository. */
    environment: {
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(location.directory, 'objects')),
    },
    /** Writes a commit as a loose object (gitformat-loose(5)). */
    commit: async (content: Buffer): Promise<Oid> => {
      const head = `commit ${content.length}\0`;
      const oid = createHash('sha1').update(head).update(content).digest('hex');
      const shard = join(folder, oid.slice(0, 2));
      const packed = await compress(Buffer.concat([Buffer.from(head), content]), { level: constants.Z_BEST_SPEED });
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await writeFile(join(shard, oid.slice(2)), packed, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') throw error;
      });
      return oid;
    },
    /** Never rejects. */
    close: (): Promise<void> => removals.remove(folder),
  };
}
