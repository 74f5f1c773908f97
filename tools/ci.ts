// The steps of `.ci/run` after `npm ci`: the checks, `npm test` and `npm run test:all`, and the proof that every
// contract suite ran the same checks on each engine.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { specsOf, suites } from '../test/suites.ts';
import { install, run } from './peers/machine.ts';
import { program } from './program.ts';
import { root } from './project-files.ts';
import { table } from './table.ts';
import { readResults, type Results } from './test-results.ts';

/** Engines of contract suites, by the name of the subtest. */
const engines = ['memory', 'embedded', 'postgresql'] as const;
type Engine = (typeof engines)[number];

/**
 * Tests that run on SQL engines alone. They are listed, so that any other test that is missing in memory is a fault.
 */
const sqlAlone = [
  'migrations',
  'one caller with many statements does not delay the statements of another',
  'a migration that oversteps the rights of its plugin is rolled back and named',
  'of several migrations the failing one is named, and none is applied',
  'a plugin has exactly the tables that it declares',
  'a migration within the rights of its plugin is applied',
  'a purge removes the tables and records of the plugin, and nothing else',
  'a purge finds the events and rows of a plugin without tables',
  'a purge removes the stored settings of the plugin',
  'a purge is refused while a table or view of another plugin references the data, and names it',
  'an owner of repositories cannot be deleted, and the refusal names the table',
  'the published view has its fixed columns',
  'the extension exists before any plugin and is kept',
  'the property test finds a planted difference in SQL',
  'the published view is planned as if its condition were part of the query',
  'a row is written by its id with one statement',
  'entries older than ten minutes are counted from the stored count',
  'keys of names from earlier versions are normalized, except where two become equal',
  'keys of role templates from earlier versions are normalized, except where two become equal',
  'a purge removes the stored settings of the plugin from every repository',
  'events without an actor have the owner of their cause',
  'more owners than one search returns are all served',
  'a search for due events does not read the many events of one chain',
  'owners share each batch of new events, and those of one aggregate keep their order',
];
const sqlMark = ' (SQL alone)';

const faults: string[] = [];
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Contract suite → engine → how many of its checks passed. */
const contracts = new Map<string, Map<Engine, number>>();

/** @param names the suites that have to leave a result. */
async function collect(command: string, names: readonly string[]): Promise<Results> {
  const results = await readResults(names);
  for (const [suite, counts] of results.bySuite) {
    if (counts.size === 0) faults.push(`${command}: the suite "${suite}" left no result`);
    for (const [name, { passed, failed, skipped }] of counts) {
      if (skipped > 0) faults.push(`${command}: skipped: ${suite}: ${name}`);
      if (failed > 0) faults.push(`${command}: failed: ${suite}: ${name}`);
      const path = name.split(' > ');
      const engine = engines.find((candidate) => path.includes(candidate));
      if (engine === undefined || suite.startsWith('api-')) continue;
      const only = path.some((part) => sqlAlone.includes(part)) ? sqlMark : '';
      const contract = `${path.slice(0, path.indexOf(engine)).join(': ')}${only}`;
      const byEngine = contracts.get(contract) ?? new Map<Engine, number>();
      contracts.set(contract, byEngine.set(engine, (byEngine.get(engine) ?? 0) + passed));
    }
  }
  return results;
}

/** Shows where the time went, the slowest suite first. */
const showSeconds = ({ seconds }: Results): void =>
  say(
    table(
      ['suite', 'seconds'],
      [...seconds].toSorted(([, one], [, other]) => other - one).map(([suite, taken]) => [suite, String(taken)]),
    ),
  );

/** A spec of the API suites names the database that it found itself on. */
function proveDatabase({ bySuite }: Results, database: string): void {
  const wanted = `the database under test is ${database}`;
  if (![...(bySuite.get('api-system')?.keys() ?? [])].some((name) => name.includes(wanted)))
    faults.push(`no spec found that ${wanted}`);
}

const start = performance.now();
const minutes = (): string => ((performance.now() - start) / 60_000).toFixed(1);
const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(run('sh', ['-c', 'git --version || true'])) ?? [];
if (Number(major) * 100 + Number(minor) < 239) install('git');

if (!(await program('npm', ['run', '--silent', 'check']))) faults.push('npm run check failed');

const namesOf = (which: 'quick' | 'whole'): readonly string[] =>
  Object.keys(suites).filter((name) => suites[name]?.[which] !== undefined && specsOf(name).length > 0);
rmSync(join(root, '.tap/test-results'), { recursive: true, force: true });
// Inherited settings are removed, because each suite sets its own.
for (const name of ['DATABASE', 'ENGINES', 'WHOLE']) delete process.env[`HEXFORGE_TEST_${name}`];
if (!(await program('npm', ['test', '--silent']))) faults.push('npm test failed');
const quick = await collect('npm test', namesOf('quick'));
proveDatabase(quick, 'embedded');
showSeconds(quick);
say(`${minutes()} minutes so far`);
rmSync(join(root, '.tap/test-results'), { recursive: true, force: true });
if (!(await program('npm', ['run', '--silent', 'test:all']))) faults.push('npm run test:all failed');
const whole = await collect('npm run test:all', namesOf('whole'));
proveDatabase(whole, 'postgresql');
showSeconds(whole);

const enginesOf = (contract: string): readonly Engine[] =>
  contract.endsWith(sqlMark) ? engines.filter((engine) => engine !== 'memory') : engines;
say(
  table(
    ['contract', ...engines],
    [...contracts].map(([contract, byEngine]) => [
      contract,
      ...engines.map((engine) => String(byEngine.get(engine) ?? (enginesOf(contract).includes(engine) ? 0 : '-'))),
    ]),
  ),
);
for (const [contract, byEngine] of contracts) {
  const ran = enginesOf(contract).map((engine) => byEngine.get(engine) ?? 0);
  if (new Set(ran).size > 1)
    faults.push(`"${contract}" ran a different number of checks on each engine: ${ran.join(', ')}`);
}
for (const fault of new Set(faults)) say(`FAULT ${fault}`);
say(`${minutes()} minutes`);
// A fault outside of the tests is a failure too.
const failed = Math.max(quick.failed + whole.failed, faults.length > 0 ? 1 : 0);
say(`${quick.passed + whole.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
