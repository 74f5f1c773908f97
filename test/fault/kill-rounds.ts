// Kills the server at random moments under pushes and writes, starts it again, and checks that nothing acknowledged was
// lost.
// Usage: node test/fault/kill-rounds.ts [--rounds 30] [--database-url URL]. Ends non-zero when a promise was broken or
// the run proves too little.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLines, freePort, ServerProcess } from '#test/support/server-process';
import { inspect } from './inspection.ts';
import { Pusher, Writer, signIn, createToken } from './traffic.ts';
import { transactionOpen, watchedPreload } from './transaction-watch.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '30' }, 'database-url': { type: 'string' } },
});
const rounds = Number(values.rounds);
const databaseUrl = values['database-url'];
const root = await mkdtemp(join(tmpdir(), 'hexforge-kill-'));
const dataDir = join(root, 'data');
const stateFile = join(root, 'transactions');
const clients = 4;

const start = async (): Promise<ServerProcess> =>
  ServerProcess.start({
    dataDir,
    databaseUrl,
    port,
    preload: watchedPreload,
    environment: { HEXFORGE_TEST_TRANSACTION_FILE: stateFile },
  });

await mkdir(dataDir, { mode: 0o700 });
const port = await freePort();
let server = await start();
const session = await signIn(server.url);
const token = await createToken(server.url, session);
const pushers = await Promise.all(
  Array.from({ length: clients }, (_, index) =>
    Pusher.create(server.url, token, join(root, `clone-${index}`), `pushed-${index}`),
  ),
);
const writers = Array.from({ length: clients }, (_, index) => new Writer(server.url, token, `written-${index}`));

const hits = { receivePack: 0, transaction: 0 };
for (let round = 1; round <= rounds; round++) {
  const traffic = [...pushers, ...writers].map((one) => one.run());
  await new Promise((resolve) => setTimeout(resolve, 800 + Math.random() * 3600));
  // Frozen first, so that what it is doing at the moment of its death can be seen.
  server.signal('SIGSTOP');
  const receiving = commandLines(server.pid).some((command) => command.includes('receive-pack'));
  const writing = await transactionOpen(stateFile, databaseUrl);
  if (receiving) hits.receivePack++;
  if (writing) hits.transaction++;
  server.signal('SIGKILL');
  await server.ended();
  for (const one of [...pushers, ...writers]) one.stop();
  await Promise.all(traffic);
  server = await start();
  process.stdout.write(
    `round ${round}: killed${receiving ? ' in receive-pack' : ''}${writing ? ' in a transaction' : ''}\n`,
  );
}

const count = (pick: (one: Pusher | Writer) => number, of: readonly (Pusher | Writer)[]): number =>
  of.reduce((sum, one) => sum + pick(one), 0);
const figures = {
  acknowledgedWrites: count((one) => one.acknowledged, writers),
  interruptedWrites: count((one) => one.interrupted, writers),
  acknowledgedPushes: count((one) => one.acknowledged, pushers),
  interruptedPushes: count((one) => one.interrupted, pushers),
  killsInReceivePack: hits.receivePack,
  killsInTransaction: hits.transaction,
};
const faults = (await Promise.all([...pushers, ...writers].map((one) => one.faults(server.url)))).flat();
const known = await Promise.all([...pushers, ...writers].map((one) => one.repositoryIds(server.url)));
server.signal('SIGTERM');
await server.ended();
faults.push(
  ...(await inspect({
    dataDir,
    databaseUrl,
    repositories: known.flat(),
    pushes: pushers.map((one) => one.expectation()),
  })),
);

process.stdout.write(`${JSON.stringify(figures)}\n`);
if (figures.acknowledgedWrites < 1000)
  faults.push(`only ${figures.acknowledgedWrites} acknowledged writes: the run proves too little`);
if (figures.acknowledgedPushes < 100)
  faults.push(`only ${figures.acknowledgedPushes} acknowledged pushes: the run proves too little`);
if (hits.receivePack < 5) faults.push(`only ${hits.receivePack} kills inside a receive-pack`);
if (hits.transaction < 5) faults.push(`only ${hits.transaction} kills inside a transaction`);
for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
await rm(root, { recursive: true, force: true });
process.stdout.write(faults.length === 0 ? 'nothing acknowledged was lost\n' : `${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
