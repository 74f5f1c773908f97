// Measures a thousand followers of one merge request, over two processes if the database is a server: the delay from a
// change to its message, and the memory of one follower.
import { readFile } from 'node:fs/promises';
import { followed, type LiveClient } from '#test/support/clients/live-client';
import { adminPassword, freePort, ServerProcess } from '#test/support/servers/server-process';
import { bounded, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import type { Subject } from './subject.ts';

const users = 50;
const followersOfUser = 20;
const messages = 40;
const pauseMs = 100;
const mostMs = 500;
const mostKilobytes = 60;
const repository = '/api/v1/repos/admin/live';

const resident = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function liveLines({ engine, dataDir, databaseUrl }: Setting, subject: Subject): Promise<Line[]> {
  const tokens = await make(subject);
  const second =
    databaseUrl === undefined
      ? undefined
      : await ServerProcess.start({ dataDir, databaseUrl, port: await freePort(), environment: {} });
  const servers = [subject, ...(second === undefined ? [] : [second])];
  const clients: LiveClient[] = [];
  try {
    const follow = async (count: number): Promise<void> => {
      for (const token of tokens)
        for (let turn = 0; turn < count; turn += 1)
          clients.push(
            await followed(servers[clients.length % servers.length]?.url ?? '', '/ws/repos/admin/live/merges/1', {
              protocols: ['bearer', token],
            }),
          );
    };
    const memory = async (): Promise<number> => {
      await pause(2000);
      const all = await Promise.all(servers.map(({ pid }) => resident(pid)));
      return all.reduce((sum, one) => sum + one, 0);
    };
    await follow(1);
    const before = await memory();
    await follow(followersOfUser - 1);
    const perFollower = ((await memory()) - before) / (users * (followersOfUser - 1));

    const delays: number[] = [];
    for (const { socket } of clients)
      socket.on('message', (bytes: Buffer) => {
        const { at } = JSON.parse(bytes.toString()) as { readonly at: string };
        delays.push(Date.now() - Date.parse(at));
      });
    for (let turn = 0; turn < messages; turn += 1) {
      await subject.json('PATCH', `${repository}/merges/1`, { title: `Title ${turn}` });
      await pause(pauseMs);
    }
    await Promise.all(clients.map((client) => client.until(messages)));
    delays.sort((one, other) => one - other);
    const name = `live, ${clients.length} followers over ${servers.length} process${servers.length === 1 ? '' : 'es'}`;
    return [
      bounded({
        name: `${name}: p95 to a message`,
        engine,
        unit: 'ms',
        values: [delays[Math.floor(delays.length * 0.95)] ?? Number.NaN],
        most: mostMs,
      }),
      bounded({ name: `${name}: memory of one`, engine, unit: 'KB', values: [perFollower], most: mostKilobytes }),
    ];
  } finally {
    for (const { socket } of clients) socket.terminate();
    second?.signal('SIGTERM');
    await second?.ended();
  }
}

/** Creates a public repository with one merge request. @returns the tokens of its followers. */
async function make(subject: Subject): Promise<readonly string[]> {
  await subject.json('POST', '/api/v1/repos', { name: 'live', visibility: 'public' });
  const file = (branch: string) => ({ message: branch, branch, content: Buffer.from(branch).toString('base64') });
  await subject.json('PUT', `${repository}/contents/main.txt`, file('main'));
  await subject.json('POST', `${repository}/branches`, { name: 'topic', base_ref: 'main' });
  await subject.json('PUT', `${repository}/contents/topic.txt`, file('topic'));
  const branches = { source_branch: 'topic', target_branch: 'main' };
  await subject.json('POST', `${repository}/merges`, { title: 'Live', ...branches });
  const administrator = await sessionOf(subject.url, 'admin', adminPassword);
  const tokens: string[] = [];
  for (let index = 0; index < users; index += 1) {
    const username = `follower-${index}`;
    const password = `password of ${username}`;
    await asked(subject.url, '/api/v1/admin/users', administrator, {
      username,
      password,
      email: `${username}@example.com`,
    });
    tokens.push(await sessionOf(subject.url, username, password));
  }
  return tokens;
}

async function asked(url: string, path: string, token: string | undefined, body: object): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

const sessionOf = async (url: string, username: string, password: string): Promise<string> =>
  ((await asked(url, '/api/v1/auth/login', undefined, { username, password })) as { readonly access_token: string })
    .access_token;
