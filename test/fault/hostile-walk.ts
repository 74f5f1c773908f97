// Run by hand: pushes generated hostile repositories to a server, requests every read route for each of them, and sends
// one request to each write route.
// Usage: node test/fault/hostile-walk.ts [--count 200] [--seed N] [--kind WORD] [--database-url URL]. Exits non-zero if
// an answer was 5xx (except a documented 503), too large or late, if memory exceeded its limit, or if a process is
// left.
import http from 'node:http';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Document } from '#test/support/clients/openapi';
import { freePort, ServerProcess } from '#test/support/servers/server-process';
import { table } from '../../tools/table.ts';
import { weigh, type Weighed } from './hostile/hostile-client.ts';
import { makeItems } from './hostile/hostile-items.ts';
import { hostileRepository, kinds, randomFrom } from './hostile/hostile-repositories.ts';
import { hostileRequests, type HostileRequest } from './hostile/hostile-requests.ts';
import { pushAll, refsOf } from './hostile/hostile-push.ts';
import { hostileWrites } from './hostile/hostile-writes.ts';
import { left, memory } from './process-family.ts';
import { call, createToken, signIn } from './traffic.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string', default: '' },
    'database-url': { type: 'string' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const wanted = Object.keys(kinds).filter((kind) => kind.includes(values.kind));
const bounds = { jsonBytes: 16 * 1024 ** 2, milliseconds: 2000, memory: 1024 ** 3, leftSeconds: 10 } as const;
const patienceMs = 15_000;
/** A route that exceeded its time limit this often for one repository is not requested again. */
const lateEnough = 2;

/** Printed at once, because a walk may be stopped before its end. */
function fault(what: string): void {
  faults.push(what);
  process.stdout.write(`FAULT ${what}\n`);
}

/** The maxima of a route, and the repository on which they occurred. */
interface Worst {
  asked: number;
  milliseconds: number;
  bytes: number;
  readonly statuses: Set<number>;
  on: string;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopped = true));
const root = await mkdtemp(join(tmpdir(), 'hexforge-hostile-'));
const dataDir = join(root, 'data');
await mkdir(dataDir, { mode: 0o700 });
const server = await ServerProcess.start({ dataDir, databaseUrl: values['database-url'], port: await freePort() });
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
const worst = new Map<string, Worst>();
const kindRows: string[][] = [];
const faults: string[] = [];
let [peak, slowestHealth] = [0, 0];
const sampling = setInterval(() => (peak = Math.max(peak, memory(server.pid))), 100);
let watching = true;
let stopped = false;
const watched = watchHealth();

try {
  const token = await createToken(server.url, await signIn(server.url), [
    'repo:admin',
    'issue:write',
    'admin:users',
    'admin:system',
  ]);
  const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as Document;
  for (let number = 0; number < count && !stopped; number += 1) {
    const kind = wanted[number % wanted.length] ?? '';
    [peak, slowestHealth] = [0, 0];
    await one(kind, `r${number}`, token, document);
  }
  for (const command of await left(server.pid, bounds.leftSeconds))
    fault(`still at work ${bounds.leftSeconds} s after the last answer: ${command}`);
} finally {
  watching = false;
  clearInterval(sampling);
  await watched;
  agent.destroy();
  server.signal('SIGTERM');
  const late = setTimeout(() => server.signal('SIGKILL'), 20_000);
  if ((await server.ended()) !== 0) fault('the server did not end well');
  clearTimeout(late);
  await rm(root, { recursive: true, force: true });
}
report();
// The launcher of git's processes keeps this process alive.
process.exit(faults.length === 0 ? 0 : 1);

/** Runs one repository of this kind from its creation to its deletion. */
async function one(kind: string, repo: string, token: string, document: Document): Promise<void> {
  const owner = 'admin';
  const source = join(root, `${repo}.git`);
  const pack = hostileRepository(kind, randomFrom(seed * 100_003 + Number(repo.slice(1))));
  await pack.save(source);
  await call(server.url, 'POST', '/api/v1/repos', token, { name: repo, visibility: 'public' });
  const remote = `${server.url.replace('://', `://admin:${token}@`)}/${owner}/${repo}.git`;
  const start = performance.now();
  for (const said of await pushAll(source, remote, pack, patienceMs)) fault(`${kind}: ${said}`);
  const pushMs = performance.now() - start;
  const refs = await refsOf(remote);
  const pushed = { owner, repo, pack, refs };
  const { places, faults: failed } = await makeItems(server.url, token, pushed);
  for (const what of failed) fault(`${kind}: ${what}`);
  const writes = hostileWrites(document, pushed, places).filter(({ path }) => path.includes(`/${owner}/${repo}`));
  // One request per route, because bodies do not depend on the repository.
  const changes = writes.filter(({ route }, index) => writes.findIndex((other) => other.route === route) === index);
  const requests = [...hostileRequests(document, pushed, places), ...changes];
  const asking = { agent, patienceMs, headers: { authorization: `Bearer ${token}` } };
  let [slowest, largest] = [0, 0];
  const lateOn = new Map<string, number>();
  for (const request of requests) {
    if (stopped || (lateOn.get(request.route) ?? 0) >= lateEnough) continue;
    const answer = await weigh(server.url, request, asking);
    // A streaming answer that was stopped for its cost is rejected with the reason when it is repeated within a minute.
    const again = request.streams && answer.failure === 'aborted' ? await weigh(server.url, request, asking) : answer;
    judge(kind, request, again);
    if (answer.milliseconds > bounds.milliseconds) lateOn.set(request.route, (lateOn.get(request.route) ?? 0) + 1);
    slowest = Math.max(slowest, answer.milliseconds);
    if (!request.streams) largest = Math.max(largest, answer.bytes);
  }
  if (peak > bounds.memory) fault(`${kind}: server and children held ${megabytes(peak)} MB`);
  kindRows.push([
    kind,
    `${refs.size}/${pack.refs.size}`,
    pushMs.toFixed(0),
    String(requests.length),
    slowest.toFixed(0),
    megabytes(largest),
    slowestHealth.toFixed(0),
    megabytes(peak),
  ]);
  process.stdout.write(`${kindRows.at(-1)?.join('  ')}\n`);
  await call(server.url, 'DELETE', `/api/v1/repos/${owner}/${repo}`, token, { confirmation: `${owner}/${repo}` });
  await rm(source, { recursive: true, force: true });
}

function judge(kind: string, { route, path, streams }: HostileRequest, answer: Weighed): void {
  const { status, milliseconds, bytes, isJson, comeAgain, failure } = answer;
  const row = worst.get(route) ?? { asked: 0, milliseconds: 0, bytes: 0, statuses: new Set(), on: '' };
  worst.set(route, row);
  row.asked += 1;
  row.statuses.add(status);
  if (!streams) row.bytes = Math.max(row.bytes, bytes);
  if (milliseconds > row.milliseconds) [row.milliseconds, row.on] = [milliseconds, kind];
  const what = `${kind}: ${route} (${path.length > 120 ? `${path.slice(0, 120)}…` : path})`;
  // A documented 503 has Retry-After.
  const documented = status === 503 && comeAgain;
  if (failure !== undefined) fault(`${what} gave no whole answer: ${failure}`);
  else if (status >= 500 && !documented) fault(`${what} answered ${status} after ${milliseconds.toFixed(0)} ms`);
  else if (milliseconds > bounds.milliseconds && status !== 503) fault(`${what} took ${milliseconds.toFixed(0)} ms`);
  if (isJson && bytes > bounds.jsonBytes) fault(`${what} answered ${megabytes(bytes)} MB of JSON`);
}

/** Measures how long other requests wait during the walk. */
async function watchHealth(): Promise<void> {
  const own = new http.Agent({ keepAlive: true, maxSockets: 1 });
  while (watching) {
    const { milliseconds } = await weigh(
      server.url,
      { route: '', method: 'GET', path: '/healthz', streams: false },
      { agent: own, patienceMs },
    );
    slowestHealth = Math.max(slowestHealth, milliseconds);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  own.destroy();
}

function report(): void {
  const rows = [...worst].toSorted(([, one], [, other]) => other.milliseconds - one.milliseconds);
  process.stdout.write(
    `\n${table(
      ['kind', 'refs', 'push ms', 'asked', 'slowest ms', 'largest MB', 'healthz ms', 'memory MB'],
      kindRows,
    )}\n${table(
      ['route', 'asked', 'worst ms', 'on', 'largest MB', 'statuses'],
      rows.map(([route, row]) => [
        route,
        String(row.asked),
        row.milliseconds.toFixed(0),
        row.on,
        megabytes(row.bytes),
        [...row.statuses].toSorted().join(' '),
      ]),
    )}\n`,
  );
  process.stdout.write(`${count} repositories, seed ${seed}; ${faults.length} faults\n`);
}

function megabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}
