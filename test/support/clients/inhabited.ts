// Fills a forge with data and verifies that all of it exists after a move, an upgrade or a restore.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The data that a forge was filled with. Plain JSON, because it is stored beside a fixture. */
export interface Inhabitants {
  readonly password: string;
  readonly users: readonly string[];
  readonly token: string;
  /** `owner/name` → ref → object id. */
  readonly repositories: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The answer of `contents` for the README of `admin/full`. */
  readonly readme: string;
}

const git = async (folder: string, ...commandLine: readonly string[]): Promise<string> => {
  const { stdout } = await run('git', commandLine, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' },
  });
  return stdout;
};

async function call(
  url: string,
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const signIn = async (url: string, username: string, password: string): Promise<string> =>
  ((await call(url, 'POST', '/auth/login', undefined, { username, password })) as { access_token: string })
    .access_token;

const remoteOf = (url: string, token: string, repository: string): string =>
  `http://admin:${token}@${new URL(url).host}/${repository}.git`;

const refsOf = async (folder: string, remote: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await git(folder, 'ls-remote', remote, 'refs/*'))
      .trim()
      .split('\n')
      .map((line) => line.split('\t').reverse()),
  );

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-inhabited-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills a forge whose administrator is `admin` with this password. */
export async function inhabit(url: string, password: string): Promise<Inhabitants> {
  const session = await signIn(url, 'admin', password);
  const users = ['ada', 'grace', 'margaret'];
  for (const username of users)
    await call(url, 'POST', '/admin/users', session, {
      username,
      email: `${username}@example.com`,
      password,
      display_name: `The ${username}`,
    });
  const { token } = (await call(url, 'POST', '/user/tokens', session, {
    name: 'inhabitant',
    scopes: ['repo:admin'],
  })) as { token: string };
  const readme = '# Full\n\nOf things: ä, ö, ü.\n';
  const repositories: Record<string, Record<string, string>> = {};
  for (const [name, visibility] of [
    ['full', 'private'],
    ['open', 'public'],
  ] as const) {
    await call(url, 'POST', '/repos', token, { name, description: `The ${name} one`, visibility });
    repositories[`admin/${name}`] = await inFolder(async (folder) => {
      const remote = remoteOf(url, token, `admin/${name}`);
      await git(folder, 'init', '-q', '-b', 'main');
      for (let count = 1; count <= 5; count++) {
        await writeFile(join(folder, 'README.md'), readme);
        await writeFile(join(folder, `file ${count}.txt`), `${name} ${count}\n`.repeat(count));
        await git(folder, 'add', '.');
        await git(
          folder,
          '-c',
          'user.name=Ada',
          '-c',
          'user.email=ada@example.com',
          'commit',
          '-q',
          '-m',
          `Change ${count}`,
        );
        if (count === 3) await git(folder, 'tag', 'v1');
        if (count === 4) await git(folder, 'branch', 'side');
      }
      await git(folder, 'push', '-q', remote, 'main', 'side', 'v1');
      return refsOf(folder, remote);
    });
  }
  return { password, users, token, repositories, readme };
}

/** Describes in sentences what is missing or different; empty if everything exists. */
export async function missing(url: string, there: Inhabitants): Promise<string[]> {
  const wrong: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      wrong.push(`${what} is ${JSON.stringify(found)} and was ${JSON.stringify(wanted)}`);
  };
  const session = await signIn(url, 'admin', there.password);
  const { users } = (await call(url, 'GET', '/admin/users?per_page=100', session)) as { users: { username: string }[] };
  expect('the list of users', users.map(({ username }) => username).sort(), ['admin', ...there.users].sort());
  for (const username of there.users) await signIn(url, username, there.password);
  for (const [repository, refs] of Object.entries(there.repositories)) {
    expect(
      `the name of ${repository}`,
      ((await call(url, 'GET', `/repos/${repository}`, there.token)) as { name: string }).name,
      repository.split('/')[1],
    );
    await inFolder(async (folder) => {
      const remote = remoteOf(url, there.token, repository);
      expect(`refs of ${repository}`, Object.entries(await refsOf(folder, remote)).sort(), Object.entries(refs).sort());
      await git(folder, 'clone', '-q', '--mirror', remote, 'clone.git');
      await git(join(folder, 'clone.git'), 'fsck', '--full', '--strict');
    });
  }
  const raw = await fetch(`${url}/api/v1/repos/admin/full/raw/main/README.md`, {
    headers: { authorization: `Bearer ${there.token}` },
  });
  expect('the README', await raw.text(), there.readme);
  // The existing repository can still be changed.
  await call(url, 'PATCH', '/repos/admin/full', there.token, { description: 'Changed after' });
  return wrong;
}
