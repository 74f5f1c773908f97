// Atomic file writes: create a file unless it exists, or replace it, whole and synced however many processes try at the
// same moment.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the file with these contents, whole and on disk, unless it exists. @returns whether this call made it. */
export function createOnce(path: string, contents: string): boolean {
  const temporary = writeBeside(path, contents);
  try {
    // Unlike rename, link refuses an existing name.
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
    syncDirectory(path);
  }
}

/** Replaces the file: a reader sees the old or the new contents, never a part. */
export function replaceFile(path: string, contents: string): void {
  renameSync(writeBeside(path, contents), path);
  syncDirectory(path);
}

function writeBeside(path: string, contents: string): string {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, contents);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}

function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
