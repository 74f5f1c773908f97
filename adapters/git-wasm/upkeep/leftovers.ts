// Removes what killed writers left in a repository: stale locks, drafts and quarantines.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '#adapters/git-common/files/errno';

/** Milliseconds. Younger files may belong to a push of another process; no push takes longer. */
const othersWriteMs = 2 * 3600_000;
/** Milliseconds. No change of refs takes longer, so an older lock was left by a process that has ended. */
const longestLockMs = 10 * 60_000;
const names = /(?:^|\/)(?:tmp_|\.?tmp[-_]|incoming-)[^/]*$|\.lock$|\.new$/;

export async function removeLeftovers(directory: string, now: number): Promise<void> {
  const found: string[] = [];
  for (const folder of ['', 'objects', 'objects/pack', 'objects/info'])
    for (const name of (await readdir(join(directory, folder)).catch(ignoreMissing)) ?? [])
      found.push(join(folder, name));
  for (const name of (await readdir(join(directory, 'refs'), { recursive: true }).catch(ignoreMissing)) ?? [])
    found.push(join('refs', name));
  for (const path of found.filter((each) => names.test(each))) {
    const full = join(directory, path);
    const age = await stat(full).catch(ignoreMissing);
    const longest = path.endsWith('.lock') ? longestLockMs : othersWriteMs;
    if (age !== undefined && age.mtimeMs < now - longest) await rm(full, { recursive: true, force: true });
  }
}

/** Removes what earlier processes left in a folder of temporary files. */
export async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of (await readdir(folder).catch(ignoreMissing)) ?? []) {
    const path = join(folder, name);
    const age = await stat(path).catch(ignoreMissing);
    if (age !== undefined && age.mtimeMs < now - othersWriteMs) await rm(path, { recursive: true, force: true });
  }
}
