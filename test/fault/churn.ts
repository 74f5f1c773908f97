// Many clients on two servers with one PostgreSQL and one data directory: they create, rename, push, list and delete,
// some on the same repositories.
// Usage: node test/fault/churn.ts --database-url URL [--seconds 60] [--clients 16] [--seed N]. The database must be
// empty. Exits non-zero if an answer was inconsistent or a write was lost.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLines, freePort, ServerProcess } from '#test/support/servers/server-process';
import { ChurnClient } from './churn-client.ts';
import { Tally } from './churn-doors.ts';
import { ChurnGit } from './churn-git.ts';
import { inspect, recordedEvents } from './inspection.ts';
import { Ledger, type RecordedEvent } from './ledger.ts';
import { call, createToken, signIn } from './traffic.ts';

const { values } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string' },
  },
});
const databaseUrl = values['database-url'];
if (databaseUrl === undefined) throw new Error('--database-url is needed: two processes share a PostgreSQL');
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
/** Clients that share repositories; half of them use each server. */
const perUser = 4;
const shownFaults = 50;
/** The time limit in milliseconds for requests before and after the traffic. */
const patienceMs = 240_000;

const root = await mkdtemp(join(tmpdir(), 'hexforge-churn-'));
const dataDir = join(root, 'data');
await mkdir(dataDir, { mode: 0o700 });
const servers = await Promise.all(
  [1, 2].map(async () => ServerProcess.start({ dataDir, databaseUrl, port: await freePort() })),
);
const [first, second] = servers;
if (first === undefined || second === undefined) throw new Error('two servers were to start');
const urls = [first.url, second.url] as const;
const watchdog = setTimeout(
  () => {
    for (const server of servers) server.signal('SIGKILL');
    process.stdout.write(`FAULT no end ${patienceMs / 1000} s after the traffic\n1 faults\n`);
    process.exit(1);
  },
  seconds * 1000 + patienceMs,
);

const users = await Promise.all(
  Array.from({ length: Math.ceil(clients / perUser) }, (_, number) => newUser(`user-${number}`)),
);
const ledger = new Ledger();
const tally = new Tally();
const churners = await Promise.all(
  Array.from(
    { length: clients },
    async (_, index) =>
      new ChurnClient({
        index,
        ledger,
        tally,
        random: randomFrom(seed + index),
        ...(users[Math.floor(index / perUser)] ?? { user: '', token: '' }),
        urls: index % 2 === 0 ? [urls[0], urls[1]] : [urls[1], urls[0]],
        git: await ChurnGit.create(join(root, 'clients', String(index)), `client-${index}`),
      }),
  ),
);
const until = Date.now() + seconds * 1000;
await Promise.all(churners.map((churner) => churner.run(until)));

const faults = [...tally.faults, ...(await Promise.all(servers.map(quiet)).then((all) => all.flat()))];
const events = await recordedEvents(dataDir, databaseUrl);
faults.push(...ledger.settle(events), ...ledger.judge(events));
for (const { user, token } of users) faults.push(...(await afterwards(user, token, events)));

const children = servers.flatMap(({ pid }) => commandLines(pid));
const stopped = await Promise.all(servers.map(stop));
faults.push(...stopped.filter((code) => code !== 0).map((code) => `a server ended with ${code} after SIGTERM`));
faults.push(
  ...(await untilNone(() => commandLines().filter((command) => children.includes(command)))).map(
    (command) => `outlived its server: ${command}`,
  ),
);
faults.push(
  ...(await inspect({
    dataDir,
    databaseUrl,
    repositories: ledger.aliveIds,
    pushes: ledger.aliveIds.flatMap((id) =>
      [...ledger.landedIn(id, events)].map(([ref, acknowledged]) => ({ repositoryId: id, ref, acknowledged })),
    ),
  })),
);
clearTimeout(watchdog);
process.stdout.write(
  `${JSON.stringify({ seed, seconds, clients, done: sorted(tally.done), refused: sorted(tally.refused), repositoriesLeft: ledger.aliveIds.length, events: events.length })}\n`,
);
for (const fault of faults.slice(0, shownFaults)) process.stdout.write(`FAULT ${fault}\n`);
await rm(root, { recursive: true, force: true });
process.stdout.write(faults.length === 0 ? 'nothing was lost\n' : `${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function newUser(user: string): Promise<{ readonly user: string; readonly token: string }> {
  const [one, other] = urls;
  const password = `password of ${user}`;
  await call(one, 'POST', '/api/v1/admin/users', await signIn(one), {
    username: user,
    email: `${user}@example.org`,
    password,
  });
  const { body } = await call(other, 'POST', '/api/v1/auth/login', undefined, { username: user, password });
  return { user, token: await createToken(one, String((body as { access_token: unknown }).access_token)) };
}

/** Compares a user's repositories with the ledger after the traffic, through both servers. */
async function afterwards(user: string, token: string, recorded: readonly RecordedEvent[]): Promise<string[]> {
  const found: string[] = [];
  const git = await ChurnGit.create(join(root, 'afterwards', user), user);
  const mine = ledger.aliveIds.filter((id) => ledger.lastPaths(id).some((path) => path.startsWith(`${user}/`)));
  for (const url of urls) {
    const listed = (await call(url, 'GET', '/api/v1/repos?mine=true', token)).body as readonly {
      id: string;
      name: string;
      description: string;
      default_branch: string;
    }[];
    if (
      listed
        .map(({ id }) => id)
        .toSorted()
        .join() !== mine.toSorted().join()
    )
      found.push(
        `${url} lists ${listed.length} repositories of ${user}, and ${mine.length} were acknowledged and not deleted`,
      );
    for (const { id, name, description, default_branch: branch } of listed) {
      const path = `${user}/${name}`;
      if (!ledger.lastPaths(id).includes(path))
        found.push(`${id} is listed as ${path}, and was last named ${ledger.lastPaths(id).join(' or ')}`);
      if (!ledger.lastTexts(id).includes(description))
        found.push(
          `${path} is described as "${description}", and was last as "${ledger.lastTexts(id).join('" or "')}"`,
        );
      const { status, body } = await call(url, 'GET', `/api/v1/repos/${path}`, token);
      const record = body as { id?: unknown; description?: unknown };
      if (status !== 200 || record.id !== id || record.description !== description)
        found.push(
          `${path} is listed as ${id} "${description}" at ${url}, and reads as ${status} ${String(record.id)} "${String(record.description)}"`,
        );
      found.push(...(await contentFaults(git, url, token, { id, path, branch }, recorded)));
    }
    for (const path of ledger.paths.filter(
      (one) => one.startsWith(`${user}/`) && !listed.some(({ name }) => `${user}/${name}` === one),
    )) {
      const { status } = await call(url, 'GET', `/api/v1/repos/${path}`, token);
      if (status !== 404) found.push(`nothing is named ${path} any more, and ${url} answers ${status}`);
    }
  }
  return found;
}

async function contentFaults(
  git: ChurnGit,
  url: string,
  token: string,
  { id, path, branch }: { readonly id: string; readonly path: string; readonly branch: string },
  recorded: readonly RecordedEvent[],
): Promise<string[]> {
  const remote = `${url.replace('://', `://${path.split('/')[0]}:${token}@`)}/${path}.git`;
  const { outcome, cloned, stderr } = await git.clone(remote);
  if (cloned === undefined) return [`${path} cannot be cloned from ${url} (${outcome}): ${stderr}`];
  const found: string[] = [];
  if (cloned.refs.size > 0 && cloned.head !== `refs/heads/${branch}`)
    found.push(`the default branch of ${path} is ${branch}, and git's is ${cloned.head}`);
  const { total } = (await call(url, 'GET', `/api/v1/repos/${path}/branches?per_page=1`, token)).body as {
    total: unknown;
  };
  const branches = [...cloned.refs.keys()].filter((ref) => ref.startsWith('refs/heads/')).length;
  if (total !== branches) found.push(`${url} counts ${String(total)} branches of ${path}, and git ${branches}`);
  for (const [ref, acknowledged] of ledger.landedIn(id, recorded)) {
    const lost = cloned.refs.has(ref) ? await git.unreachable(remote, ref, acknowledged) : acknowledged;
    found.push(...lost.map((oid) => `acknowledged push ${oid} is not in ${ref} of ${path} at ${url}`));
  }
  return found;
}

/** Reports git processes that run without any request; idle cat-file processes may remain. */
async function quiet({ pid }: ServerProcess): Promise<string[]> {
  const working = await untilNone(() =>
    commandLines(pid).filter((command) => !command.includes('cat-file') && !command.startsWith(process.execPath)),
  );
  return working.map((command) => `still at work after the last answer: ${command}`);
}

/** The processes that remain after ten seconds. */
async function untilNone(find: () => string[]): Promise<string[]> {
  let found = find();
  for (let tries = 0; found.length > 0 && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = find();
  }
  return found;
}

async function stop(server: ServerProcess): Promise<number | null> {
  server.signal('SIGTERM');
  const late = setTimeout(() => server.signal('SIGKILL'), 20_000);
  const code = await server.ended();
  clearTimeout(late);
  return code;
}

/** mulberry32: the same choices for the same seed, although the order of the clients differs. */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
