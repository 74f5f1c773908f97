// The adapter under test, and the files that it leaves open or behind.
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitWasm, type GitWasmOptions } from '#adapters/git-wasm/index';
import type { Log } from '#core/kernel/services/log';
import type { GitBackendUnderTest } from '#test/contracts/git-backend';

export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export async function makeWasm(root: string, options: Partial<GitWasmOptions> = {}): Promise<GitBackendUnderTest> {
  const backend = gitWasm({ root, log: quiet, ...options });
  return {
    backend,
    traces: async () => [...openSpools(root), ...(await leftBehind(root))],
    close: () => backend.close(),
  };
}

/** Temporary files of answers, which have no name and are open until they are sent. */
function openSpools(root: string): readonly string[] {
  const folder = join(realpathSync(root), '.spool');
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

/** Names of temporary files, and of the folder that a push has for its objects. */
const temporary = /(^|\/)(tmp_|\.tmp-|incoming-)[^/]*$|\.lock$|\.keep$|\.new$|^\.spool\/.|^\.staging\/./;

/** Files that only a running writer may have. */
async function leftBehind(root: string): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => !name.startsWith('.trash') && temporary.test(name)).map((name) => join(root, name));
}
