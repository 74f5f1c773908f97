// The port `GitBackend` over the git program.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/kernel/log';
import type { Clock } from '#core/kernel/time';
import type { GitBackend } from '#core/repositories/git-backend';
import { Archives } from './objects/archive.ts';
import { Blames } from './history/blame.ts';
import { CommitGraphs } from './history/commit-graph.ts';
import { Commits } from './history/commits.ts';
import { Contents } from './objects/contents.ts';
import { Diffs } from './history/diff.ts';
import { Divergences } from './history/divergence.ts';
import { ignoreAbsence } from './storage/durable-files.ts';
import { Forks } from './storage/fork.ts';
import { Hooks, verdictsVariable } from './push/hooks.ts';
import { Lane } from './process/limiter.ts';
import { LastCommits } from './last-commits/last-commits.ts';
import { gitLimits, type GitLimits } from './process/limits.ts';
import { Log as CommitLog } from './history/log.ts';
import { Maintenance } from './upkeep/maintenance.ts';
import { RefMover } from './refs/move-refs.ts';
import { isLegalName } from './refs/names.ts';
import { Objects, type Place } from './objects/objects.ts';
import { Occupants } from './process/live-processes.ts';
import { GitProcesses } from './process/git-process.ts';
import { Pruner } from './upkeep/prune.ts';
import { Readers } from './objects/cat-file-pool.ts';
import { Receiver } from './push/receive-pack.ts';
import { Refs } from './refs/refs.ts';
import { Repositories } from './storage/repositories.ts';
import { Sizes } from './objects/file-sizes.ts';
import { tidy } from './upkeep/stale-files.ts';
import { Tips } from './refs/tips.ts';
import { Transport } from './transport/smart-http.ts';
import { versionOf, type GitVersion } from './process/version.ts';
import { Writer } from './push/write-commit.ts';

export type { GitVersion } from './process/version.ts';
export type { GitLimits } from './process/limits.ts';

export interface GitNativeOptions {
  /** Absolute; repositories lie below it by uuid: `ab/abcdef….git`. */
  readonly root: string;
  readonly log: Log;
  /** What is stale is judged by it. Default: the system's. */
  readonly clock?: Clock;
  /** The git program. Default: `git`, as found on the standard path. */
  readonly gitPath?: string;
  readonly limits?: Partial<GitLimits>;
}

export type GitNative = GitBackend & {
  /**
   * The version of the git program. @throws {Unavailable} one sentence with its remedy, where git is missing or older
   * than 2.39.
   */
  version(): Promise<GitVersion>;
  /** Ends every process; pushes past their verdict are finished first. Nothing can be asked afterwards. */
  close(): Promise<void>;
};

/** What another process may still be writing: a push takes no longer. */
const othersWriteMs = 2 * 3600_000;
const sweptAtOnce = 16;

export function gitNative(options: GitNativeOptions): GitNative {
  const { root, log, gitPath = 'git' } = options;
  const now = (): number => options.clock?.now().getTime() ?? Date.now();
  const beganAt = now();
  const limits = gitLimits(options.limits);
  const processes = new GitProcesses(gitPath);
  const readers = new Readers(processes, { limit: limits.readers, stallMs: limits.readSeconds * 1000, idleMs: 60_000 });
  const interactive = new Lane('reads', limits.interactive, limits.queue);
  const heavy = new Lane('computations', limits.heavy, limits.queue);
  const transfers = new Lane('transfers', limits.transfers, limits.queue);
  const objects = new Objects(readers);
  const repositories = new Repositories(root);
  const occupants = new Occupants(root);
  const refs = new Refs(objects);
  const graphs = new CommitGraphs();
  const mover = new RefMover({ processes, lane: interactive, deadlineMs: limits.readSeconds * 1000 });
  const contents = new Contents({ objects, processes, transfers, limits });
  // A lane of their own: somebody waits for them, while upkeep has all the time there is.
  const computing = {
    processes,
    heavy: new Lane('computations', limits.heavy, limits.queue),
    deadlineMs: limits.readSeconds * 1000,
  };
  const commits = new Commits({ objects, ...computing });
  const tips = new Tips({ objects, commits });
  const commitLog = new CommitLog({ commits, interactive, ...computing });
  const divergences = new Divergences({ objects, graphs, lane: new Lane('counts', 1, limits.queue), ...computing });
  const diffs = new Diffs(computing);
  const blames = new Blames(computing);
  const sizes = new Sizes(computing);
  const archives = new Archives({ processes, transfers, limits });
  const lastCommits = new LastCommits({
    objects,
    graphs,
    processes,
    lane: new Lane('walks', limits.heavy, limits.queue),
    limits,
    log,
  });
  const hooks = new Hooks(root);
  const serving = { processes, interactive, transfers, limits, log };
  const transport = new Transport(serving);
  const receiver = new Receiver({
    ...serving,
    refs,
    hooks,
    occupants,
    gone: async (place) => !(await repositories.exists(place)),
    clear: (place) => clear(place),
  });
  const writer = new Writer({ objects, receiver });
  const forks = new Forks({ processes, transfers, limits });
  const maintenance = new Maintenance({
    processes,
    heavy,
    refs,
    contents,
    lastCommits,
    log,
    tidy: async (place) => void (await tidy(place.directory, now() - othersWriteMs)),
  });
  const deletions = new Set<Promise<void>>();
  let version: Promise<GitVersion> | undefined;

  const deleteSoon = (path: string): void => {
    const deletion = rm(path, { recursive: true, force: true })
      .catch((error: unknown) => log.warn({ path, err: error }, 'a removed repository could not be deleted yet'))
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  };
  const forget = (place: Place): void => {
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
      blames,
    ])
      cache.forget(place);
  };
  const pruner = new Pruner({
    processes,
    heavy,
    maintenance,
    forget: async (place) => {
      await readers.renew(place.directory);
      forget(place);
    },
  });
  /** Another process may remove the repository meanwhile: then it was not found, whatever git said of it. */
  const inside = async <T>(repository: string, work: (place: Place) => Promise<T>): Promise<T> => {
    const place = await repositories.existing(repository);
    try {
      return await work(place);
    } catch (error) {
      await repositories.existing(repository);
      throw error;
    }
  };
  const clear = async (place: Place): Promise<void> => {
    const discarded = await repositories.discardRemains(place);
    if (discarded !== undefined) deleteSoon(discarded);
  };
  /** The same for what writes: git makes folders anew where the repository's are gone. */
  const changing = async <T>(repository: string, work: (place: Place) => Promise<T>): Promise<T> => {
    try {
      return await inside(repository, work);
    } finally {
      await clear(repositories.place(repository));
    }
  };

  const sweep = async (): Promise<void> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await Promise.all([occupants.enter(), hooks.ready()]);
    const { living, dead } = await occupants.others();
    const alone = living.length === 0;
    await occupants.endOrphans(dead, verdictsVariable);
    for (const name of (await readdir(repositories.trash).catch(ignoreAbsence)) ?? [])
      deleteSoon(join(repositories.trash, name));
    if (alone) await rm(repositories.nursery, { recursive: true, force: true });
    const waiting = [...(await repositories.list())];
    const worker = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        await clear(repositories.place(id));
        const removed = await tidy(repositories.place(id).directory, alone ? beganAt : now() - othersWriteMs);
        if (removed.length > 0) log.info({ repository: id, removed }, 'removed what a killed process left');
      }
    };
    await Promise.all(Array.from({ length: sweptAtOnce }, worker));
    await occupants.bury(dead);
  };

  return {
    create: async (repository, { defaultBranch }) => await repositories.create(repository, defaultBranch),
    fork: async (source, target, { defaultBranch, signal }) => {
      await inside(source, async (from) => {
        await repositories.create(target, defaultBranch);
        await forks.fetch(from, repositories.place(target), signal);
      });
    },
    remove: async (repository) => {
      const place = repositories.place(repository);
      const discarded = await repositories.discard(repository);
      await Promise.all([
        readers.forget(place.directory),
        processes.stopIn(place.directory, 'its repository was removed'),
      ]);
      forget(place);
      if (discarded !== undefined) deleteSoon(discarded);
    },
    exists: async (repository) => await repositories.exists(repositories.place(repository)),
    list: async () => await repositories.list(),
    setDefaultBranch: async (repository, branch) =>
      await inside(repository, (place) => repositories.setHead(place, branch)),

    resolveCommit: async (repository, revision) => await inside(repository, (place) => refs.resolve(place, revision)),
    isLegalName,
    refs: async (repository, kind) => await inside(repository, (place) => refs.list(place, kind)),
    readRefs: async (repository, names) => await inside(repository, (place) => refs.readAll(place, names)),
    tips: async (repository, oids) => await inside(repository, (place) => tips.of(place, oids)),
    divergence: async (repository, base, heads, signal) =>
      await inside(repository, (place) => divergences.of(place, base, heads, signal)),
    moveRefs: async (repository, updates) => await changing(repository, (place) => mover.move(place, updates)),
    writeTag: async (repository, tag) => await changing(repository, (place) => mover.writeTag(place, tag)),

    entry: async (repository, commit, path) => await inside(repository, (place) => contents.entry(place, commit, path)),
    tree: async (repository, tree) => await inside(repository, (place) => contents.tree(place, tree)),
    lastCommits: async (repository, commit, path, signal) =>
      await inside(repository, (place) => lastCommits.of(place, commit, path, signal)),
    blob: async (repository, oid, signal) => await inside(repository, (place) => contents.blob(place, oid, signal)),

    commitRecord: async (repository, commit) => await inside(repository, (place) => commits.one(place, commit)),
    history: async (repository, query, signal) =>
      await inside(repository, (place) => commitLog.page(place, query, signal)),
    difference: async (repository, from, to, signal) =>
      await inside(repository, (place) => diffs.between(place, from, to, signal)),
    mergeBase: async (repository, one, other, signal) =>
      await inside(repository, (place) => commitLog.mergeBase(place, one, other, signal)),
    blame: async (repository, commit, path, signal) =>
      await inside(repository, (place) => blames.of(place, commit, path, signal)),
    archive: async (repository, commit, packing, signal) =>
      await inside(repository, (place) => archives.of(place, commit, packing, signal)),
    sizes: async (repository, commit, group, signal) =>
      await inside(repository, (place) => sizes.by(place, commit, group, signal)),
    write: async (repository, change, pushHooks) =>
      await inside(repository, (place) => writer.write(place, change, pushHooks)),

    advertise: async (repository, request) => await inside(repository, (place) => transport.advertise(place, request)),
    uploadPack: async (repository, request) =>
      await inside(repository, (place) => transport.uploadPack(place, request)),
    receivePack: async (repository, request) => await inside(repository, (place) => receiver.receive(place, request)),
    maintain: async (repository) => {
      if (await repositories.exists(repositories.place(repository)))
        await changing(repository, (place) => maintenance.maintain(place));
    },
    prune: async (repository, { before, signal }) =>
      await changing(repository, (place) => pruner.prune(place, before, signal)),
    sweep,

    version: async () => await (version ??= versionOf(processes)),
    close: async () => {
      lastCommits.close();
      await receiver.settled();
      await processes.close();
      await Promise.all(deletions);
      await occupants.leave();
    },
  } satisfies GitNative;
}
