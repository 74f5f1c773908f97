// The suites and the specs each one holds: a suite is a process, two run at a time, and they start in the order of
// their names.
import { globSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Suite {
  readonly holds: readonly string[];
  readonly except?: readonly string[];
  /** Proves answers, not what the disk keeps: its folders lie in memory where the machine has room there. */
  readonly inMemory?: true;
}

/** Every spec is in exactly one suite; `test/tools/suites.spec.ts` holds us to it. */
export const suites = {
  core: {
    holds: ['test/architecture.spec.ts', 'test/core/**/*.spec.ts', 'test/tools/**/*.spec.ts', 'test/docs/**/*.spec.ts'],
  },
  adapters: { holds: ['test/adapters/**/*.spec.ts'], except: ['test/adapters/git-native/**'] },
  git: { holds: ['test/adapters/git-native/**/*.spec.ts'], inMemory: true },
  transport: { holds: ['test/spec/git-http*.spec.ts'], inMemory: true },
  host: { holds: ['test/host/**/*.spec.ts', 'test/config/**/*.spec.ts'] },
  plugins: { holds: ['test/plugins/**/*.spec.ts'], inMemory: true },
  /** All HTTP specs in one process, so that the last of them can compare what was seen with the OpenAPI document. */
  api: { holds: ['test/spec/**/*.spec.ts'], except: ['test/spec/git-http*', 'test/spec/running-it*'], inMemory: true },
  /** The program as it is run: whole servers as child processes. */
  bin: { holds: ['test/spec/running-it*.spec.ts', 'test/process/**/*.spec.ts', 'test/fault/**/*.spec.ts'] },
} satisfies Record<string, Suite>;

export type SuiteName = keyof typeof suites;

export function specsOf(name: SuiteName): string[] {
  const { holds, except = [] }: Suite = suites[name];
  const left = new Set(except.length === 0 ? [] : globSync([...except], { cwd: root }));
  return globSync([...holds], { cwd: root })
    .filter((path) => !left.has(path))
    .sort();
}

const memory = '/dev/shm';

function roomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    // No such file system: the disk does as well, more slowly.
    return false;
  }
}

/** Registers the specs of a suite, in the order of their names. */
export async function run(name: SuiteName): Promise<void> {
  const suite: Suite = suites[name];
  if (suite.inMemory === true && roomInMemory()) process.env['TMPDIR'] = memory;
  for (const path of specsOf(name)) await import(join(root, path));
}
