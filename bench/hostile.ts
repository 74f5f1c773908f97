// Measures how long a reader of a quiet repository waits while eight hostile clients work elsewhere, one class of input
// at a time.
import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { pushAll, refsOf } from '#test/fault/hostile/hostile-push';
import { hostileRepository, kinds } from '#test/fault/hostile/hostile-repositories';
import { makeItems } from '#test/fault/hostile/hostile-items';
import type { Pushed } from '#test/fault/hostile/hostile-paths';
import { hostileRequests } from '#test/fault/hostile/hostile-requests';
import { hostileWrites } from '#test/fault/hostile/hostile-writes';
import { left, memory } from '#test/fault/process-family';
import type { Document } from '#test/support/clients/openapi';
import { bounded, type Line } from './compare.ts';
import { asking, attacks, type Attack, type Target } from './hostile-clients.ts';
import { followUps, peoplesAttacks, preparations } from './hostile-people.ts';
import { load } from './load.ts';
import type { Setting } from './lines.ts';
import type { Subject } from './subject.ts';

const clients = 8;
/** How many milliseconds the 99th percentile may exceed the figure without hostile clients. */
const overQuietMs = 100;
const memoryMB = 1024;
const leftSeconds = 3;
const patienceMs = 15_000;
/** How many pushes to another repository are followed, and how many milliseconds that may take. */
const [followRounds, followMs] = [3, 1000];
const worstOf = (): number => 0.999;
const owner = 'admin';
/** The class of all routes that write. */
const writing = 'writing routes';

/** `seconds` are divided among all classes, or among those whose name contains `only`. */
export async function hostileLines(
  { engine, root }: Setting,
  subject: Subject,
  { seconds, only }: { readonly seconds: number; readonly only: string },
): Promise<Line[]> {
  const folder = join(root, `hostile-${engine}`);
  await mkdir(folder);
  const document = (await subject.json('GET', '/api/v1/openapi.json')) as Document;
  await make(folder, subject, 'quiet', 'binary');
  const url = `${subject.url}/api/v1/repos/${owner}/quiet/contents`;
  // Signs in before the class of wrong passwords runs, which blocks further sign-ins from this address for some time.
  const session = await subject.session();
  const headers = await somebodyElse(subject, session);
  /** The 99th percentile of the reader, the ninth client, in milliseconds; Infinity if a request failed. */
  const p99 = (time: number): Promise<number> =>
    load({ url, headers, connections: 1, seconds: time }).then(
      (result) => result.p99,
      () => Infinity,
    );
  await p99(1);
  const quiet = await p99(3);

  const lines: Line[] = [];
  const classes = [...Object.keys(kinds), ...Object.keys(attacks), ...Object.keys(peoplesAttacks), writing].filter(
    (name) => name.includes(only),
  );
  const share = Math.max(1, seconds / classes.length);
  for (const [index, name] of classes.entries()) {
    const repo = `hostile-${index}`;
    const pushed = await make(folder, subject, repo, name in kinds ? name : 'inflated files');
    const { places } = await makeItems(subject.url, session, pushed);
    const target: Target = {
      url: subject.url,
      token: subject.token,
      session,
      repository: `${owner}/${repo}`,
      commit: pushed.refs.get('refs/heads/main') ?? '',
      file: 'zeros',
    };
    const attack: Attack =
      attacks[name] ??
      peoplesAttacks[name] ??
      (name === writing
        ? asking(hostileWrites(document, pushed, places), { authorization: `Bearer ${session}` })
        : asking(hostileRequests(document, pushed, places)));
    await preparations[name]?.(target);
    const ending = new AbortController();
    let peak = 0;
    const sampling = setInterval(() => (peak = Math.max(peak, memory(subject.pid))), 50);
    const attackers = Array.from({ length: clients }, (_, client) => attack(target, client, ending.signal));
    const beside = await p99(share);
    const followed = name in peoplesAttacks ? await followUps(target, followRounds) : [];
    ending.abort();
    await Promise.all(attackers);
    clearInterval(sampling);
    lines.push(
      bounded({
        name: `${name}: p99 beside it, over quiet`,
        engine,
        unit: 'ms',
        values: [beside - quiet],
        most: overQuietMs,
      }),
      ...followed.slice(0, 1).map(() =>
        bounded({
          name: `${name}: a head follows a push beside it`,
          engine,
          unit: 'ms',
          values: [Math.max(...followed)],
          most: followMs,
        }),
      ),
      bounded({ name: `${name}: memory of all`, engine, unit: 'MB', values: [peak / 1024 ** 2], most: memoryMB }),
    );
  }
  const remaining = await left(subject.pid, leftSeconds);
  for (const command of remaining) process.stderr.write(`left after ${leftSeconds} s: ${command}\n`);
  lines.push({
    ...bounded({ name: `programs left after ${leftSeconds} s`, engine, unit: '', values: [remaining.length], most: 1 }),
    target: 'none',
    held: remaining.length === 0,
  });
  return lines;
}

/** Creates the ninth client: a user with a token, who has no part in the attacks. @returns its headers. */
async function somebodyElse(subject: Subject, administrator: string): Promise<Readonly<Record<string, string>>> {
  const account = { username: 'reader', password: 'reader of the quiet repository' };
  await subject.json('POST', '/api/v1/admin/users', { ...account, email: 'reader@example.com' }, administrator);
  const { access_token: session } = (await subject.json('POST', '/api/v1/auth/login', account, '')) as {
    access_token: string;
  };
  const wanted = { name: 'reading', scopes: ['repo:read'] };
  const made = (await subject.json('POST', '/api/v1/user/tokens', wanted, session)) as { token: string };
  return { authorization: `Bearer ${made.token}` };
}

/** Creates a public repository of the worst size of its kind, and pushes it. */
async function make(folder: string, subject: Subject, repo: string, kind: string): Promise<Pushed> {
  const source = join(folder, `${repo}.git`);
  const pack = hostileRepository(kind, worstOf);
  await pack.save(source);
  await subject.json('POST', '/api/v1/repos', { name: repo, visibility: 'public' });
  const remote = subject.cloneUrl(repo);
  // A push that the server rejects cleanly is not measured.
  await pushAll(source, remote, pack, patienceMs);
  const refs = await refsOf(remote);
  await rm(source, { recursive: true, force: true });
  return { owner, repo, pack, refs };
}
