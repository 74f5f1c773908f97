// Opens the data directory: owned by Hexforge alone (0700), writable, and never used by an older version than wrote it.
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import isLater from 'semver/functions/gt.js';
import isEarlier from 'semver/functions/lt.js';
import validVersion from 'semver/functions/valid.js';
import { exhaustedResource } from '#core/kernel/access/resources';
import { createOnce, replaceFile } from './atomic-files.ts';
import { type Problem, refusal, Refused } from '../problems/problem.ts';

/** Written at the first start. It marks the directory as Hexforge's, and names the version that last wrote it. */
export const markerName = 'hexforge.json';

interface Marker {
  readonly version: string;
  readonly createdAt: string;
}

/** Creates the directory if it is missing, and checks and marks it. @throws {Refused} */
export function openDataDirectory(
  path: string,
  { version, now }: { readonly version: string; readonly now: Date },
): void {
  // Files in the directory, including those of git and the database, must not be readable by other users.
  process.umask(0o077);
  try {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Refused([notWritable(path, error)], error);
  }
  const entries = readdirSync(path);
  const mine = entries.includes(markerName);
  if ((statSync(path).mode & 0o077) !== 0) {
    if (!mine && entries.length > 0) {
      throw refusal(
        'data_directory_foreign',
        `The data directory ${path} holds files that are not Hexforge's, and others may read it`,
        'Set HEXFORGE_DATA_DIR to an empty or new directory',
      );
    }
    chmodSync(path, 0o700);
  }
  try {
    if (!mine) createOnce(join(path, markerName), render({ version, createdAt: now.toISOString() }));
  } catch (error) {
    // On a read-only file system the access check succeeds for root.
    throw new Refused([notWritable(path, error)], error);
  }
  acceptVersion(path, version);
}

/** Replaces Node's `recursive` option, which never returns if a parent rejects children with ENOENT, as /proc does. */
function makeDirectory(path: string, parentsMade = false): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || parentsMade || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path, true);
  }
}

/** Whether this version wrote the directory last. */
export function isMarked(path: string, version: string): boolean {
  try {
    return readMarker(path).version === version;
  } catch {
    return false;
  }
}

function acceptVersion(path: string, version: string): void {
  const marker = readMarker(path);
  if (isLater(marker.version, version)) {
    throw refusal(
      'data_directory_newer',
      `The data directory ${path} was written by Hexforge ${marker.version}, which is newer than this ${version}`,
      `Run Hexforge ${marker.version} or later, or restore a backup made with ${version}`,
    );
  }
  if (isEarlier(marker.version, version)) replaceFile(join(path, markerName), render({ ...marker, version }));
}

function readMarker(path: string): Marker {
  try {
    const marker: Record<string, unknown> = Object(JSON.parse(readFileSync(join(path, markerName), 'utf8')));
    const { version, createdAt } = marker;
    if (typeof version === 'string' && validVersion(version) !== null && typeof createdAt === 'string')
      return { version, createdAt };
  } catch {
    // Falls through to the refusal, which is the same for every fault of the file.
  }
  throw refusal(
    'data_directory_marker',
    `The file ${join(path, markerName)} is not readable as the mark of a data directory`,
    'Restore it from a backup',
  );
}

const render = (marker: Marker): string => `${JSON.stringify(marker)}\n`;

function notWritable(path: string, error: unknown): Problem {
  const spent = exhaustedResource(error, `the data directory ${path}`);
  return {
    code: 'data_directory_unwritable',
    message:
      spent?.message ??
      `The data directory ${path} cannot be written (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'})`,
    remedy: spent?.detail ?? 'Set HEXFORGE_DATA_DIR to a directory that this user may write, or change its owner',
  };
}
