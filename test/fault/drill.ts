// The fault drill: clients work on a forge while it is killed, starved and disconnected, and after each round their
// answers are compared with the stored state.
// Usage: node test/fault/drill.ts [--scenario NAME|quick|all] [--rounds 20] [--engine embedded|postgresql] [--seed N]
// [--database-url URL] [--verbose]. Exits non-zero on any finding.
import { parseArgs } from 'node:util';
import { startCluster } from '../../tools/peers/postgres-cluster.ts';
import { abandon, run, type Outcome } from './drill/run.ts';
import { scenarios } from './drill/scenarios.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'all' },
    rounds: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'embedded' },
    seed: { type: 'string' },
    'database-url': { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const { engine } = values;
if (engine !== 'embedded' && engine !== 'postgresql') throw new Error('--engine is embedded or postgresql');
const given = values['database-url'];
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const wanted = values.scenario;
const asked = scenarios.filter(
  ({ name, engines, quick }) =>
    (name === wanted || wanted === 'all' || (wanted === 'quick' && quick === engine)) && engines.includes(engine),
);
if (asked.length === 0)
  throw new Error(`--scenario is all, quick or one of ${scenarios.map(({ name }) => name).join(', ')} on its engine`);
const chosen = asked.filter(({ needsCluster }) => needsCluster !== true || given === undefined);
for (const { name } of asked.filter((one) => !chosen.includes(one)))
  process.stdout.write(`${name} is left out: a PostgreSQL that was given is not stopped\n`);

/** A separate PostgreSQL, which can be stopped and started. */
const cluster = engine === 'postgresql' && given === undefined ? await startCluster({ durable: true }) : undefined;
if (engine === 'postgresql') process.env['HEXFORGE_TEST_POSTGRES_URL'] = cluster?.url ?? given;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** The maximum number of findings of each kind that are printed. */
const shown = 12;

function report(name: string, { figures, notes, longestUnavailableMs, longestHealingMs, seconds }: Outcome): void {
  const hits = Object.entries(notes).map(([what, count]) => `${what} ${count}`);
  say(
    [
      `${name} on ${engine}, ${values.rounds} rounds, ${seconds.toFixed(0)} s, seed ${seed}`,
      ...(hits.length > 0 ? [`hit ${hits.join(', ')}`] : []),
      figures.line,
      `longest unavailability ${(longestUnavailableMs / 1000).toFixed(1)} s`,
      `longest healing ${(longestHealingMs / 1000).toFixed(1)} s`,
    ].join('; '),
  );
  for (const { kind, text } of figures.findings.slice(0, shown)) say(`FAULT ${name}: ${kind}: ${text}`);
  if (figures.findings.length > shown) say(`FAULT ${name}: and ${figures.findings.length - shown} more`);
}

/** Leaves no process and no mount of the drill behind. */
function leave(why: unknown): void {
  say(`FAULT the drill was ended: ${why instanceof Error ? why.stack : String(why)}`);
  void abandon().finally(() => {
    cluster?.stop();
    process.exit(1);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
process.once('uncaughtException', leave);

let good = chosen.length > 0;
try {
  for (const scenario of chosen) {
    try {
      const outcome = await run(scenario, {
        engine,
        rounds: Number(values.rounds),
        seed,
        cluster,
        ...(values.verbose && { say }),
      });
      report(scenario.name, outcome);
      good &&= outcome.figures.findings.length === 0;
    } catch (error) {
      good = false;
      say(
        `FAULT ${scenario.name} on ${engine} could not be run: ${error instanceof Error ? error.stack : String(error)}`,
      );
    }
  }
} finally {
  cluster?.stop();
}
process.exitCode = good ? 0 : 1;
