// The machine that tests run on: its commands, packages and ports.
import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const isRoot = process.getuid?.() === 0;

/** Runs a command and returns its output. @throws {Error} with the command and its output. */
export function run(command: string, arguments_: readonly string[], options: { readonly cwd?: string } = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, arguments_, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(
    `"${[command, ...arguments_].join(' ')}" failed: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-2000)}`,
  );
}

let isUpdated = false;

/** Installs Debian packages. @throws {Error} unless run as root on a system with apt-get. */
export function install(...names: readonly string[]): void {
  if (!isRoot || !existsSync('/usr/bin/apt-get'))
    throw new Error(`"${names.join(' ')}" is missing; install it, or run as root where apt-get is`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const step of [
    ...(isUpdated ? [] : [['update', '-qq']]),
    ['install', '-y', '-qq', '--no-install-recommends', ...names],
  ]) {
    const { status } = spawnSync('apt-get', step, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
    if (status !== 0) throw new Error(`apt-get ${step.join(' ')} failed`);
  }
  isUpdated = true;
}

/**
 * A folder of the user's cache that is filled once, also if several processes begin at the same time.
 *
 * @param name of the folder, which has to change with its contents.
 * @throws {Error} of `fill`; nothing is kept then.
 */
export function cachedFolder(name: string, fill: (unfinished: string) => void): string {
  const caches = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'hexforge-tests');
  const folder = join(caches, name);
  if (existsSync(folder)) return folder;
  mkdirSync(caches, { recursive: true });
  const unfinished = mkdtempSync(join(caches, 'unfinished-'));
  try {
    fill(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Kills a server, as in a crash, and resolves when it is gone. */
export async function killed(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGKILL');
  await gone;
}

/** Resolves to a port of the loopback address that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
