// The life of a repository, and its maintenance.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeRefs, type GitBackend, type Oid } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import { looseNames } from '../refs/ref-files.ts';
import type { RefChanges } from '../refs/ref-changes.ts';
import type { Refs } from '../refs/refs.ts';
import { bytesIn, Quarantine } from '../storage/quarantine.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { spoolOf } from '../storage/spool.ts';
import { removeLeftovers, removeOld } from './leftovers.ts';

/** Numbers of loose refs and of packs above which tidying is worth it. */
const [manyLooseRefs, manyPacks] = [64, 20];

interface UpkeepParts {
  readonly refs: Refs;
  readonly refChanges: RefChanges;
  /** Reads the root listing of a commit, which is probably requested next. */
  readonly warm: (repository: string, commit: Oid) => Promise<unknown>;
}

export function upkeepMethods(
  { repositories, log, inside, threads, locks, root }: Foundation,
  { refs, refChanges, warm }: UpkeepParts,
) {
  /** The maintenance that runs in each repository. */
  const running = new Map<string, Promise<void>>();
  const combine = async (location: RepositoryLocation): Promise<void> => {
    const quarantine = await Quarantine.open(location);
    try {
      const { packPath, indexPath } = quarantine;
      const found = await threads.run(
        'combine',
        location,
        { least: manyPacks, packPath, indexPath },
        { kind: 'transfer' },
      );
      if (found === undefined) return;
      await quarantine.keep(found.made.name);
      await threads.run('removePacks', location, found.packs, { kind: 'transfer' });
    } finally {
      await quarantine.close();
    }
  };
  const maintain = async (location: RepositoryLocation): Promise<void> => {
    const { id, directory } = location;
    const tip = await refs.resolve(location, 'HEAD');
    if (tip !== undefined) await warm(id, tip);
    if ((await packNames(directory)).length > manyPacks) await locks.exclusive(id, () => combine(location));
    if ((await looseNames(directory, 'refs/')).length > manyLooseRefs) await refChanges.pack(directory);
    await removeLeftovers(directory, Date.now());
  };
  const prune = async (location: RepositoryLocation, before: number, signal: AbortSignal | undefined) => {
    const tipsNow = async (): Promise<readonly Oid[]> => [
      ...new Set((await refs.stored(location)).map(({ oid }) => oid)),
    ];
    const quarantine = await Quarantine.open(location);
    try {
      const { packPath, indexPath } = quarantine;
      const tips = await tipsNow();
      const plan = await threads.run(
        'prunePlan',
        location,
        { tips, before, packPath, indexPath },
        { kind: 'transfer', signal },
      );
      const { packs, loose, kept, remaining } = plan;
      if (packs.length === 0 && loose.length === 0) return { remaining };
      signal?.throwIfAborted();
      if (kept !== undefined) await quarantine.keep(kept.name);
      const made = (await tipsNow()).filter((oid) => !tips.includes(oid));
      await threads.run('removeObjects', location, { packs, loose, tips: made }, { kind: 'transfer' });
      return { remaining };
    } finally {
      repositories.forgetObjects(location.id);
      threads.forget(location.directory);
      await quarantine.close();
    }
  };
  return {
    create: async (repository: string, { defaultBranch }: { readonly defaultBranch: string }) =>
      await repositories.create(repository, defaultBranch),
    remove: async (repository: string) => {
      await repositories.discard(repository);
      repositories.forgetObjects(repository);
      threads.forget(repositories.location(repository).directory);
    },
    exists: async (repository: string) => await repositories.exists(repositories.location(repository)),
    list: async () => await repositories.list(),
    setDefaultBranch: inside((location, branch: string) => repositories.setHead(location, branch)),
    size: async (repository: string) => {
      const { directory } = repositories.location(repository);
      return (await stat(join(directory, 'HEAD')).catch(ignoreMissing)) === undefined
        ? 0
        : await bytesIn(join(directory, 'objects'));
    },
    prune: inside((location, { before, signal }: { readonly before: Date; readonly signal?: AbortSignal }) => {
      signal?.throwIfAborted();
      return locks.exclusive(location.id, () => prune(location, before.getTime(), signal));
    }),
    ownBytes: inside(async (location, commits: readonly Oid[], signal?: AbortSignal) => {
      const others = (await refs.stored(location))
        .filter(({ name }) => !name.startsWith(`${mergeRefs}/`))
        .map(({ oid }) => oid);
      return await threads.run('ownBytes', location, { commits, others }, { kind: 'transfer', signal });
    }),
    maintain: async (repository: string) => {
      const location = repositories.location(repository);
      const work =
        running.get(repository) ??
        maintain(location).catch((error: unknown) => {
          log.warn({ repository, err: error }, 'a repository could not be maintained');
        });
      running.set(repository, work);
      await work.finally(() => running.delete(repository));
    },
    sweep: async () => {
      await repositories.sweep();
      await removeOld(spoolOf(root), Date.now());
      await removeOld(repositories.staging, Date.now());
      const now = Date.now();
      for (const id of await repositories.list()) await removeLeftovers(repositories.location(id).directory, now);
    },
  } satisfies Partial<GitBackend>;
}

/** The names of packs, without their endings. */
async function packNames(directory: string): Promise<readonly string[]> {
  const names = (await readdir(join(directory, 'objects', 'pack')).catch(ignoreMissing)) ?? [];
  return names.filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -'.pack'.length));
}
