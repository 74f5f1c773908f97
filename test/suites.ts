// The suites and the specs each one holds: a suite is a process.
//
// Two suites run at a time, and the runner starts them in the order of their names. The order is part of the balance:
// those of adapters, the API suites and `bin` are the long ones and come early, and short ones come last, so that
// neither of two cores waits long for the other at the end. A suite that grows past a quarter of the whole is split, as
// a folder of its own.
import { globSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { areas, everyArea, testArea } from './support/area.ts';

const root = join(import.meta.dirname, '..');

interface Suite {
  readonly holds: readonly string[];
  readonly except?: readonly string[];
  /** Proves answers, not what the disk keeps: its folders lie in memory where the machine has room there. */
  readonly inMemory?: true;
  /** CI runs it on each database, and those that no database concerns on one. */
  readonly everyDatabase?: true;
  /** Of an API suite: the folder of `test/spec`. */
  readonly area?: string;
}

/** An area's own specs, then those of every area, the last of which looks at what all others saw. */
const apiSuite = (area: string): Suite => ({
  holds: [`test/spec/${area}/**/*.spec.ts`, `test/spec/${everyArea}/**/*.spec.ts`],
  inMemory: true,
  everyDatabase: true,
  area,
});

/**
 * One suite for each folder of `test/spec`, so that a new plugin adds a folder and the suite's file.
 * `test/tools/suites.spec.ts` holds us to it that no spec is in none or in two.
 */
export const suites: Readonly<Record<string, Suite>> = {
  core: {
    holds: ['test/architecture.spec.ts', 'test/core/**/*.spec.ts', 'test/tools/**/*.spec.ts', 'test/docs/**/*.spec.ts'],
  },
  adapters: {
    holds: ['test/adapters/**/*.spec.ts'],
    except: ['test/adapters/git-native/**', 'test/adapters/{memory,postgres}/**'],
  },
  'adapters-git': { holds: ['test/adapters/git-native/**/*.spec.ts'], inMemory: true },
  'adapters-storage': { holds: ['test/adapters/{memory,postgres}/**/*.spec.ts'], everyDatabase: true },
  host: { holds: ['test/host/**/*.spec.ts', 'test/config/**/*.spec.ts'] },
  plugins: { holds: ['test/plugins/**/*.spec.ts'], inMemory: true, everyDatabase: true },
  /** The program as it is run: whole servers as child processes. */
  bin: { holds: ['test/process/*.spec.ts'], everyDatabase: true },
  /** The same, where no database makes a difference. */
  'bin-once': { holds: ['test/process/once/*.spec.ts', 'test/fault/**/*.spec.ts'] },
  /** The package as it is published, built once for all: what authors and operators make of it. */
  packages: { holds: ['test/process/packages/*.spec.ts'] },
  /** Packages of plugins, installed beside it and served. */
  'packages-served': { holds: ['test/process/packages/served/*.spec.ts'], everyDatabase: true },
  ...Object.fromEntries(areas.map((area) => [`api-${area}`, apiSuite(area)])),
};

/** In the order they run: by pattern, and by name within it. */
export function specsOf(name: string): string[] {
  const { holds, except = [] } = known(name);
  const left = new Set(except.length === 0 ? [] : globSync([...except], { cwd: root }));
  return holds.flatMap((pattern) =>
    globSync(pattern, { cwd: root })
      .filter((path) => !left.has(path))
      .sort(),
  );
}

function known(name: string): Suite {
  const suite = suites[name];
  if (suite === undefined) throw new Error(`there is no suite "${name}"; there are ${Object.keys(suites).join(', ')}`);
  return suite;
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

/** Registers the specs of a suite, in their order. */
export async function run(name: string): Promise<void> {
  const { inMemory, area } = known(name);
  if (inMemory === true && roomInMemory()) process.env['TMPDIR'] = memory;
  if (area !== undefined) testArea(area);
  for (const path of specsOf(name)) await import(join(root, path));
}
