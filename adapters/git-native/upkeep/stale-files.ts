// Removal of stale temporary files and locks that killed writers left in a repository, told by age from those of live
// writers.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../storage/errno.ts';

/** Names below one folder of a repository. Locks end in `.lock`, which no ref may. */
const leftovers: readonly { readonly folder: string; readonly names: RegExp }[] = [
  { folder: '', names: /\.lock$|^\.tmp-|\.new$/ },
  { folder: 'objects', names: /^(tmp_objdir-|incoming-)/ },
  { folder: 'objects/pack', names: /^\.?tmp[-_]|\.lock$/ },
  { folder: 'objects/info', names: /\.lock$|^tmp_/ },
  { folder: 'objects/info/commit-graphs', names: /\.lock$|^tmp_/ },
];

/** Removes what is older than `before` (milliseconds since 1970). @returns what it removed, below the repository. */
export async function removeStaleFiles(directory: string, before: number): Promise<readonly string[]> {
  const found = await Promise.all([
    ...leftovers.map(({ folder, names }) => namesIn(directory, folder, (name) => names.test(name))),
    refLocks(directory),
    looseDrafts(directory),
    staleKeeps(directory),
  ]);
  const removed = await Promise.all(
    found.flat().map(async (path) => {
      const full = join(directory, path);
      const age = await stat(full).catch(ignoreMissing);
      if (age === undefined || age.mtimeMs >= before) return [];
      await rm(full, { recursive: true, force: true });
      return [path];
    }),
  );
  return removed.flat();
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

/** receive-pack keeps a pack from being repacked until its refs have moved; killed in between, it keeps it for ever. */
async function staleKeeps(directory: string): Promise<readonly string[]> {
  const keeps = await namesIn(directory, 'objects/pack', (name) => name.endsWith('.keep'));
  const own = await Promise.all(
    keeps.map(async (keep) =>
      ((await readFile(join(directory, keep), 'utf8').catch(ignoreMissing)) ?? '').startsWith('receive-pack '),
    ),
  );
  return keeps.filter((_, index) => own[index]);
}
