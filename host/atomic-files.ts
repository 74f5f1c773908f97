// Atomic file writes: create a file unless it exists, or replace it, whole and synced however many processes try at the
// same moment.
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

/** Makes the file with these contents, whole and on disk, unless it exists. @returns whether this call made it. */
export function createOnce(path: string, contents: string): boolean {
  const draft = writeBeside(path, contents);
  try {
    // Unlike rename, link refuses an existing name.
    linkSync(draft, path);
    return true;
  } catch (error) {
    // Whoever was first may have removed the draft of this call too.
    if (existsSync(path)) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
    syncDirectory(path);
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
  syncDirectory(path);
}

/**
 * Removes what processes that were killed in `createOnce` left beside the file. Only where that exists, and is replaced
 * by nobody: who is making it at this moment learns that it is made, whether its draft is there or not.
 */
export function removeDrafts(path: string): void {
  const begin = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(begin) && draftEnd.test(name.slice(begin.length)))
      rmSync(join(dirname(path), name), { force: true });
}

const draftEnd = /^[0-9a-f]{12}\.new$/;

/** Where it cannot be written whole, as on a full disk, there is none. */
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

function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
