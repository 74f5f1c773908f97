// The reads of objects: files and folders of a commit, archives, and the sizes of files.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { Archives } from './archive.ts';
import { CatFilePool } from './cat-file-pool.ts';
import { Contents } from './contents.ts';
import { FileSizes } from './file-sizes.ts';
import { Objects } from './objects.ts';

export function objectReads(foundation: Foundation) {
  const { inside, looking, processes, limits, deadlineMs } = foundation;
  const { readers: limit, readerAllocationBytes: allocationBytes } = limits;
  const catFiles = new CatFilePool(processes, { limit, allocationBytes, stallMs: deadlineMs, idleMs: 60_000 });
  const objects = new Objects(catFiles);
  const contents = new Contents(foundation, objects);
  const archives = new Archives(foundation);
  const sizes = new FileSizes(foundation);
  const methods = {
    entry: looking((...asked) => contents.entry(...asked)),
    tree: looking((...asked) => contents.tree(...asked)),
    blob: inside((...asked) => contents.blob(...asked)),
    archive: inside((...asked) => archives.of(...asked)),
    sizes: inside((...asked) => sizes.sumBy(...asked)),
  } satisfies Partial<GitBackend>;
  return { catFiles, objects, contents, methods };
}
