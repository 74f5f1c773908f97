// The native adapter under test: how to make one, and which processes and files it leaves.
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitNative, type GitNative, type GitNativeOptions } from '#adapters/git-native/index';
import type { Log } from '#core/kernel/services/log';
import type { GitBackendUnderTest } from '#test/contracts/git-backend';
import { serve } from '#test/contracts/git/http-server';
import { must } from '#test/contracts/git/stock-git';
import type { Teardown } from '#test/support/forge';

export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export async function makeNative(root: string, options: Partial<GitNativeOptions> = {}): Promise<GitBackendUnderTest> {
  const backend = gitNative({ root, log: quiet, ...options });
  return {
    backend,
    traces: async () => [...workingBelow(root), ...blobReaders(root), ...(await leftBehind(root))],
    close: () => backend.close(),
  };
}

/** A repository behind a server, and a client that pushes to it. */
export interface Pushable {
  readonly native: GitNative;
  readonly root: string;
  /** The directory of the repository. */
  readonly directory: string;
  readonly url: string;
  /** A work tree without a commit, on `main`. */
  readonly client: string;
}

/** @param folder the parent of all files. */
export async function pushable(
  t: Teardown,
  folder: string,
  id: string,
  options: Partial<GitNativeOptions> = {},
): Promise<Pushable> {
  const root = join(folder, 'root');
  const native = gitNative({ root, log: quiet, ...options });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const server = await serve(native);
  t.teardown(() => server.stop());
  const client = join(folder, 'client');
  await must(folder, ['init', '-q', '-b', 'main', client]);
  return { native, root, directory: join(root, id.slice(0, 2), `${id}.git`), url: server.url(id), client };
}

/** A git that logs the commands it is started with. */
export async function notingGit(
  folder: string,
): Promise<{ readonly gitPath: string; started(): Promise<readonly string[]> }> {
  const [gitPath, noted] = [join(folder, 'git'), join(folder, 'noted')];
  await writeFile(gitPath, `#!/bin/sh\necho "$*" >> '${noted}'\nexec git "$@"\n`);
  await chmod(gitPath, 0o755);
  return { gitPath, started: async () => (await readFile(noted, 'utf8')).split('\n') };
}

interface Running {
  readonly pid: string;
  readonly command: string;
}

/** Processes that have not ended, from /proc, with their arguments. */
function running(): readonly Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const state = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')[0];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
        return state === 'Z' ? [] : [{ pid, command }];
      } catch {
        return [];
      }
    });
}

/** git services change into their repository, and their children stay there. */
function workingBelow(root: string): readonly string[] {
  const real = realpathSync(root);
  return running().flatMap(({ pid, command }) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(real) ? [command] : [];
    } catch {
      return [];
    }
  });
}

/** Only of this root, because other suites run at the same time. */
const blobReaders = (root: string): readonly string[] =>
  running()
    .filter(({ command }) => command.includes(`--git-dir=${root}/`) && / cat-file blob /.test(command))
    .map(({ command }) => command);

/** Names of temporary files, and of the folders that a process makes for one push or merge. */
const temporary = /(^|\/)(tmp_|\.tmp-|incoming-)[^/]*$|\.lock$|\.keep$|^\.processes\/[^/]+\/[0-9a-f-]{36}$/;

/** Files that only a running writer may have. */
async function leftBehind(root: string): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => !name.startsWith('.trash') && temporary.test(name)).map((name) => join(root, name));
}

/** A git whose first process of `command` waits until `goOn` is called. */
export async function heldGit(
  folder: string,
  command: string,
): Promise<{ readonly gitPath: string; begun(): Promise<void>; goOn(): Promise<void> }> {
  const [gitPath, begun, go] = [join(folder, 'held-git'), join(folder, 'begun'), join(folder, 'go')];
  const wait = `mkdir '${begun}' 2>/dev/null && while [ ! -e '${go}' ]; do sleep 0.1; done`;
  await writeFile(gitPath, `#!/bin/sh\ncase "$*" in *${command}*) ${wait};; esac\nexec git "$@"\n`, { mode: 0o755 });
  return {
    gitPath,
    begun: async () => {
      while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    goOn: async () => await writeFile(go, ''),
  };
}
