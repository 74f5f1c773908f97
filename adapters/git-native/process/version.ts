// Reads the version of the installed git, and rejects a missing or outdated one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Unavailable } from '#core/kernel/errors';
import { standardPath } from './environment.ts';
import type { GitProcesses } from './git-process.ts';

export interface GitVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** As git prints it: `2.39.5`. */
  readonly text: string;
}

/**
 * The oldest version on which the adapter is tested: it has `cat-file --batch-command` and `merge-tree --write-tree`.
 */
const oldest = { major: 2, minor: 39 };
const remedy = `install git ${oldest.major}.${oldest.minor} or newer, set plugins.git-native.program to one, or do without with HEXFORGE_PLUGINS=-git-native,+git-wasm`;

const absent = (path: string, cause: unknown): Unavailable =>
  new Unavailable(`git is missing: "${path}" does not start; ${remedy}`, { cause });

/** @throws {Unavailable} one sentence with its remedy, if git is missing or older than 2.39. */
export async function versionOf(processes: GitProcesses): Promise<GitVersion> {
  const { path } = processes;
  const answer = await processes.run(['--version'], { deadlineMs: 10_000, maxOutput: 4096 }).catch((cause: unknown) => {
    // No program can be started at all, and the error states why.
    if (cause instanceof Unavailable && cause.detail !== undefined) throw cause;
    throw absent(path, cause);
  });
  return readVersion(path, answer.code === 0 ? answer.stdout.toString('utf8') : '');
}

/** As `versionOf`, for a check before a start. @param path a name on the standard path, or an absolute path. */
export async function installedVersion(path: string): Promise<GitVersion> {
  const options = { env: { PATH: standardPath }, timeout: 5000, maxBuffer: 4096 } as const;
  const { stdout } = await promisify(execFile)(path, ['--version'], options).catch((cause: unknown) => {
    // A number is the exit code of a program that was started.
    if (typeof Reflect.get(Object(cause), 'code') === 'number') return { stdout: '' };
    throw absent(path, cause);
  });
  return readVersion(path, stdout);
}

function readVersion(path: string, printed: string): GitVersion {
  const match = /^git version ((\d+)\.(\d+)(?:\.(\d+))?\S*)/.exec(printed);
  if (match === null) throw new Unavailable(`git is missing: "${path}" is not git; ${remedy}`);
  const [, text = '', major, minor, patch] = match;
  const version = { major: Number(major), minor: Number(minor), patch: Number(patch ?? 0), text };
  if (version.major < oldest.major || (version.major === oldest.major && version.minor < oldest.minor)) {
    throw new Unavailable(`git ${text} at "${path}" is too old: ${remedy}`);
  }
  return version;
}
