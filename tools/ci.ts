// What `.ci/run` does after `npm ci`: the checks, every suite on every database, the proof that the columns tested the
// same, and a short drill of faults.
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'tap-parser';
import { suites as allSuites } from '../test/suites.ts';
import { install, run, startCluster } from './postgres-cluster.ts';
import { root } from './project-files.ts';
import { ensureRedis } from './redis-server.ts';
import { table } from './table.ts';

/** Databases under test, by what HEXFORGE_TEST_DATABASE says. */
const columns = ['embedded', 'memory', 'postgresql'] as const;
type Column = (typeof columns)[number];

/** The HTTP suites run on what an instance runs on, each as a row of the table; the contract suites run on all. */
const http = Object.keys(allSuites).filter((name) => name.startsWith('api-'));
const httpColumns: readonly Column[] = ['embedded', 'postgresql'];
/** What the column of PostgreSQL repeats. */
const everyDatabase = Object.keys(allSuites).filter((name) => allSuites[name]?.everyDatabase === true);

/** What only a database of rows promises; named here so that nothing is left out of memory by accident. */
const sqlAlone = [
  'migrations',
  'one caller who asks much at once keeps another waiting for those before it alone',
  "a migration that does what is not its plugin's to do is rolled back, and named",
  'of several migrations the one at fault is named, and none is applied',
  'a plugin has exactly the tables that it declares',
  "what is the plugin's own to do is done",
  'a purge removes what the plugin made and what is recorded of it, and nothing else',
  'a plugin without tables leaves events and rows that others keep for it, and a purge finds them',
  'what is stored of the settings of a plugin goes with its data',
  "a purge is refused while another plugin's table or view points at what would go, and names it",
  'an owner cannot be deleted while repositories are theirs, and the refusal names the table',
  'the published view has its fixed columns',
  'it is there before any plugin, and stays',
  'the property fails on a planted difference in SQL',
  'the published set is planned as if its condition stood in the query',
  'who knows the id of a row writes it by one statement',
  'entries older than ten minutes are counted from what was counted up',
];
const sqlMark = ' (SQL alone)';

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const zero = (): Count => ({ passed: 0, failed: 0, skipped: 0 });
const total: Count = zero();
const faults: string[] = [];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Runs a program with its output on ours. */
async function program(
  command: string,
  arguments_: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  say(
    `\n$ ${Object.entries(environment)
      .map(([name, value]) => `${name}=${value} `)
      .join('')}${[command, ...arguments_].join(' ')}`,
  );
  const child = spawn(command, arguments_, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      say(error.message);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
}

/** Leaves of a suite's last run by the name of its subtests, joined by ` > `. */
async function counts(suite: string): Promise<Map<string, Count>> {
  const found = new Map<string, Count>();
  const file = join(root, '.tap/test-results/test', `${suite}.suite.ts.tap`);
  if (!existsSync(file)) {
    faults.push(`the suite "${suite}" left no result`);
    return found;
  }
  const parser = new Parser();
  parser.on('result', ({ ok, skip, todo, fullname }) => {
    const count = found.get(fullname) ?? zero();
    found.set(fullname, count);
    if (skip !== false || todo !== false) count.skipped++;
    else if (ok) count.passed++;
    else count.failed++;
  });
  const complete = new Promise((resolve) => parser.once('complete', resolve));
  for await (const chunk of createReadStream(file, 'utf8')) parser.write(chunk as string);
  parser.end();
  await complete;
  return found;
}

/** Row → provider → how many tests passed. */
const rows = new Map<string, Map<string, number>>();

function note(row: string, provider: string, tests: number): void {
  const providers = rows.get(row) ?? new Map<string, number>();
  rows.set(row, providers.set(provider, (providers.get(provider) ?? 0) + tests));
}

async function collect(suites: readonly string[], column: Column): Promise<void> {
  for (const suite of suites) {
    for (const [name, count] of await counts(suite)) {
      total.passed += count.passed;
      total.failed += count.failed;
      total.skipped += count.skipped;
      if (count.skipped > 0) faults.push(`skipped on ${column}: ${name}`);
      if (count.failed > 0) faults.push(`failed on ${column}: ${name}`);
      // A contract suite runs once per engine, as a subtest of the engine's name.
      const path = name.split(' > ');
      const engine = columns.find((candidate) => path.includes(candidate));
      if (http.includes(suite)) note(suite, column, count.passed);
      else if (engine !== undefined)
        note(
          `${path.slice(0, path.indexOf(engine)).join(': ')}${path.some((part) => sqlAlone.includes(part)) ? sqlMark : ''}`,
          engine,
          count.passed,
        );
    }
  }
}

/** A spec of the HTTP suites names the database it found itself on; the column must have said the same. */
async function proveDatabase(column: Column): Promise<void> {
  const wanted = `the database under test is ${column}`;
  if (![...(await counts('api-system')).keys()].some((name) => name.includes(wanted)))
    faults.push(`no spec found that ${wanted}`);
}

async function test(
  column: Column,
  suites: readonly string[] | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  rmSync(join(root, '.tap/test-results'), { recursive: true, force: true });
  const good = await program(
    'npm',
    ['test', '--silent', ...(suites === undefined ? [] : ['--', ...suites.map((name) => `test/${name}.suite.ts`)])],
    { ...environment, HEXFORGE_TEST_DATABASE: column },
  );
  if (!good) faults.push(`npm test failed on ${column}`);
  await collect(suites ?? Object.keys(allSuites), column);
  await proveDatabase(column);
}

/** The quick scenarios of the drill, each on one engine and one round long; by hand there are more, and more rounds. */
async function drill(engine: Column, ...options: readonly string[]): Promise<void> {
  const args = ['test/fault/drill.ts', '--scenario', 'quick', '--rounds', '1', '--engine', engine, ...options];
  if (!(await program(process.execPath, args))) faults.push(`the drill failed on ${engine}`);
}

/** Many more generated histories than a suite has the time for. */
async function mergesAgainstGit(): Promise<void> {
  const args = ['exec', '--', 'tap', '--timeout=3600', 'test/adapters/git-native/merges.spec.ts'];
  if (!(await program('npm', args, { HEXFORGE_TEST_MERGES: '100' }))) faults.push('merges differ from those of git');
}

const start = performance.now();

const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(run('sh', ['-c', 'git --version || true'])) ?? [];
if (Number(major) * 100 + Number(minor) < 239) install('git');
// Before the suites, which run side by side: an installation has the packages of the machine to itself.
ensureRedis();

if (!(await program('npm', ['run', '--silent', 'check']))) faults.push('npm run check failed');

const given = process.env['HEXFORGE_TEST_POSTGRES_URL'];
const cluster = given === undefined || given === '' ? await startCluster() : undefined;
const stop = (): void => cluster?.stop();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stop();
    process.exit(1);
  });
try {
  // The command of the README, on its default database; contract suites run on memory and embedded here too.
  await test('embedded', undefined, { HEXFORGE_TEST_ENGINES: 'memory,embedded', HEXFORGE_TEST_DIFFS: '300' });
  await test('postgresql', everyDatabase, {
    HEXFORGE_TEST_ENGINES: 'postgresql',
    HEXFORGE_TEST_RACES: '50',
    HEXFORGE_TEST_POSTGRES_URL: cluster?.url ?? given ?? '',
  });
  // One process each, and neither is timed: side by side.
  await Promise.all([
    mergesAgainstGit(),
    drill('embedded').then(() =>
      drill('postgresql', ...(cluster === undefined ? ['--database-url', given ?? ''] : [])),
    ),
  ]);
} finally {
  stop();
}

say('');
/** The databases that a row's tests have to run on, the first of them to compare with. */
const columnsOf = (row: string): readonly Column[] =>
  http.includes(row) ? httpColumns : row.endsWith(sqlMark) ? columns.filter((name) => name !== 'memory') : columns;
say(
  table(
    ['suite', ...columns],
    [...rows].map(([row, byProvider]) => [
      row,
      ...columns.map((name) => String(byProvider.get(name) ?? (columnsOf(row).includes(name) ? 0 : '-'))),
    ]),
  ),
);
for (const row of http) if (!rows.has(row)) faults.push(`"${row}" did not run`);
for (const [row, byProvider] of rows) {
  const expected = columnsOf(row);
  const ran = expected.map((name) => `${name} (${byProvider.get(name) ?? 0})`).join(', ');
  if (expected.some((name) => byProvider.get(name) !== byProvider.get(expected[0] ?? columns[0])))
    faults.push(`"${row}" ran a different number of tests on each: ${ran}`);
}
for (const fault of new Set(faults)) say(`FAULT ${fault}`);
say(
  `${((performance.now() - start) / 60_000).toFixed(1)} minutes${cluster === undefined ? '' : `; ${cluster.version} of our own`}`,
);
// A fault beside the tests is a failure too.
const failed = Math.max(total.failed, faults.length > 0 ? 1 : 0);
say(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
