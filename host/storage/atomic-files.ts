// Atomic file writes: create a file unless it exists, or replace it, whole and synced, even if several processes write
// at the same time.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '#adapters/postgres/embedded/sync-folder';

/** Creates the file with these contents, whole and synced, unless it exists. @returns whether this call created it. */
export function createOnce(path: string, contents: string): boolean {
  const draft = writeBeside(path, contents);
  try {
    // Unlike rename, link fails if the name exists.
    linkSync(draft, path);
    return true;
  } catch (error) {
    // If the file exists, another process created it first. The error code varies: it is EEXIST, or ENOENT if
    // that process has called `removeDrafts` since, which also removes this call's draft.
    if (existsSync(path)) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
    syncFolder(dirname(path));
  }
}

/** Replaces the file: a reader sees the old or the new contents, never a part. */
export function replaceFile(path: string, contents: string): void {
  const draft = writeBeside(path, contents);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Removes the drafts that remain beside the file when a process is killed during `createOnce`. It may also remove the
 * draft of a call that is still running. Call it only when the file exists: a concurrent `createOnce` then returns
 * false instead of throwing. Do not call it for a file that `replaceFile` writes: without its draft, it fails.
 */
export function removeDrafts(path: string): void {
  const begin = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(begin) && draftEnd.test(name.slice(begin.length)))
      rmSync(join(dirname(path), name), { force: true });
}

const draftEnd = /^[0-9a-f]{12}\.new$/;

/**
 * Writes and syncs a draft beside the file. If it cannot be written completely, as on a full disk, the draft is
 * removed.
 */
function writeBeside(path: string, contents: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, contents);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}
