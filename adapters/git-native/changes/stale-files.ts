// Removes stale temporary files and locks that killed writers left in a repository. The files of live writers are
// recognized by their times.
import { lstatSync, rmSync, type Stats } from 'node:fs';
import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Changed } from '../process/launcher/live-processes.ts';
import { ignoreMissing } from '#adapters/git-common/files/errno';

/** File names in one folder of a repository. Locks end in `.lock`, which no ref may. */
interface Leftovers {
  readonly folder: string;
  readonly names: RegExp;
}
const ofRefs: readonly Leftovers[] = [{ folder: '', names: /\.lock$|\.new$/ }];
const ofObjects: readonly Leftovers[] = [
  { folder: '', names: /^\.tmp-/ },
  { folder: 'objects', names: /^(tmp_objdir-|incoming-)/ },
  { folder: 'objects/pack', names: /^\.?tmp[-_]|\.lock$/ },
  { folder: 'objects/info', names: /\.lock$|^tmp_/ },
  { folder: 'objects/info/commit-graphs', names: /\.lock$|^tmp_/ },
];

/**
 * Removes what is older than `before` (milliseconds since 1970).
 * @returns the removed paths, relative to the repository.
 */
export async function removeStaleFiles(directory: string, before: number): Promise<readonly string[]> {
  const found = [...(await leftIn(directory, 'refs')), ...(await leftIn(directory, 'objects'))];
  const removed = await Promise.all(
    found.map(async (path) => {
      const full = join(directory, path);
      const age = await stat(full).catch(ignoreMissing);
      if (age === undefined || age.mtimeMs >= before) return [];
      await rm(full, { recursive: true, force: true });
      return [path];
    }),
  );
  return removed.flat();
}

export interface RemovedLeft {
  /** Relative to the repository. */
  readonly removed: readonly string[];
  /**
   * The time of the oldest file that was kept because it may belong to an active writer; infinite without such a file.
   */
  readonly kept: number;
}

/**
 * Removes what a writer that has ended may have left: files of its kind that were made since it began and before any
 * active writer began.
 */
export async function removeLeft(
  directory: string,
  changed: Changed,
  { since, before }: { readonly since: number; readonly before: number },
): Promise<RemovedLeft> {
  const removed: string[] = [];
  let kept = Number.POSITIVE_INFINITY;
  for (const path of await leftIn(directory, changed)) {
    const full = join(directory, path);
    const found = await lstat(full).catch(ignoreMissing);
    // The ctime, which no program can set back. A file may be made in the tick of the clock in which its writer began,
    // so a file with exactly this time counts as that writer's.
    if (found === undefined || found.ctimeMs < since) continue;
    if (found.ctimeMs >= before) {
      kept = Math.min(kept, found.ctimeMs);
      continue;
    }
    if (found.isDirectory()) {
      // A quarantine: its name is unique, so no other writer uses it.
      await rm(full, { recursive: true, force: true });
    } else {
      // Checked and removed synchronously: if another process removed it in between, another writer might make its own
      // file of that name.
      if (!same(found, lstatSync(full, { throwIfNoEntry: false }))) continue;
      rmSync(full, { force: true });
    }
    removed.push(path);
  }
  return { removed, kept };
}

const same = (one: Stats, other: Stats | undefined): boolean =>
  one.ino === other?.ino && one.ctimeMs === other.ctimeMs && one.dev === other.dev;

async function leftIn(directory: string, changed: Changed): Promise<readonly string[]> {
  const named = (changed === 'refs' ? ofRefs : ofObjects).map(({ folder, names }) =>
    namesIn(directory, folder, (name) => names.test(name)),
  );
  const more = changed === 'refs' ? [refLocks(directory)] : [looseDrafts(directory), staleKeeps(directory)];
  return (await Promise.all([...named, ...more])).flat();
}

async function namesIn(
  directory: string,
  folder: string,
  matches: (name: string) => boolean,
): Promise<readonly string[]> {
  const names = (await readdir(join(directory, folder)).catch(ignoreMissing)) ?? [];
  return names.filter(matches).map((name) => join(folder, name));
}

async function refLocks(directory: string): Promise<readonly string[]> {
  const names = (await readdir(join(directory, 'refs'), { recursive: true }).catch(ignoreMissing)) ?? [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join('refs', name));
}

async function looseDrafts(directory: string): Promise<readonly string[]> {
  const folders = await namesIn(directory, 'objects', (name) => /^[0-9a-f]{2}$/.test(name));
  return (
    await Promise.all(folders.map((folder) => namesIn(directory, folder, (name) => name.startsWith('tmp_obj_'))))
  ).flat();
}

/**
 * receive-pack keeps a pack from being repacked until its refs have moved. If it is killed before, the `.keep` file
 * stays.
 */
async function staleKeeps(directory: string): Promise<readonly string[]> {
  const keeps = await namesIn(directory, 'objects/pack', (name) => name.endsWith('.keep'));
  const own = await Promise.all(
    keeps.map(async (keep) =>
      ((await readFile(join(directory, keep), 'utf8').catch(ignoreMissing)) ?? '').startsWith('receive-pack '),
    ),
  );
  return keeps.filter((_, index) => own[index]);
}
