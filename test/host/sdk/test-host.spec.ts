// The test host of `hexforge/testing`: a whole forge with users, repositories and tokens around an external plugin.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { anyone, api, definePlugin, shape, signedIn, time, uuid, word } from 'hexforge/plugin';
import { fixedClock, Refused, testHost, type TestHostOptions } from 'hexforge/testing';
import { example } from '#test/support/example';

const labels = await example('labels');

const base = { version: '1.0.0', api: '^0.2.0' } as const;
const about = { summary: 'A sample', method: 'GET', scope: null, meter: 'api.read' } as const;
const url = process.env['HEXFORGE_TEST_POSTGRES_URL'] as `postgres://${string}` | undefined;
const databases = ['memory', 'embedded', ...(url === undefined ? [] : [url])] as const;

/** A test as its author writes it: the same on every database. */
async function labelsWork(t: Test, database: NonNullable<TestHostOptions['database']>): Promise<void> {
  await using forge = await testHost(labels, { database, repositories: ['alice/site'] });
  const path = '/x/labels/repos/alice/site/labels';
  const bug = { name: 'Bug', color: '#ff0000' };
  const added = await forge.as('alice').post(path, { json: bug });
  t.match([added.status, added.body], [201, bug]);
  t.match((await forge.as('alice').get(path)).body, { items: [bug], total: 1 });
  t.equal((await forge.as('alice').post(path, { json: { ...bug, name: 'BUG' } })).status, 409);
  t.equal((await forge.as('bob').get(path)).status, 404, 'a private repository is hidden from others');
  t.equal((await forge.get(path)).status, 404);
  t.equal((await forge.as('alice', { scopes: ['repo:read'] }).get(path)).status, 200);
  t.equal((await forge.as('alice', { scopes: ['repo:read'] }).post(path, { json: bug })).status, 403);
  await forge.drained();
  const { id } = added.body as { readonly id: string };
  t.match(
    forge.events.filter(({ type }) => type === 'labels.changed'),
    [{ aggregate: /^repository:/, payload: { id }, at: forge.clock.now() }],
  );
}

for (const database of databases)
  void t.test(`a plugin works on ${database.split(':')[0]} with users, scopes and events`, (t) =>
    labelsWork(t, database),
  );

/** A plugin that returns caller, time and id, and has one route whose answer breaks its schema. */
const stamp = definePlugin({
  ...base,
  name: 'stamp',
  needs: ['Clock', 'Ids'],
  config: shape({ word: word().default('ink') }),
  routes: (_parts, { Clock, Ids, config }) => [
    api({
      ...about,
      id: 'stampRead',
      path: '/now',
      access: signedIn,
      result: shape({ at: time(), id: uuid(), by: word(), word: word() }),
      run: ({ caller }) => ({ at: Clock.now().toISOString(), id: Ids.uuid(), by: caller.username, word: config.word }),
    }),
    api({
      ...about,
      id: 'stampBroken',
      path: '/broken',
      access: anyone,
      result: shape({ word: word() }),
      run: () => ({ word: '' }),
    }),
  ],
});

void t.test('the clock only moves when the test moves it, ids are sequential, and sessions remain valid', async (t) => {
  const read = async (): Promise<{ readonly at: string; readonly id: string; readonly by: string }> => {
    await using forge = await testHost(stamp, { clock: fixedClock('2030-05-06T07:08:09Z') });
    t.match(await forge.as('ada').get('/x/stamp/now'), { status: 200, body: { at: '2030-05-06T07:08:09.000Z' } });
    forge.clock.advance(40 * 86_400_000);
    return (await forge.as('ada').get('/x/stamp/now')).body as Awaited<ReturnType<typeof read>>;
  };
  const first = await read();
  t.match(first, { at: '2030-06-15T07:08:09.000Z', id: /^00000000-0000-4000-8000-/, by: 'ada', word: 'ink' });
  t.strictSame(await read(), first, 'the same in every run');
});

void t.test('many tokens are all different', async (t) => {
  await using forge = await testHost([]);
  const texts = new Set<unknown>();
  for (let index = 0; index < 80; index += 1) {
    const json = { name: `${index}`, scopes: ['repo:read'] };
    texts.add(((await forge.as('ada').post('/user/tokens', { json })).body as { readonly token?: string }).token);
  }
  t.equal(texts.size, 80);
  t.notOk(texts.has(undefined));
});

void t.test('an answer that breaks its schema is 500, and the log has the reason', async (t) => {
  const said: string[] = [];
  const note = (members: object, message: string): number => said.push(`${message} ${JSON.stringify(members)}`);
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note };
  await using forge = await testHost(stamp, { log });
  t.equal((await forge.get('/x/stamp/broken')).status, 500);
  t.match(said.join(), /stamp/);
});

void t.test('users and repositories are created as requested, and git reads what was written', async (t) => {
  await using forge = await testHost([], {
    users: ['ada', { username: 'root', isAdmin: true }, { username: 'eve', displayName: 'Eve' }],
    repositories: [{ path: 'ada/open', visibility: 'public' }],
  });
  t.equal((await forge.as('ada').get('/admin/users')).status, 403);
  t.equal((await forge.as('root').get('/admin/users')).status, 200);
  t.equal((await forge.as('admin').get('/admin/users')).status, 200);
  t.match((await forge.as('eve').get('/user')).body, { username: 'eve', display_name: 'Eve' });
  const { id } = await forge.repository('ada/open');
  const hello = { message: 'Say hello', content: Buffer.from('Hello\n').toString('base64') };
  t.equal((await forge.as('ada').put('/repos/ada/open/contents/README.md', { json: hello })).status, 201);
  t.equal((await forge.get('/repos/ada/open/raw/main/README.md')).body, 'Hello\n');
  t.match((await forge.get(new URL('/api/v1/repos/ada/open', forge.url))).body, { id });
  await t.rejects(forge.repository('open'), /"open" is no path of a repository/);
  t.ok((await forge.port('Users').byUsername('Eve')) !== undefined);
});

void t.test('a host in memory with repositories starts no git before a request needs it', async (t) => {
  const environment = { HEXFORGE_GIT_PATH: '/nonexistent/git' };
  await using forge = await testHost(labels, { repositories: ['ada/site'], environment });
  t.equal((await forge.as('ada').get('/x/labels/repos/ada/site/labels')).status, 200);
  t.ok((await forge.as('ada').get('/repos/ada/site/branches')).status >= 500);
});

void t.test('a host in memory loads neither SQL database', async (t) => {
  const hook = `import { registerHooks } from 'node:module';
    const load = (url, context, next) => (console.log(url), next(url, context));
    registerHooks({ load });`;
  const code = "const { testHost } = await import('hexforge/testing'); await (await testHost([])).stop();";
  const { NODE_OPTIONS: _loaders, ...env } = process.env;
  const loaded = execFileSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--input-type=module', '--eval', code],
    { cwd: join(import.meta.dirname, '../../..'), env, encoding: 'utf8' },
  );
  t.match(loaded, /plugins\/repositories\/plugin\.ts/);
  t.notMatch(loaded, /electric-sql\/pglite|mikro-orm\/(?:sql|postgresql)|node_modules\/pg\/|adapters\/postgres\/open/);
});

void t.test('requests are metered if the test requests it', async (t) => {
  await using forge = await testHost(stamp, { metering: true, config: { stamp: { word: 'wax' } } });
  const answer = await forge.as('ada').get('/x/stamp/now');
  t.match(answer.headers, { 'x-ratelimit-limit': /\d/ });
  t.match(answer.body, { word: 'wax' });
});

void t.test('mistakes are rejected as by `hexforge check`, and a stopped host leaves nothing', async (t) => {
  // A separate folder, because other processes start test hosts too.
  const folder = t.testdir({});
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = folder;
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const wrong = definePlugin({ ...base, name: 'wrong', tables: ['repositories_x'] });
  await t.rejects(testHost([stamp, wrong]), Refused);
  await t.rejects(testHost(stamp, { config: { stamp: { wrod: 'x' } } }), /Did you mean "word"/);
  const forge = await testHost(stamp);
  t.equal(readdirSync(folder).length, 1);
  t.match(forge.plugins().at(-1), { name: 'stamp', state: 'started' });
  t.ok(forge.routes().includes('GET /x/stamp/now'));
  await forge.stop();
  t.strictSame(readdirSync(folder), []);
  await t.rejects(forge.get('/x/stamp/now'), { code: 'ECONNREFUSED' });
});
