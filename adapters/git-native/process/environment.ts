// The environment variables and configuration of git processes: built here in full and never inherited, so that the
// configuration of the machine does not affect git.
import { availableParallelism } from 'node:os';

export type GitConfig = Readonly<Record<string, string>>;

/** The empty tree, which git knows even if it is not stored. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Refs for the server's own use: never advertised, never fetched, never pushed to. */
export const hiddenRefs = 'refs/hexforge';

const always: GitConfig = {
  // Repositories may belong to another uid than the server's. git reads this key from the environment but not from the
  // repository.
  'safe.directory': '*',
  'protocol.allow': 'never',
  'http.followRedirects': 'false',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  // Added to git's default components, with which a small push makes no fsync call at all.
  'core.fsync': 'committed,loose-object,reference',
  'core.fsyncMethod': 'fsync',
  'core.filesRefLockTimeout': '2000',
  'core.packedRefsTimeout': '5000',
  'core.bigFileThreshold': '16m',
  'pack.windowMemory': '128m',
  'pack.threads': String(Math.min(4, availableParallelism())),
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'transfer.hideRefs': hiddenRefs,
  // In a bare repository git reads the `.mailmap` of the default branch, and since 2.43 its attributes. No branch may
  // change what is returned about a commit.
  'mailmap.blob': '',
  'mailmap.file': '',
  'log.mailmap': 'false',
  'attr.tree': emptyTree,
};

/** For processes that send packs, of which many may run at the same time: little memory beside the list of objects. */
export const packingConfig: GitConfig = {
  'core.deltaBaseCacheLimit': '16m',
  'pack.deltaCacheSize': '16m',
  'pack.windowMemory': '16m',
};

/** The folders in which programs are searched. */
export const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const fixed: Readonly<Record<string, string>> = {
  PATH: standardPath,
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_PROTOCOL_FROM_USER: '0',
};

/**
 * The fixed variables, `extra` ones, and the configuration (that of this file, then `config`) through `GIT_CONFIG_*`,
 * which hooks and child processes inherit.
 */
export function environment(
  config: GitConfig = {},
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...always, ...config });
  const variables: Record<string, string> = { ...fixed, ...extra, GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
