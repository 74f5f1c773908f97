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
  /** Path → the answer to the administrator. A later version may add members. Absent in older fixtures. */
  readonly answers?: Readonly<Record<string, unknown>>;
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
  for (const [name, visibility] of [
    ['full', 'private'],
    ['open', 'public'],
  ] as const) {
    await call(url, 'POST', '/repos', token, { name, description: `The ${name} one`, visibility });
    await inFolder(async (folder) => {
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
    });
  }
  const answers = await record(url, session, await fillAreas(url, session));
  // Read last, because opening the merge request adds a ref.
  const repositories: Record<string, Record<string, string>> = {};
  for (const name of ['admin/full', 'admin/open'])
    repositories[name] = await inFolder((folder) => refsOf(folder, remoteOf(url, token, name)));
  return { password, users, token, repositories, readme, answers };
}

/** Makes something in every area beside accounts and git. Returns the paths that show it. */
async function fillAreas(url: string, session: string): Promise<readonly string[]> {
  const make = async <T>(path: string, body: unknown, method = 'POST'): Promise<T> =>
    (await call(url, method, path, session, body)) as T;
  const full = '/repos/admin/full';
  const label = await make<{ id: string }>(`${full}/labels`, { name: 'urgent', color: 'd73a4a' });
  const milestone = await make<{ id: string }>(`${full}/milestones`, { title: 'First', due_date: '2030-01-31' });
  const types = (await call(url, 'GET', '/issue-types', session)) as readonly { id: string; name: string }[];
  const type = types.find(({ name }) => name === 'task')?.id;
  await make(`${full}/issues`, {
    title: 'A roof that leaks',
    description: 'Since **Tuesday**.',
    issue_type_id: type,
    label_ids: [label.id],
    milestone_id: milestone.id,
    story_points: 3,
  });
  await make(`${full}/issues`, { title: 'A door that sticks', issue_type_id: type });
  await make(`${full}/issues/1/comments`, { body: 'The bucket is full.' });
  await make(`${full}/issues/2/links`, { target_number: 1, type: 'relates_to' });
  await make(`${full}/issues/2/close`, {});
  await make(`${full}/collaborators/grace`, { role: 'write' }, 'PUT');
  await make(`${full}/branches/main/protection`, { allow_force_push: true, required_approvals: 1 }, 'PUT');
  await make(`${full}/merges`, { title: 'The side', source_branch: 'side', target_branch: 'main' });
  await make(`${full}/merges/1/comments`, { body: 'It is behind.' });
  const application = await make<{ id: string }>('/user/oauth2/apps', {
    name: 'A client',
    redirect_uris: ['https://client.example.com/callback'],
  });
  await make('/admin/settings/repositories.max_forks_per_user', { value: '7' }, 'PUT');
  return [
    full,
    `${full}/labels`,
    `${full}/milestones`,
    `${full}/issues?state=all`,
    `${full}/issues/1`,
    `${full}/issues/1/comments`,
    `${full}/collaborators`,
    `${full}/branches/main/protection`,
    `${full}/merges/1`,
    `${full}/merges/1/comments`,
    `/user/oauth2/apps/${application.id}`,
    '/user/tokens',
    '/admin/settings/repositories.max_forks_per_user',
  ];
}

const record = async (url: string, session: string, paths: readonly string[]): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await call(url, 'GET', path, session)] as const)),
  );

/** Members that depend on the address of the server or on earlier requests. */
const moving = new Set(['clone_url_http', 'last_used_at']);

/** Whether an answer has all members and items of an earlier answer. */
function contains(now: unknown, before: unknown): boolean {
  if (Array.isArray(before))
    return (
      Array.isArray(now) &&
      now.length === before.length &&
      before.every((member, index) => contains(now[index], member))
    );
  if (typeof before !== 'object' || before === null) return now === before;
  return (
    typeof now === 'object' &&
    now !== null &&
    Object.entries(before).every(
      ([name, value]) => moving.has(name) || (name in now && contains((now as Record<string, unknown>)[name], value)),
    )
  );
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
  for (const [path, before] of Object.entries(there.answers ?? {})) {
    const now = await call(url, 'GET', path, session);
    if (!contains(now, before)) expect(`the answer of ${path}`, now, before);
  }
  // Also tests that the existing repository can still be changed.
  await call(url, 'PATCH', '/repos/admin/full', there.token, { description: 'Changed after' });
  return wrong;
}
