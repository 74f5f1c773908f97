// The upkeep of repositories: maintenance after pushes, pruning, sizes, and what killed processes left.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitBackend } from '#core/repositories/git/git-backend';
import { removeStaleFiles } from '../changes/stale-files.ts';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { bytesIn } from '../files/folder-size.ts';
import type { CatFilePool } from '../objects/cat-file-pool.ts';
import type { Hooks } from '../push/hooks.ts';
import { ownBytes } from './own-bytes.ts';
import { Maintenance, othersWriteMs, type MaintenanceParts } from './maintenance.ts';
import { Pruner } from './prune.ts';
import { upkeepGit } from './upkeep-git.ts';

type UpkeepParts = Omit<MaintenanceParts, 'git'> & { readonly catFiles: CatFilePool; readonly hooks: Hooks };

export function upkeep(parts: UpkeepParts) {
  const { changing, clear, inside, repositories, liveProcesses, changes, catFiles, hooks, log, now } = parts;
  const beganAt = now();
  const git = upkeepGit(parts);
  const maintenance = new Maintenance({ ...parts, git });
  const pruner = new Pruner({
    git,
    maintenance,
    changes,
    forget: async (location) => {
      await catFiles.renew(location.directory);
      repositories.forgetObjects(location.id);
    },
  });
  const maintain = changing((location) => maintenance.maintain(location));
  const sweepOne = async (id: string, before: number): Promise<void> => {
    const location = repositories.location(id);
    await clear(location);
    const removed = await removeStaleFiles(location.directory, before);
    if (removed.length > 0) log.info({ repository: id, removed }, 'removed what a killed process left');
  };
  return {
    maintain: async (id) => {
      if (await repositories.exists(repositories.location(id))) await maintain(id);
    },
    prune: changing((location, { before, signal }) => pruner.prune(location, before, signal)),
    ownBytes: inside(ownBytes(git)),
    size: async (id) => await bytesIn(join(repositories.location(id).directory, 'objects')),
    sweep: async () => {
      await mkdir(repositories.trash, { recursive: true, mode: 0o700 });
      await Promise.all([liveProcesses.register(), hooks.ready()]);
      await changes.bury();
      const alone = (await liveProcesses.others()).living.length === 0;
      await repositories.sweep();
      const before = alone ? beganAt : now() - othersWriteMs;
      await fewFiles(await repositories.list(), (id) => sweepOne(id, before));
      changes.watch();
    },
  } satisfies Partial<GitBackend>;
}
