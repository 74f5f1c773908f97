// The git adapter for machines without a git program: implements the port `GitBackend` in TypeScript, with all
// computations in worker threads. The files on disk are those of git.
import type { GitBackend, Oid } from '#core/repositories/git/git-backend';
import { archiveMethods } from './archives/archive-methods.ts';
import { diffMethods } from './diffs/diff-methods.ts';
import { foundation as founded, type GitWasmOptions } from './foundation.ts';
import { historyMethods } from './history/history-methods.ts';
import { mergeMethods } from './merging/merge-methods.ts';
import { objectMethods } from './objects/object-methods.ts';
import { Acceptances } from './push/acceptance.ts';
import { ReceivePack } from './push/receive-pack.ts';
import { writes } from './push/write.ts';
import { refMethods } from './refs/ref-methods.ts';
import { transfers } from './transport/transfers.ts';
import { copies } from './upkeep/copies.ts';
import { upkeepMethods } from './upkeep/upkeep-methods.ts';

export type { GitWasmLimits, GitWasmOptions } from './foundation.ts';

export type GitWasm = GitBackend & {
  /** Finishes the pushes that were accepted, then ends the threads. The adapter accepts no calls afterwards. */
  close(): Promise<void>;
};

export function gitWasm(options: GitWasmOptions): GitWasm {
  const foundation = founded(options);
  const { refs, refChanges, methods: ofRefs } = refMethods(foundation);
  const acceptances = new Acceptances({ ...foundation, refs, refChanges });
  const receivePack = new ReceivePack({ ...foundation, acceptances });
  const reads = objectMethods(foundation);
  const warm = async (repository: string, commit: Oid): Promise<void> => {
    const root = await reads.entry(repository, commit, '');
    if (root !== undefined)
      await Promise.all([reads.tree(repository, root.oid), reads.lastCommits(repository, commit, '')]);
  };
  return {
    ...ofRefs,
    ...reads,
    ...historyMethods(foundation),
    ...diffMethods(foundation),
    ...archiveMethods(foundation),
    ...transfers(foundation, { refs, receivePack }),
    ...writes(foundation, receivePack),
    ...mergeMethods(foundation, receivePack),
    ...copies(foundation, { refs, refChanges, acceptances }),
    ...upkeepMethods(foundation, { refs, refChanges, warm }),
    close: async () => {
      await receivePack.settled();
      await foundation.threads.close();
      await foundation.repositories.settled();
    },
  };
}
