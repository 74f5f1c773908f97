// The suites: their specs and their databases. A suite is a process.
//
// `npm test` runs the suites of `test/`, in memory where a database makes no difference to the code under test.
// `npm run test:all` runs those of `test/whole/`, and the ones of `test/` that a real database concerns once more on
// PostgreSQL. Four suites run at a time, more than there are processors, because many wait for servers, disks and time
// limits.
import { globSync, statfsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { areas, everyArea, testAreas } from './support/area.ts';
import { wholeRun, type Database } from './support/database.ts';

const root = join(import.meta.dirname, '..');
/** Specs that `npm test` has no time for. */
const long = 'test/**/*.long.spec.ts';

/** The databases of a suite, unless the environment names others. */
export interface Setting {
  /** Of whole servers and forges. */
  readonly database: Database;
  /** Of contract suites. */
  readonly engines: readonly Database[];
}

interface Suite {
  readonly holds: readonly string[];
  readonly except?: readonly string[];
  /** In `npm test`. Absent: the suite is for `npm run test:all` alone. */
  readonly quick?: Setting;
  /** In `npm run test:all`. Absent: `npm test` has shown all there is. */
  readonly whole?: Setting;
  /** Its temporary folders may lie in memory, for it does not test durability. */
  readonly inMemory?: true;
  /** Folders of `test/spec` whose operations the suite answers for. */
  readonly areas?: readonly string[];
  /** Its forges index nothing, because no spec searches, and it makes many repositories. */
  readonly unindexed?: true;
}

const memory: Setting = { database: 'memory', engines: ['memory'] };
const embedded: Setting = { database: 'embedded', engines: ['memory', 'embedded'] };
const postgresql: Setting = { database: 'postgresql', engines: ['postgresql'] };

/** How an operator runs and upgrades the program, on both databases. */
const running = 'test/process/{running-it,upgrade}.spec.ts';

/** The specs of areas, then those that run for every area. The last of them compares what all others saw. */
const apiSuite = (quick: Setting, ...of: readonly string[]): Suite => ({
  ...(!of.some((area) => area === 'search' || area === 'mcp') && { unindexed: true }),
  holds: [...of.map((area) => `test/spec/${area}/**/*.spec.ts`), `test/spec/${everyArea}/**/*.spec.ts`],
  quick,
  whole: postgresql,
  inMemory: true,
  areas: of,
});

/** The suite in `npm test` alone. */
const quickly = ({ whole: _, ...suite }: Suite): Suite => suite;

/** Large areas have a suite each. Small ones with tests of databases are in that of `identity`. */
const large: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['repositories', 'issues', 'merges', 'oauth-server', 'git-http', 'search'].map((area) => [area, [area]]),
  ),
  identity: ['identity', 'audit', 'administration'],
};
/** Its operations call the use cases of other areas, so a database makes no difference. */
const onceAlone = 'mcp';
const onEmbedded = 'system';

export const suites: Readonly<Record<string, Suite>> = {
  ...Object.fromEntries(Object.entries(large).map(([name, of]) => [`api-${name}`, apiSuite(memory, ...of)])),
  [`api-${onceAlone}`]: quickly(apiSuite(memory, onceAlone)),
  /** A new area needs no entry. The contract suites of their stores run on PostgreSQL. */
  'api-others': quickly(
    apiSuite(
      memory,
      ...areas.filter(
        (area) => area !== onEmbedded && area !== onceAlone && !Object.values(large).flat().includes(area),
      ),
    ),
  ),
  [`api-${onEmbedded}`]: apiSuite(embedded, onEmbedded),
  adapters: {
    holds: ['test/adapters/**/*.spec.ts'],
    except: ['test/adapters/git-{native,wasm}/**', 'test/adapters/{memory,postgres}/**', long],
    quick: embedded,
  },
  'adapters-git': {
    holds: ['test/adapters/git-{native,wasm}/**/*.spec.ts'],
    except: [long],
    quick: memory,
    inMemory: true,
  },
  'adapters-storage': {
    holds: ['test/adapters/{memory,postgres}/**/*.spec.ts'],
    except: [long],
    quick: embedded,
    whole: postgresql,
  },
  core: {
    holds: ['test/architecture.spec.ts', 'test/core/**/*.spec.ts', 'test/tools/**/*.spec.ts', 'test/docs/**/*.spec.ts'],
    except: [long],
    quick: memory,
  },
  host: { holds: ['test/host/**/*.spec.ts'], except: [long], quick: embedded },
  plugins: {
    holds: ['test/plugins/**/*.spec.ts'],
    except: [long],
    quick: memory,
    whole: { database: 'postgresql', engines: ['embedded', 'postgresql'] },
    inMemory: true,
  },
  /** The last compares what the others submitted with the forms that there are. */
  pages: { holds: ['test/web/**/*.spec.ts', 'test/every-page/*.spec.ts'], quick: memory, inMemory: true },
  /** One start of the program, as a user does it. */
  start: { holds: ['test/process/start/*.spec.ts'], quick: embedded },

  'whole/adapters': {
    holds: ['test/{adapters,core,docs,host,plugins}/**/*.long.spec.ts'],
    except: ['test/adapters/{git-native,git-wasm,opensearch}/**'],
    whole: { database: 'embedded', engines: ['embedded', 'postgresql'] },
  },
  /** Starts OpenSearch several times. */
  'whole/opensearch': { holds: ['test/adapters/opensearch/**/*.long.spec.ts'], whole: memory },
  'whole/adapters-git': {
    holds: ['test/adapters/git-{native,wasm}/**/*.long.spec.ts'],
    whole: memory,
    inMemory: true,
  },
  /** Whole servers as child processes. */
  'whole/bin': { holds: ['test/process/*.spec.ts'], except: [running], whole: postgresql },
  'whole/bin-running': { holds: [running], whole: postgresql },
  'whole/bin-embedded': { holds: ['test/process/{merge-crash,key-rotation,search-crash}.spec.ts'], whole: embedded },
  /** The same, where no database makes a difference. */
  'whole/bin-once': { holds: ['test/process/once/*.spec.ts', 'test/fault/**/*.spec.ts'], whole: embedded },
  /** The published package, built once for all specs, as authors and operators use it. */
  'whole/packages': { holds: ['test/process/packages/*.spec.ts'], whole: embedded },
  /** Pages and journeys in a real browser. */
  'whole/browser': { holds: ['test/browser/**/*.spec.ts'], whole: memory, inMemory: true },
  /** Packages of plugins, installed beside it and served. */
  'whole/packages-served': { holds: ['test/process/packages/served/*.spec.ts'], whole: postgresql },
  /** Every operation once on the embedded database. */
  'whole/walk': { holds: [`test/spec/${everyArea}/error-codes.spec.ts`], whole: embedded, inMemory: true },
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

const memoryFolder = '/dev/shm';

function roomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    // No such file system: the disk does as well, more slowly.
    return false;
  }
}

/** Registers the specs of a suite, in their order. `npm run test:all` sets HEXFORGE_TEST_WHOLE. */
export async function run(name: string): Promise<void> {
  const { inMemory, areas: answersFor, quick, whole, unindexed } = known(name);
  const setting = (wholeRun ? whole : quick) ?? quick ?? whole;
  // Types are stripped once for all suites.
  enableCompileCache(join(root, 'node_modules/.cache/compiled'));
  if (unindexed === true) process.env['HEXFORGE_TEST_UNINDEXED'] = 'true';
  process.env['HEXFORGE_TEST_DATABASE'] ??= setting?.database;
  process.env['HEXFORGE_TEST_ENGINES'] ??= setting?.engines.join(',');
  if (inMemory === true && roomInMemory()) process.env['TMPDIR'] = memoryFolder;
  if (answersFor !== undefined) testAreas(answersFor);
  for (const path of specsOf(name)) await import(join(root, path));
}
