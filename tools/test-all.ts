// Runs the tests that take too long for `npm test` (`npm run test:all`): the API suites, the storage contracts and
// whole servers on a real PostgreSQL, search in OpenSearch, packages, faults, generated merges, and a short fault
// drill. Ends with `N passed, N failed`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { specsOf, suites } from '../test/suites.ts';
import { startCluster } from './peers/postgres-cluster.ts';
import { program } from './program.ts';
import { root } from './project-files.ts';
import { ensureChromium } from './peers/chromium.ts';
import { ensureOpenSearch, noOpenSearch } from './peers/opensearch.ts';
import { ensureInspector } from './peers/inspector.ts';
import { ensureRedis } from './peers/redis-server.ts';
import { ensureSimpleSamlPhp } from './peers/simplesamlphp.ts';
import { ensureSlapd } from './peers/slapd.ts';
import { readResults } from './test-results.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const faults: string[] = [];

/** The quick scenarios of the drill, one round each. */
async function drill(engine: string, ...options: readonly string[]): Promise<void> {
  const args = ['test/fault/drill.ts', '--scenario', 'quick', '--rounds', '1', '--engine', engine, ...options];
  if (!(await program(process.execPath, args))) faults.push(`the drill failed on ${engine}`);
}

/** Runs a spec with many more generated cases than a suite has the time for. */
async function generated(spec: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const args = ['exec', '--', 'tap', '--timeout=3600', `test/adapters/git-native/${spec}.spec.ts`];
  if (!(await program('npm', args, environment))) faults.push(`generated cases of "${spec}" failed`);
}

// Installs programs before the suites, which run in parallel, because only one of them could take the package manager's
// lock.
ensureRedis();
ensureSlapd();
ensureSimpleSamlPhp();
if (noOpenSearch() === undefined) ensureOpenSearch();
ensureChromium();
ensureInspector();
// Inherited settings are removed, because each suite sets its own.
delete process.env['HEXFORGE_TEST_DATABASE'];
delete process.env['HEXFORGE_TEST_ENGINES'];
const given = process.env['HEXFORGE_TEST_POSTGRES_URL'];
const cluster = given === undefined || given === '' ? await startCluster() : undefined;
const stop = (): void => cluster?.stop();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stop();
    process.exit(1);
  });
const names = Object.keys(suites).filter((name) => suites[name]?.whole !== undefined && specsOf(name).length > 0);
const results = join(root, '.tap/test-results');
try {
  rmSync(results, { recursive: true, force: true });
  const good = await program('npm', ['exec', '--', 'tap', ...names.map((name) => `test/${name}.suite.ts`)], {
    HEXFORGE_TEST_WHOLE: 'true',
    HEXFORGE_TEST_RACES: '10',
    HEXFORGE_TEST_POSTGRES_URL: cluster?.url ?? given ?? '',
  });
  if (!good) faults.push('a suite failed');
  const { passed, failed } = await readResults(names);
  // These run in parallel, because each uses one process and neither measures time.
  await Promise.all([
    generated('push/merges', { HEXFORGE_TEST_MERGES: '30' }),
    generated('contract', { HEXFORGE_TEST_DIFFS: '75' }),
    drill('embedded').then(() =>
      drill('postgresql', ...(cluster === undefined ? ['--database-url', given ?? ''] : [])),
    ),
  ]);
  for (const fault of faults) say(`FAULT ${fault}`);
  // A fault outside of the tests is a failure too.
  say(`${passed} passed, ${Math.max(failed, faults.length)} failed`);
  process.exitCode = failed + faults.length === 0 ? 0 : 1;
} finally {
  stop();
}
