// The reads of objects: files and folders of a commit, archives, and the sizes of files.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { archive } from './archive.ts';
import { CatFilePool } from './cat-file-pool.ts';
import { Contents } from './contents.ts';
import { sizes } from './file-sizes.ts';
import { Objects } from './objects.ts';
import { treeChanges } from './tree-changes.ts';

export function objectReads(foundation: Foundation) {
  const { inside, looking, processes, limits, deadlineMs } = foundation;
  const { readers: limit, readerAllocationBytes: allocationBytes } = limits;
  const catFiles = new CatFilePool(processes, { limit, allocationBytes, stallMs: deadlineMs, idleMs: 60_000 });
  const objects = new Objects({ catFiles });
  const contents = new Contents({ ...foundation, objects });
  const methods = {
    entry: looking((...asked) => contents.entry(...asked)),
    tree: looking((...asked) => contents.tree(...asked)),
    blob: inside((...asked) => contents.blob(...asked)),
    archive: inside(archive(foundation)),
    sizes: inside(sizes(foundation)),
    treeChanges: inside(treeChanges(foundation)),
  } satisfies Partial<GitBackend>;
  return { catFiles, objects, contents, methods };
}
