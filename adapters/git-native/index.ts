// The git adapter: implements the port `GitBackend` with the git program.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/kernel/services/log';
import type { Clock } from '#core/kernel/time';
import type { GitBackend } from '#core/repositories/git/git-backend';
import { Patches } from './diffs/patches.ts';
import { Blames } from './history/blame.ts';
import { CommitGraphs } from './history/commit-graph.ts';
import { Commits } from './history/commits.ts';
import { Diffs } from './history/diff.ts';
import { Divergences } from './history/divergence.ts';
import { CommitLog } from './history/log.ts';
import { LastCommits } from './last-commits/last-commits.ts';
import { CommitKeeper } from './keeping/keep-commit.ts';
import { Merges } from './merging/merges.ts';
import { ArchiveView } from './objects/archive-view.ts';
import { Archives } from './objects/archive.ts';
import { CatFilePool } from './objects/cat-file-pool.ts';
import { Contents } from './objects/contents.ts';
import { FileSizes } from './objects/file-sizes.ts';
import { Objects } from './objects/objects.ts';
import { GitProcesses } from './process/git-process.ts';
import { Limiter } from './process/limiter.ts';
import { gitLimits, type GitLimits } from './process/limits.ts';
import { LiveProcesses } from './process/launcher/live-processes.ts';
import { namingResources } from './process/exhausted-resources.ts';
import { versionOf, type GitVersion } from './process/version.ts';
import { Hooks } from './push/hooks.ts';
import { ReceivePack } from './push/receive-pack.ts';
import { CommitWriter } from './push/write-commit.ts';
import { RefMover } from './refs/move-refs.ts';
import { isLegalName } from './names.ts';
import { Refs } from './refs/refs.ts';
import { Tips } from './history/tips.ts';
import { bytesIn } from './files/folder-size.ts';
import { Forks } from './transport/fork.ts';
import { Removals } from './files/removals.ts';
import { absent, Repositories, type RepositoryLocation } from './storage/repositories.ts';
import { LargeTransfers } from './transport/large-transfers.ts';
import { SmartHttp } from './transport/smart-http.ts';
import { Changes } from './upkeep/changes.ts';
import { Maintenance } from './upkeep/maintenance.ts';
import { Pruner } from './upkeep/prune.ts';
import { removeStaleFiles } from './upkeep/stale-files.ts';

export type { GitVersion } from './process/version.ts';
export type { GitLimits } from './process/limits.ts';

export interface GitNativeOptions {
  /** Absolute path. Repositories are stored below it by uuid: `ab/abcdef….git`. */
  readonly root: string;
  readonly log: Log;
  /** Determines the age of stale files. Default: the system clock. */
  readonly clock?: Clock;
  /** The git program. Default: `git`, as found on the standard path. */
  readonly gitPath?: string;
  readonly limits?: Partial<GitLimits>;
  /**
   * The caller key of the current work (`CurrentCaller`); undefined for the server's own work, which is the default.
   */
  readonly caller?: () => string | undefined;
}

export type GitNative = GitBackend & {
  /**
   * The version of the git program.
   * @throws {Unavailable} one sentence with its remedy, if git is missing or older than 2.39.
   */
  version(): Promise<GitVersion>;
  /** Finishes the pushes that were accepted, then ends every git process. The adapter accepts no calls afterwards. */
  close(): Promise<void>;
};

/** Milliseconds. Younger files may belong to a push of another process; no push takes longer. */
const othersWriteMs = 2 * 3600_000;
const sweptAtOnce = 16;

export function gitNative(options: GitNativeOptions): GitNative {
  const { root, log, gitPath = 'git' } = options;
  const now = (): number => options.clock?.now().getTime() ?? Date.now();
  const beganAt = now();
  const limits = gitLimits(options.limits);
  const liveProcesses = new LiveProcesses(root);
  const processes = new GitProcesses(gitPath, {
    ...limits,
    caller: options.caller,
    environment: liveProcesses.environment,
  });
  const catFiles = new CatFilePool(processes, {
    limit: limits.readers,
    stallMs: limits.computeSeconds * 1000,
    allocationBytes: limits.readerAllocationBytes,
    idleMs: 60_000,
  });
  const limiter = (name: string, slots: number): Limiter =>
    new Limiter(name, { slots, queue: limits.queue, caller: options.caller });
  const interactive = limiter('reads', limits.interactive);
  const heavy = limiter('upkeep', Math.ceil(limits.heavy / 2));
  const transfers = limiter('transfers', limits.transfers);
  const objects = new Objects(catFiles);
  const removals = new Removals(log);
  const repositories = new Repositories(root, removals, join(liveProcesses.folder, 'new'));
  const changes = new Changes({
    liveProcesses,
    directoryOf: (repository) => repositories.location(repository).directory,
    log,
  });
  const refs = new Refs(objects);
  const graphs = new CommitGraphs();
  const mover = new RefMover({ processes, limiter: interactive, deadlineMs: limits.readSeconds * 1000 });
  const contents = new Contents({ objects, processes, transfers, limits });
  // A separate limiter from that of maintenance, because callers wait for these computations.
  const computing = {
    processes,
    heavy: limiter('computations', limits.heavy),
    deadlineMs: limits.computeSeconds * 1000,
  };
  const commits = new Commits({ objects, ...computing });
  const tips = new Tips({ objects, commits });
  const commitLog = new CommitLog({ commits, interactive, ...computing });
  const divergences = new Divergences({
    objects,
    graphs,
    limiter: limiter('counts', 2),
    ...computing,
  });
  const diffs = new Diffs(computing);
  const patches = new Patches({ objects, ...computing });
  const blames = new Blames(computing);
  const sizes = new FileSizes(computing);
  const archives = new Archives({ processes, transfers, limits, view: new ArchiveView(root) });
  const lastCommits = new LastCommits({
    objects,
    graphs,
    processes,
    limiter: limiter('walks', limits.heavy),
    limits,
    log,
  });
  const hooks = new Hooks(root, removals);
  const largeTransfers = new LargeTransfers(limiter('clones of large repositories', limits.largeTransfers));
  const serving = {
    processes,
    interactive,
    transfers,
    largeTransfers,
    limits,
    log,
    caller: options.caller,
  };
  const smartHttp = new SmartHttp(serving);
  const receivePack = new ReceivePack({
    ...serving,
    refs,
    hooks,
    hooksFolder: liveProcesses.folder,
    changes,
    caller: options.caller,
    removals,
    gone: (location) => repositories.gone(location),
    clear: (location) => clear(location),
  });
  const writer = new CommitWriter({ objects, receivePack });
  const merges = new Merges({
    objects,
    commitLog,
    receivePack,
    removals,
    folder: liveProcesses.folder,
    limits,
    ...computing,
    // A separate limiter, because a merge may run longer than other computations, which must not wait for it.
    heavy: limiter('merges', limits.heavy),
  });
  const forks = new Forks({ processes, transfers, largeTransfers, limits });
  const keeper = new CommitKeeper({
    objects,
    refs,
    receivePack,
    processes,
    limiter: limiter('commits from forks', limits.heavy),
    limits,
    move: (location, update) => mover.move(location, [update], (work) => changes.during(location, ['refs'], work)),
  });
  const maintenance = new Maintenance({
    processes,
    heavy,
    refs,
    contents,
    lastCommits,
    limits,
    log,
    changes,
    removeStaleFiles: async (location) => void (await removeStaleFiles(location.directory, now() - othersWriteMs)),
  });
  let version: Promise<GitVersion> | undefined;

  const forget = (location: RepositoryLocation): void => {
    for (const cache of [
      objects,
      graphs,
      refs,
      contents,
      lastCommits,
      tips,
      divergences,
      commits,
      commitLog,
      diffs,
      patches,
      blames,
      merges,
    ])
      cache.forget(location);
  };
  const pruner = new Pruner({
    processes,
    heavy,
    maintenance,
    changes,
    forget: async (location) => {
      await catFiles.renew(location.directory);
      forget(location);
    },
  });
  /** Throws `NotFound` instead of the error of git if another process removed the repository in the meantime. */
  const orAbsent = async <T>(location: RepositoryLocation, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw (await repositories.gone(location)) ? absent(location.id) : error;
    }
  };
  const inside = async <T>(repository: string, work: (location: RepositoryLocation) => Promise<T>): Promise<T> => {
    const location = await repositories.existing(repository);
    return await orAbsent(location, work(location));
  };
  /** For short reads: checks that the repository exists while the read is running. */
  const looking = async <T>(repository: string, work: (location: RepositoryLocation) => Promise<T>): Promise<T> => {
    const location = repositories.location(repository);
    const [result] = await orAbsent(location, Promise.all([work(location), repositories.existing(repository)]));
    return result;
  };
  const clear = (location: RepositoryLocation): Promise<void> =>
    removals.remove(location.directory, () => repositories.discardRemains(location));
  /**
   * Like `inside`, for writes. Git recreates folders of a repository that was removed in the meantime; they are removed
   * here.
   */
  const changing = async <T>(repository: string, work: (location: RepositoryLocation) => Promise<T>): Promise<T> => {
    try {
      return await inside(repository, work);
    } finally {
      await clear(repositories.location(repository));
    }
  };

  const sweep = async (): Promise<void> => {
    await mkdir(repositories.trash, { recursive: true, mode: 0o700 });
    await Promise.all([liveProcesses.register(), hooks.ready()]);
    await changes.bury();
    const alone = (await liveProcesses.others()).living.length === 0;
    await repositories.sweep();
    const waiting = [...(await repositories.list())];
    const worker = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        await clear(repositories.location(id));
        const removed = await removeStaleFiles(
          repositories.location(id).directory,
          alone ? beganAt : now() - othersWriteMs,
        );
        if (removed.length > 0) log.info({ repository: id, removed }, 'removed what a killed process left');
      }
    };
    await Promise.all(Array.from({ length: sweptAtOnce }, worker));
    changes.watch();
  };

  const create = async (repository: string, defaultBranch: string): Promise<void> => {
    await liveProcesses.register();
    await repositories.create(repository, defaultBranch);
  };

  const backend = {
    create: async (repository, { defaultBranch }) => await create(repository, defaultBranch),
    fork: async (source, target, { defaultBranch, signal }) => {
      await inside(source, async (from) => {
        await create(target, defaultBranch);
        const to = repositories.location(target);
        await changes.during(to, ['refs', 'objects'], () => forks.fetch(from, to, signal));
      });
    },
    remove: async (repository) => {
      const location = repositories.location(repository);
      try {
        await repositories.discard(repository);
      } finally {
        await Promise.all([
          catFiles.forget(location.directory),
          processes.stopIn(location.directory, 'its repository was removed'),
        ]);
        forget(location);
      }
    },
    exists: async (repository) => await repositories.exists(repositories.location(repository)),
    list: async () => await repositories.list(),
    setDefaultBranch: async (repository, branch) =>
      await inside(repository, (location) =>
        // The mark is set for each attempt only. If it lasted while waiting for the lock, a lock left by a dead process
        // would look like part of this change.
        repositories.setHead(location, branch, (attempt) => changes.during(location, ['refs'], attempt)),
      ),

    resolveCommit: async (repository, revision) =>
      await looking(repository, (location) => refs.resolve(location, revision)),
    isLegalName,
    refs: async (repository, kind) => await inside(repository, (location) => refs.list(location, kind)),
    refList: async (repository, kind) => await inside(repository, (location) => refs.all(location, kind)),
    readRefs: async (repository, names) => await inside(repository, (location) => refs.readAll(location, names)),
    tips: async (repository, oids) => await inside(repository, (location) => tips.of(location, oids)),
    divergence: async (repository, base, heads, signal) =>
      await inside(repository, (location) => divergences.of(location, base, heads, signal)),
    moveRefs: async (repository, updates) =>
      await changing(repository, (location) =>
        mover.move(location, updates, (work) => changes.during(location, ['refs'], work)),
      ),
    writeTag: async (repository, tag) =>
      await changing(repository, (location) =>
        changes.during(location, ['objects'], () => mover.writeTag(location, tag)),
      ),
    keepCommit: async (repository, { from, ...kept }, keepHooks) =>
      await changing(repository, (location) =>
        inside(from, (source) => keeper.keep(location, { source, ...kept }, keepHooks)),
      ),

    entry: async (repository, commit, path) =>
      await looking(repository, (location) => contents.entry(location, commit, path)),
    tree: async (repository, tree) => await looking(repository, (location) => contents.tree(location, tree)),
    lastCommits: async (repository, commit, path, signal) =>
      await looking(repository, (location) => lastCommits.of(location, commit, path, signal)),
    blob: async (repository, oid, signal) =>
      await inside(repository, (location) => contents.blob(location, oid, signal)),

    commitRecord: async (repository, commit) => await looking(repository, (location) => commits.one(location, commit)),
    history: async (repository, query, signal) =>
      await inside(repository, (location) => commitLog.page(location, query, signal)),
    difference: async (repository, from, to, signal) =>
      await inside(repository, (location) => diffs.between(location, from, to, signal)),
    patch: async (repository, query, caps, signal) =>
      await inside(repository, (location) => patches.of(location, query, caps, signal)),
    mergeBase: async (repository, one, other, signal) =>
      await inside(repository, (location) => commitLog.mergeBase(location, one, other, signal)),
    blame: async (repository, commit, path, signal) =>
      await inside(repository, (location) => blames.of(location, commit, path, signal)),
    archive: async (repository, commit, packing, signal) =>
      await inside(repository, (location) => archives.of(location, commit, packing, signal)),
    sizes: async (repository, commit, group, signal) =>
      await inside(repository, (location) => sizes.sumBy(location, commit, group, signal)),
    write: async (repository, change, pushHooks) =>
      await inside(repository, (location) => writer.write(location, change, pushHooks)),
    tryMerge: async (repository, trial, signal) =>
      await inside(repository, (location) => merges.try(location, trial, signal)),
    merge: async (repository, change, pushHooks) =>
      await inside(repository, (location) => merges.merge(location, change, pushHooks)),

    advertise: async (repository, request) =>
      await inside(repository, (location) => smartHttp.advertise(location, request)),
    uploadPack: async (repository, request) =>
      await inside(repository, (location) => smartHttp.uploadPack(location, request)),
    receivePack: async (repository, request) =>
      await inside(repository, (location) => receivePack.receive(location, request)),
    maintain: async (repository) => {
      if (await repositories.exists(repositories.location(repository)))
        await changing(repository, (location) => maintenance.maintain(location));
    },
    size: async (repository) => await bytesIn(join(repositories.location(repository).directory, 'objects')),
    prune: async (repository, { before, signal }) =>
      await changing(repository, (location) => pruner.prune(location, before, signal)),
    sweep,

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
  return namingResources(backend, root);
}
