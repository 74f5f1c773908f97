// Hostile clients who are signed in: each class makes the server work by creating things that every person may create.
import { randomBytes } from 'node:crypto';
import type { HostileRequest } from '#test/fault/hostile/hostile-requests';
import { salt } from '#test/fault/hostile/hostile-writes';
import { asking, type Attack, type Target } from './hostile-clients.ts';

const password = 'password of a hostile person';
const task = '00000000-0000-4000-8000-000000000002';
const { signal: never } = new AbortController();

interface Person {
  /** Sends a request. @returns the JSON of the answer; undefined if it is not 2xx. */
  readonly send: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown> | undefined>;
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
}

/** Requests with the session of the administrator. */
function administrator({ url, session }: Target, signal: AbortSignal = never): Person {
  return person(url, session, 'admin', signal);
}

function person(url: string, session: string, name: string, signal: AbortSignal): Person {
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' };
  return {
    name,
    headers,
    async send(method, path, body) {
      try {
        const answer = await fetch(`${url}/api/v1${path}`, {
          method,
          headers,
          signal,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        return answer.ok ? ((text === '' ? {} : JSON.parse(text)) as Record<string, unknown>) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

async function newPerson(target: Target, index: number, signal: AbortSignal): Promise<Person> {
  const name = `stranger-${index}-${randomBytes(4).toString('hex')}`;
  await administrator(target).send('POST', '/admin/users', { username: name, password, email: `${name}@example.com` });
  const login = await administrator(target).send('POST', '/auth/login', { username: name, password });
  const session = login?.['access_token'];
  return person(target.url, typeof session === 'string' ? session : '', name, signal);
}

const request = (method: string, path: string, body?: unknown): HostileRequest => ({
  route: path,
  method,
  path: `/api/v1${path}`,
  streams: false,
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

const words = Array.from({ length: 64 }, (_, index) => `w${index.toString(36)}`);
const file = (branch: string, text: string) => ({
  message: 'm',
  branch,
  content: Buffer.from(text).toString('base64'),
});

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
/** 2,000 requests: from each of these sources into each of these targets. */
const [sources, targets] = [20, 100];

/** Class name to the function that creates its data before its clients begin. */
export const preparations: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  '2,000 requests of one user': async (target) => {
    const { send } = administrator(target);
    const repository = `/repos/${target.repository}`;
    for (const to of range(targets)) await send('POST', `${repository}/branches`, { name: `many-target-${to}` });
    await Promise.all(
      range(sources).map(async (source) => {
        const from = `many-source-${source}`;
        await send('POST', `${repository}/branches`, { name: from });
        await send('PUT', `${repository}/contents/${from}.txt`, file(from, 'first'));
        for (const to of range(targets)) {
          const wish = { title: 'Many', source_branch: from, target_branch: `many-target-${to}` };
          const opened = await send('POST', `${repository}/merges`, wish);
          if (opened === undefined) throw new Error(`no request from ${from} to ${wish.target_branch} was opened`);
        }
      }),
    );
  },
};

/** Class name to the behaviour of its clients. */
export const peoplesAttacks: Readonly<Record<string, Attack>> = {
  'searches of many words': async (target, index, signal) => {
    const { send, headers } = administrator(target, signal);
    const description = Array.from({ length: 250 }, () => words.join(' '))
      .join(' ')
      .slice(0, 65_000);
    const path = `/repos/${target.repository}/issues`;
    for (let count = 0; count < 20 && !signal.aborted; count += 1)
      await send('POST', path, { title: 'Words', issue_type_id: task, description });
    const queries = [words.join(' '), `"${words.join(' ')}"`, words.join(' or '), `${words.join('x')}`];
    const searches = queries.flatMap((query) => {
      const q = encodeURIComponent(query.slice(0, 250));
      return [
        request('GET', `${path}/search?q=${q}&limit=100&facets=true`),
        request('GET', `${path}?q=${q}&per_page=100`),
      ];
    });
    await asking(searches, headers)(target, index, signal);
  },

  'issues of many components': async (target, index, signal) => {
    const { send, headers } = administrator(target, signal);
    const repository = `/repos/${target.repository}`;
    const made = async (what: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let count = 0; count < 100 && !signal.aborted; count += 1) {
        const one = await send('POST', `${repository}/${what}`, { name: `${what} ${index} ${count}` });
        if (typeof one?.['id'] === 'string') ids.push(one['id']);
      }
      return ids;
    };
    const [components, versions] = [await made('components'), await made('versions')];
    const of = { component_ids: components, fix_version_ids: versions, affects_version_ids: versions };
    for (let count = 0; count < 40 && !signal.aborted; count += 1)
      await send('POST', `${repository}/issues`, { title: 'Many', issue_type_id: task, ...of });
    await asking([request('GET', `${repository}/issues?per_page=300`)], headers)(target, index, signal);
  },

  'requests that follow one branch': async (target, index, signal) => {
    const { send, headers } = administrator(target, signal);
    const repository = `/repos/${target.repository}`;
    const source = `source-${index}`;
    await send('POST', `${repository}/branches`, { name: source });
    await send('PUT', `${repository}/contents/${source}.txt`, file(source, 'first'));
    for (let count = 0; count < 60 && !signal.aborted; count += 1) {
      const to = `target-${index}-${count}`;
      await send('POST', `${repository}/branches`, { name: to });
      await send('POST', `${repository}/merges`, { title: 'Many', source_branch: source, target_branch: to });
    }
    const push = request('PUT', `${repository}/contents/${source}-${salt}.txt`, file(source, 'more'));
    await asking([push], headers)(target, index, signal);
  },

  '2,000 requests of one user': async (target, index, signal) => {
    const { headers } = administrator(target, signal);
    const pushes = range(sources).map((source) =>
      request('PUT', `/repos/${target.repository}/contents/${salt}.txt`, file(`many-source-${source}`, 'more')),
    );
    await asking(pushes, headers)(target, index, signal);
  },

  'requests of strangers that are closed again': async (target, index, signal) => {
    const { send, name } = await newPerson(target, index, signal);
    const [, repo = ''] = target.repository.split('/');
    await send('POST', `/repos/${target.repository}/forks`, {});
    for (let count = 0; !signal.aborted; count += 1) {
      const branch = `bring-${count}`;
      await send('POST', `/repos/${name}/${repo}/branches`, { name: branch });
      await send('PUT', `/repos/${name}/${repo}/contents/${branch}.bin`, {
        ...file(branch, ''),
        content: randomBytes(300_000).toString('base64'),
      });
      const wish = { title: 'Stranger', source_branch: `${name}:${branch}`, target_branch: 'main' };
      const opened = await send('POST', `/repos/${target.repository}/merges`, wish);
      if (opened === undefined) continue;
      const { number } = opened as { readonly number: number };
      await send('PATCH', `/repos/${target.repository}/merges/${number}`, { state: 'closed' });
    }
  },
};

/**
 * How long the head of a request of somebody else, in that person's repository, takes to follow a push; several times,
 * in milliseconds.
 */
export async function followUps(target: Target, rounds: number): Promise<readonly number[]> {
  const { send, name } = await newPerson(target, 9, never);
  await send('POST', '/repos', { name: 'own', visibility: 'public' });
  const path = `/repos/${name}/own`;
  await send('PUT', `${path}/contents/first.txt`, file('main', 'first'));
  await send('POST', `${path}/branches`, { name: 'topic' });
  await send('PUT', `${path}/contents/topic.txt`, file('topic', 'first'));
  await send('POST', `${path}/merges`, { title: 'f', source_branch: 'topic', target_branch: 'main' });
  const commits = async (): Promise<number> => {
    const all: unknown = await send('GET', `${path}/merges/1/commits`);
    return Array.isArray(all) ? all.length : 0;
  };
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await commits();
    await send('PUT', `${path}/contents/topic-${round}.txt`, file('topic', 'more'));
    const begun = performance.now();
    while ((await commits()) <= before && performance.now() - begun < 30_000);
    took.push(performance.now() - begun);
  }
  return took;
}
