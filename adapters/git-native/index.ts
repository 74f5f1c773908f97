// The git adapter: implements the port `GitBackend` with the git program.
import type { GitBackend } from '#core/repositories/git/git-backend';
import { patch } from './diffs/patches.ts';
import { foundation as founded, type GitNativeOptions } from './foundation.ts';
import { history } from './history/history.ts';
import { CommitKeeper } from './keeping/keep-commit.ts';
import { LastCommits } from './last-commits/last-commits.ts';
import { Merges } from './merging/merges.ts';
import { objectReads } from './objects/reads.ts';
import { namingResources } from './process/exhausted-resources.ts';
import { versionOf, type GitVersion } from './process/version.ts';

export { installedVersion } from './process/version.ts';
import { pushes } from './push/pushes.ts';
import { refMethods } from './refs/ref-methods.ts';
import { transfers } from './transport/transfers.ts';
import { upkeep } from './upkeep/upkeep.ts';

export type { GitNativeOptions } from './foundation.ts';
export type { GitVersion } from './process/version.ts';
export type { GitLimits } from './process/limits.ts';

export type GitNative = GitBackend & {
  /**
   * The version of the git program.
   * @throws {Unavailable} one sentence with its remedy, if git is missing or older than 2.39.
   */
  version(): Promise<GitVersion>;
  /** Finishes the pushes that were accepted, then ends every git process. The adapter accepts no calls afterwards. */
  close(): Promise<void>;
};

export function gitNative(options: GitNativeOptions): GitNative {
  const foundation = founded(options);
  const { inside, looking, changing, processes, repositories, liveProcesses, changes, removals } = foundation;
  const { catFiles, objects, contents, methods: ofObjects } = objectReads(foundation);
  const { refs, mover, methods: ofRefs } = refMethods(foundation, objects);
  const { graphs, commits, commitLog, methods: ofHistory } = history(foundation, objects);
  const { hooks, receivePack, methods: ofPushes } = pushes(foundation, { objects, refs });
  const lastCommits = new LastCommits({ ...foundation, objects, graphs, commits });
  const merges = new Merges({ ...foundation, objects, commitLog, receivePack });
  const keeper = new CommitKeeper({ ...foundation, objects, refs, mover, receivePack });
  let version: Promise<GitVersion> | undefined;

  const backend = {
    ...ofObjects,
    ...ofRefs,
    ...ofHistory,
    ...ofPushes,
    ...transfers(foundation),
    ...upkeep({ ...foundation, refs, contents, lastCommits, catFiles, hooks }),

    create: async (repository, { defaultBranch }) => {
      await liveProcesses.register();
      await repositories.create(repository, defaultBranch);
    },
    remove: async (repository) => {
      const { directory } = repositories.location(repository);
      try {
        await repositories.discard(repository);
      } finally {
        await Promise.all([catFiles.forget(directory), processes.stopIn(directory, 'its repository was removed')]);
        repositories.forgetObjects(repository);
      }
    },
    exists: async (repository) => await repositories.exists(repositories.location(repository)),
    list: async () => await repositories.list(),
    setDefaultBranch: inside((location, branch) =>
      // The mark is set for each attempt only. If it lasted while waiting for the lock, a lock left by a dead process
      // would look like part of this change.
      repositories.setHead(location, branch, (attempt) => changes.during(location, ['refs'], attempt)),
    ),
    lastCommits: looking((...asked) => lastCommits.of(...asked)),
    patch: inside(patch(foundation, objects)),
    tryMerge: inside((...asked) => merges.try(...asked)),
    merge: inside((...asked) => merges.merge(...asked)),
    keepCommit: changing((location, { from, ...kept }, hooks) =>
      inside((source) => keeper.keep(location, { source, ...kept }, hooks))(from),
    ),

    version: async () => {
      version ??= versionOf(processes);
      // A failure is not cached, because its cause, such as a full disk, may be temporary.
      version.catch(() => {
        version = undefined;
      });
      return await version;
    },
    close: async () => {
      lastCommits.close();
      await receivePack.settled();
      await processes.close();
      await changes.settle();
      await removals.close();
      await liveProcesses.unregister();
    },
  } satisfies GitNative;
  return namingResources(backend, foundation.root);
}
