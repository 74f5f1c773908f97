// Two servers on one PostgreSQL and one data directory: started together on an empty database, then pushed to at once.
// Usage: node test/fault/two-processes.ts --database-url URL [--seconds 15]. The database must be empty.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, ServerProcess } from '#test/support/server-process';
import { inspect } from './inspection.ts';
import { createToken, Pusher, signIn, Writer } from './traffic.ts';

const { values } = parseArgs({
  options: { 'database-url': { type: 'string' }, seconds: { type: 'string', default: '15' } },
});
const databaseUrl = values['database-url'];
if (databaseUrl === undefined) throw new Error('--database-url is needed: two processes share a PostgreSQL');
const root = await mkdtemp(join(tmpdir(), 'hexforge-two-'));
const dataDir = join(root, 'data');
await mkdir(dataDir, { mode: 0o700 });
const servers = await Promise.all(
  [1, 2].map(async () => ServerProcess.start({ dataDir, databaseUrl, port: await freePort() })),
);
const urls = servers.map(({ url }) => url);
const [first = '', second = ''] = urls;

// A session made by one is good at the other: secrets were made once.
const token = await createToken(second, await signIn(first));
const pushers = await Promise.all(
  urls.map((url, index) =>
    Pusher.create(url, token, join(root, `clone-${index}`), 'shared', { branch: `from-${index}`, existing: index > 0 }),
  ),
);
const writers = urls.map((url, index) => new Writer(url, token, `written-${index}`));
const traffic = [...pushers, ...writers].map((one) => one.run());
await new Promise((resolve) => setTimeout(resolve, Number(values.seconds) * 1000));
for (const one of [...pushers, ...writers]) one.stop();
await Promise.all(traffic);

const faults = (
  await Promise.all([...pushers, ...writers].flatMap((one) => [one.faults(first), one.faults(second)]))
).flat();
const known = await Promise.all([...pushers, ...writers].map((one) => one.repositoryIds(first)));
const interrupted = [...pushers, ...writers].reduce((sum, one) => sum + one.interrupted, 0);
if (interrupted > 0) faults.push(`${interrupted} operations failed with both servers up`);
for (const server of servers) server.signal('SIGTERM');
await Promise.all(servers.map((server) => server.ended()));
faults.push(
  ...(await inspect({
    dataDir,
    databaseUrl,
    repositories: [...new Set(known.flat())],
    pushes: pushers.map((one) => one.expectation()),
  })),
);
process.stdout.write(
  `${JSON.stringify({ pushes: pushers.map((one) => one.acknowledged), writes: writers.map((one) => one.acknowledged) })}\n`,
);
for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
await rm(root, { recursive: true, force: true });
process.stdout.write(faults.length === 0 ? 'nothing was lost\n' : `${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
