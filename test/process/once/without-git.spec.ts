// A forge on a machine without git: in a mount namespace in which the git program cannot be started.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { adminPassword, freePort, ServerProcess } from '#test/support/servers/server-process';
import { remote, stockGit } from '#test/support/servers/stock-git';

const withoutGit = 'mount --bind /dev/null "$(command -v git)"';
const program = join(import.meta.dirname, '../../../bin/hexforge.js');
const commits = 200;

void t.test('`hexforge check` names the missing git and the back end that does not need it', async (t) => {
  const cwd = await temporaryFolder(t);
  const checked = (plugins: string) => {
    const line = ['--mount', 'sh', '-c', `${withoutGit}; exec "$@"`, 'sh', process.execPath, program, 'check'];
    const { status, stdout } = spawnSync('unshare', line, {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: cwd, HEXFORGE_PLUGINS: plugins },
    });
    return { status, stdout };
  };
  const missing = checked('');
  t.equal(missing.status, 78);
  t.match(missing.stdout, /git is missing[^]*HEXFORGE_PLUGINS=-git-native,\+git-wasm/);
  t.match(checked('-git-native,+git-wasm'), { status: 0, stdout: /^ok: .*git-wasm/ });
});

void t.test('it takes a push of 200 commits by stock git, shows it and serves it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const server = await ServerProcess.start({
    dataDir,
    port: await freePort(),
    databaseUrl: undefined,
    environment: { HEXFORGE_PLUGINS: '-git-native,+git-wasm', HEXFORGE_DATABASE: 'memory' },
    shell: `exec unshare --mount sh -c '${withoutGit}; exec "$@"' sh "$@"`,
  });
  t.teardown(async () => {
    server.signal('SIGTERM');
    await server.ended();
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(server.url + path, init);
    t.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.headers.get('content-type')?.startsWith('application/json') === true ? answer.json() : answer.text();
  };
  const json = { 'content-type': 'application/json' };
  const login = JSON.stringify({ username: 'admin', password: adminPassword });
  const { access_token: token } = (await ask('/api/v1/auth/login', { method: 'POST', headers: json, body: login })) as {
    access_token: string;
  };
  const body = JSON.stringify({ name: 'engine', visibility: 'public' });
  await ask('/api/v1/repos', { method: 'POST', headers: { ...json, authorization: `Bearer ${token}` }, body });

  const git = await stockGit(t);
  const url = remote(server.url, 'admin/engine', { username: 'admin', password: adminPassword });
  const script = Array.from({ length: commits }, (_, number) => {
    const text = `line ${number}\n`.repeat(number + 1);
    return `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + number} +0000\ndata <<E\nStep ${number}\nE\nM 100644 inline steps/${number % 10}.txt\ndata ${text.length}\n${text}\n`;
  }).join('');
  const source = git.at('source.git');
  await git.git('init', '--quiet', '--bare', 'source.git');
  const made = spawnSync('git', ['fast-import', '--quiet'], { cwd: source.folder, input: script });
  t.equal(made.status, 0);
  await source.git('push', '--quiet', url, 'main');

  const listed = (await ask('/api/v1/repos/admin/engine/commits?per_page=100&page=2')) as unknown[];
  t.match(JSON.stringify(listed), /Step 0\b/, 'the oldest is on the second page');
  t.match(await ask('/admin/engine', { headers: { accept: 'text/html' } }), /Step 199[^]*steps/);
  t.match(await ask('/api/v1/repos/admin/engine/raw/main/steps/9.txt'), /^line 199\n/);
  await git.git('clone', '--quiet', url, 'copy');
  const copy = git.at('copy');
  await copy.git('fsck', '--strict');
  t.equal((await copy.git('rev-list', '--count', 'HEAD')).trim(), String(commits));
});
