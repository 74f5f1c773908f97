// Bots of plugins over HTTP: how they are shown, what they are refused, and what stays when the plugin is disabled.
import { builtInTypes } from 'hexforge/issues';
import { definePlugin, on, type Bot, type PortValue } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { hexforge } from '#test/support/servers/command';

const repos = '/api/v1/repos';
const users = '/api/v1/admin/users';
const bot = 'helper[bot]';

interface Held {
  readonly Bot: Bot;
  readonly Issues: PortValue<'Issues'>;
}

/** A plugin whose ports the test uses. */
function helper() {
  const held: { now?: Held } = {};
  const plugin = definePlugin({
    name: 'helper',
    version: '1.0.0',
    api: '*',
    needs: ['Bot', 'Issues'],
    build: (context) => {
      held.now = context;
      return {};
    },
    // Stored, so that there is something to purge.
    events: () => [on('issue.created', { name: 'nothing', delivery: 'durable', handle: async () => undefined })],
  });
  const ports = (): Held => {
    if (held.now === undefined) throw new Error('the plugin was not built');
    return held.now;
  };
  return { plugin, ports };
}

/** A directory whose users have any name. */
const directory = definePlugin({
  name: 'corp',
  version: '1.0.0',
  api: '*',
  provides: {
    PasswordDirectory: () => ({
      check: async (username, password) => (password === 'of the directory' ? { username } : undefined),
    }),
  },
});

void t.test('the bot of a plugin', async (t) => {
  const { plugin, ports } = helper();
  const forge = await startTestForge(t, { definitions: [plugin, directory] });
  const admin = await forge.administrator();
  const { client: owner } = await forge.createUser('owner');
  const repository = (await owner.post(repos, { body: { name: 'shut', visibility: 'private' } })).body as {
    readonly id: string;
  };
  const issue = { title: 'It leaks', issue_type_id: builtInTypes[0].id };
  const { number } = (await owner.post(`${repos}/owner/shut/issues`, { body: issue })).body as {
    readonly number: number;
  };
  const at = { repositoryId: repository.id, number };
  const say = async (body: string) => {
    const { Bot, Issues } = ports();
    return Issues?.comment(await Bot.call(), { ...at, body });
  };
  const comments = `${repos}/owner/shut/issues/${number}/comments`;
  const { id } = await ports().Bot.account();

  await t.test('it is shown as a bot, and the accounts of people have no `type`', async (t) => {
    const { body } = await admin.get(`${users}?q=${encodeURIComponent('[bot]')}`);
    t.match(body, { total: 1, users: [{ id, username: bot, type: 'Bot', is_admin: false, display_name: 'helper' }] });
    t.match((await admin.get(`${users}/${id}`)).body, { username: bot, type: 'Bot' });
    t.match((await forge.anonymous.get(`/api/v1/users/${bot}`)).body, { id, username: bot, type: 'Bot' });
    t.notHas((await forge.anonymous.get('/api/v1/users/owner')).body, { type: /./ });
  });

  await t.test('no person takes such a name, and nobody signs in as a bot', async (t) => {
    const user = { username: 'other[bot]', email: 'a@b.example', password: 'correct horse battery' };
    t.equal((await admin.post(users, { body: user })).status, 400);
    for (const password of ['x', 'correct horse battery'])
      t.equal((await forge.anonymous.post('/api/v1/auth/login', { body: { username: bot, password } })).status, 401);
    const git = await fetch(`${forge.url}/owner/shut.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`${bot}:x`).toString('base64')}` },
    });
    t.equal(git.status, 401);
    const login = { username: bot, password: 'of the directory' };
    const answer = await forge.anonymous.post('/api/v1/auth/login', { body: login });
    t.match(answer, { status: 403, body: { error_code: 'account_is_bot' } });
    const entries = await admin.get('/api/v1/admin/audit-log?action=user.login_blocked_bot');
    t.match(entries.body, { total: 1, entries: [{ resource: `user:${id}`, details: { username: bot } }] });
  });

  await t.test('an administrator gives it no password, address or administration', async (t) => {
    const refused = { status: 403, body: { error_code: 'account_is_bot' } };
    t.match(await admin.post(`${users}/${id}/password`, { body: { password: 'correct horse battery' } }), refused);
    t.match(await admin.patch(`${users}/${id}`, { body: { is_admin: true } }), refused);
    t.match(await admin.patch(`${users}/${id}`, { body: { email: 'me@example.org' } }), refused);
  });

  await t.test('it reads and comments once the owner has granted it a role', async (t) => {
    await t.rejects(say('early'), { kind: 'not_found', message: /./ });
    const path = `${repos}/owner/shut/collaborators/${bot}`;
    t.equal((await owner.put(path, { body: { role: 'read' } })).status, 204);
    await say('hello');
    const [comment] = (await owner.get(comments)).body as readonly { readonly author: object }[];
    t.match(comment, { author_id: id, author: { username: bot }, body: 'hello' });
    t.strictSame(Object.keys(comment?.author ?? {}).sort(), ['avatar_url', 'display_name', 'id', 'username']);
    await owner.patch(`${repos}/owner/shut/issues/${number}`, { body: { locked: true } });
    await t.rejects(say('into a locked issue'), { kind: 'forbidden', message: /locked/ });
    await owner.patch(`${repos}/owner/shut/issues/${number}`, { body: { locked: false } });
    t.equal((await owner.delete(path)).status, 204);
    await t.rejects(say('late'), { kind: 'not_found', message: /./ });
    t.equal((await owner.put(path, { body: { role: 'read' } })).status, 204);
  });

  await t.test('a suspended bot is refused everything', async (t) => {
    const status = async (status: string) => (await admin.patch(`${users}/${id}`, { body: { status } })).status;
    const early = await ports().Bot.call();
    t.equal(await status('suspended'), 200);
    const refused = { kind: 'forbidden', code: 'account_suspended', message: /./ };
    await t.rejects(say('suspended'), refused);
    await t.rejects(Promise.resolve(ports().Issues?.list(early, at)), refused, 'also with a call from before');
    t.equal(await status('active'), 200);
    await say('active again');
  });

  await t.test('it is not deleted while it has comments', async (t) => {
    const answer = await admin.delete(`${users}/${id}`);
    t.match(answer, { status: 409, body: { reason: /comments/ } });
    t.match(await ports().Bot.account(), { id });
  });

  await t.test('disabled and purged, its account and comments stay; enabled, it has the same account', async (t) => {
    await forge.stop();
    if (forge.databaseUrl !== undefined) {
      const environment = { DATABASE_URL: forge.databaseUrl, HEXFORGE_DATA_DIR: forge.dataDir };
      const purge = await hexforge(t, ['plugins', 'purge', 'helper', '--yes'], { cwd: forge.dataDir, environment });
      t.match(purge, { code: 0, stdout: /hexforge_subscription +1 row\n/ });
    }
    const without = await startTestForge(t, { after: forge });
    const reader = await without.administrator();
    t.match((await reader.get(`${users}/${id}`)).body, { username: bot, type: 'Bot', status: 'active' });
    t.match((await reader.get(comments)).body, [{ author: { username: bot } }, { author_id: id }]);
    const login = { username: bot, password: 'x' };
    t.equal((await without.anonymous.post('/api/v1/auth/login', { body: login })).status, 401);
    await without.stop();
    await startTestForge(t, { after: without, definitions: [plugin] });
    t.match(await ports().Bot.account(), { id });
    await say('back again');
  });
});
