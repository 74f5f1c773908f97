// Tests of the administration of settings: every status of each operation.
import { definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { isError as isErrorOf } from '#test/support/clients/error-answer';

declare module 'hexforge/plugin' {
  interface SettingValues {
    'sample.enabled': boolean;
    'sample.size': number;
    'sample.name': string;
    'sample.secret': string;
  }
}

const settings = '/api/v1/admin/settings';

/** @param max the upper bound of `sample.size`, which an upgrade may change. */
const sample = (max = 9) =>
  definePlugin({
    name: 'sample',
    version: '1.0.0',
    api: '^0.2.0',
    settings: [
      { key: 'sample.enabled', type: 'boolean', default: true, description: 'A sample' },
      { key: 'sample.size', type: 'integer', default: 3, min: 1, max, description: 'How large' },
      { key: 'sample.name', type: 'string', default: 'a name', maxLength: 100_000, description: 'What it is called' },
      { key: 'sample.secret', type: 'string', default: '', sensitive: true, description: 'A secret' },
    ],
  });

type Asserted = Parameters<typeof isErrorOf>;
/** Asserts an error; `what` names the request in the message if a test sends several. */
const isError = (t: Asserted[0], answer: Asserted[1], status: number, code: string, what = 'it'): void =>
  isErrorOf(t, answer, status, code, what);

const register = (forge: TestForge, username: string) =>
  forge.anonymous.post('/api/v1/auth/register', {
    body: { username, email: `${username}@example.org`, password: 'correct horse' },
  });

void t.test('/admin/settings', async (t) => {
  const forge = await startTestForge(t, {
    definitions: [sample()],
    configuration: { settings: { 'sample.size': 5 } },
  });
  const admin = await forge.administrator();
  const put = (key: string, value: unknown) => admin.put(`${settings}/${key}`, { body: { value } });
  const shown = async (key: string) => (await admin.get(`${settings}/${key}`)).body;

  await t.test('GET: 200 with an array by key of { key, value, description, sensitive, default }', async (t) => {
    const { status, body } = await admin.get(settings);
    t.equal(status, 200);
    const items = body as readonly Record<string, unknown>[];
    const keys = items.map(({ key }) => key);
    t.strictSame(keys, keys.toSorted());
    t.ok(keys.includes('signup.enabled') && keys.includes('repositories.max_per_user'), 'of every enabled plugin');
    t.strictSame(
      items.filter(({ key }) => String(key).startsWith('sample.')),
      [
        { key: 'sample.enabled', value: 'true', description: 'A sample', sensitive: false, default: 'true' },
        { key: 'sample.name', value: 'a name', description: 'What it is called', sensitive: false, default: 'a name' },
        { key: 'sample.secret', value: '********', description: 'A secret', sensitive: true, default: '' },
        { key: 'sample.size', value: '5', description: 'How large', sensitive: false, default: '3' },
      ],
    );
  });

  await t.test('GET one: 200 with the same object; 404 for an unknown key', async (t) => {
    t.strictSame(await shown('sample.size'), {
      key: 'sample.size',
      value: '5',
      description: 'How large',
      sensitive: false,
      default: '3',
    });
    for (const key of ['sample.sise', 'sample', '__proto__', 'constructor', 'x'.repeat(300), '%2F'])
      isError(t, await admin.get(`${settings}/${key}`), 404, 'not_found', key);
  });

  await t.test('PUT: 200 with { key, value }, which applies at once', async (t) => {
    t.equal((await register(forge, 'early')).status, 403);
    const answer = await put('signup.enabled', 'true');
    t.strictSame([answer.status, answer.body], [200, { key: 'signup.enabled', value: 'true' }]);
    t.equal((await register(forge, 'ada')).status, 201);
    t.equal((await put('signup.enabled', 'false')).status, 200);
    t.match(await register(forge, 'late'), { status: 403, body: { error_code: 'signup_disabled' } });
    t.equal((await put('sample.size', '7')).status, 200);
    t.match(await shown('sample.size'), { value: '7', default: '3' }, 'overrides the configuration');
    t.equal(await forge.forge.port('Settings').get('sample.size'), 7);
    const long = 'ü'.repeat(100_000);
    t.equal((await put('sample.name', long)).status, 200);
    t.equal(await forge.forge.port('Settings').get('sample.name'), long);
  });

  await t.test('PUT: 400 malformed, 404 for an unknown key, 422 out of bounds; nothing changes', async (t) => {
    for (const body of [{}, { value: 7 }, { value: true }, { value: null }, { value: ['7'] }])
      isError(t, await admin.put(`${settings}/sample.size`, { body }), 400, 'validation_failed', JSON.stringify(body));
    isError(t, await admin.put(`${settings}/sample.name`, { body: { value: 'a\0b' } }), 400, 'validation_failed');
    isError(t, await put('sample.sise', '1'), 404, 'not_found');
    for (const value of ['10', '0', '1.5', '', 'many'])
      isError(t, await put('sample.size', value), 422, 'unprocessable');
    t.match((await put('sample.size', '10')).body, { detail: '"sample.size" must be a whole number from 1 to 9' });
    isError(t, await put('sample.enabled', 'yes'), 422, 'unprocessable');
    isError(t, await put('sample.name', 'x'.repeat(100_001)), 422, 'unprocessable');
    t.match(await shown('sample.size'), { value: '7' });
  });

  await t.test('DELETE: 204, also if no value is stored; 404 for an unknown key', async (t) => {
    const remove = (key: string) => admin.delete(`${settings}/${key}`);
    for (const _ of [1, 2]) {
      t.equal((await remove('sample.size')).status, 204);
      t.match(await shown('sample.size'), { value: '5' }, 'the configured value applies');
    }
    t.equal((await put('sample.secret', 'of the past')).status, 200);
    t.equal((await remove('sample.secret')).status, 204);
    t.equal(await forge.forge.port('Settings').get('sample.secret'), '');
    isError(t, await remove('sample.sise'), 404, 'not_found');
    t.equal((await put('sample.size', '7')).status, 200);
  });

  await t.test('a sensitive value is masked in every answer, and sending the mask changes nothing', async (t) => {
    const secret = 'hunter2 of the sample';
    const written = await put('sample.secret', secret);
    t.strictSame([written.status, written.body], [200, { key: 'sample.secret', value: '********' }]);
    const echoed = await put('sample.secret', '********');
    t.strictSame([echoed.status, echoed.body], [200, { key: 'sample.secret', value: '********' }]);
    const batch = await admin.post(settings, { body: { settings: [{ key: 'sample.secret', value: '********' }] } });
    t.strictSame([batch.status, batch.body], [200, [{ key: 'sample.secret', value: '********' }]]);
    t.equal(await forge.forge.port('Settings').get('sample.secret'), secret);
    t.match(await shown('sample.secret'), { value: '********', sensitive: true });
    t.notMatch((await admin.get(settings)).text, 'hunter2');
    t.notMatch(`${forge.output.stdout}${forge.output.stderr}`, 'hunter2');
  });

  await t.test('POST: 200 with the array of { key, value }, all or nothing; 400, 404 and 422 as for PUT', async (t) => {
    const batch = (...changes: readonly unknown[]) => admin.post(settings, { body: { settings: changes } });
    const size = { key: 'sample.size', value: '2' };
    const answer = await batch(size, { key: 'sample.enabled', value: 'false' });
    t.strictSame([answer.status, answer.body], [200, [size, { key: 'sample.enabled', value: 'false' }]]);
    const other = { key: 'sample.size', value: '8' };
    isError(t, await batch(other, { key: 'sample.enabled', value: 'no' }), 422, 'unprocessable');
    isError(t, await batch(other, { key: 'sample.sise', value: '1' }), 404, 'not_found');
    isError(t, await batch(other, other), 400, 'validation_failed', 'a key twice');
    isError(t, await batch(other, { key: 'sample.enabled' }), 400, 'validation_failed');
    isError(t, await batch(...Array.from({ length: 1001 }, () => other)), 400, 'validation_failed', 'too many');
    for (const body of [{}, { settings: {} }, { settings: ['sample.size'] }])
      isError(t, await admin.post(settings, { body }), 400, 'validation_failed', JSON.stringify(body));
    t.match(await shown('sample.size'), { value: '2' });
    t.strictSame((await batch()).body, []);
  });

  await t.test(
    'admin:settings: 401, or 403 naming the scope, before a key is looked up; a grant of it is enough',
    async (t) => {
      const bob = await forge.createUser('bob');
      const scopes = `/api/v1/admin/users/${bob.id}/admin-scopes`;
      const all = (client: typeof admin) =>
        Promise.all([
          client.get(settings),
          client.get(`${settings}/nothing`),
          client.put(`${settings}/nothing`, { body: {} }),
          client.post(settings, { body: {} }),
        ]);
      for (const answer of await all(forge.anonymous)) isError(t, answer, 401, 'unauthorized');
      for (const granted of [[], ['admin:users', 'admin:system']]) {
        for (const scope of granted) t.equal((await admin.post(scopes, { body: { scope } })).status, 200);
        for (const answer of await all(bob.client)) {
          isError(t, answer, 403, 'forbidden');
          t.match(answer.body, { error: 'admin scope required: admin:settings' });
        }
      }
      for (const scope of ['admin:users', 'admin:system'])
        t.equal((await admin.delete(`${scopes}/${scope}`)).status, 204);
      t.equal((await admin.post(scopes, { body: { scope: 'admin:settings' } })).status, 200);
      t.strictSame(
        (await all(bob.client)).map(({ status }) => status),
        [200, 404, 400, 400],
      );
      t.equal((await bob.client.put(`${settings}/sample.size`, { body: { value: '4' } })).status, 200);
    },
  );

  await t.test('a personal access token needs admin:system', async (t) => {
    const users = await forge.pat(admin, ['admin:users', 'repo:admin']);
    const refused = await users.get(settings);
    isError(t, refused, 403, 'insufficient_scope');
    t.equal((await (await forge.pat(admin, ['admin:system'])).get(settings)).status, 200);
  });

  await t.test(
    'stored values survive a restart, a disabled plugin, and an upgrade that narrows the bounds',
    async (t) => {
      await put('sample.size', '9');
      await forge.stop();
      const off = await startTestForge(t, { after: forge });
      const without = await off.administrator();
      t.notMatch((await without.get(settings)).text, 'sample.');
      isError(t, await without.get(`${settings}/sample.size`), 404, 'not_found');
      isError(t, await without.put(`${settings}/sample.size`, { body: { value: '4' } }), 404, 'not_found');
      await off.stop();
      const again = await startTestForge(t, { after: off, definitions: [sample()] });
      t.equal(await again.forge.port('Settings').get('sample.size'), 9);
      t.equal(await again.forge.port('Settings').get('sample.secret'), 'hunter2 of the sample');
      await again.stop();
      const narrowed = await startTestForge(t, {
        after: again,
        definitions: [sample(6)],
        configuration: { settings: { 'sample.size': 5 } },
      });
      t.equal(await narrowed.forge.port('Settings').get('sample.size'), 5);
      t.match(narrowed.output.stderr, /"setting":"sample\.size","plugin":"sample".*must be a whole number from 1 to 6/);
    },
  );
});

void t.test('if the plugin settings is disabled its routes are 404, and the configuration applies', async (t) => {
  const forge = await startTestForge(t, {
    environment: { HEXFORGE_PLUGINS: '-settings' },
    configuration: { settings: { 'signup.enabled': true } },
  });
  const admin = await forge.administrator();
  isError(t, await admin.get(settings), 404, 'not_found');
  isError(t, await admin.put(`${settings}/signup.enabled`, { body: { value: 'false' } }), 404, 'not_found');
  t.equal((await register(forge, 'ada')).status, 201);
});

void t.test('if the plugin audit is disabled settings can be read, and a change is 503', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-audit' } });
  const admin = await forge.administrator();
  const key = `${settings}/signup.enabled`;
  const refused = await admin.put(key, { body: { value: 'true' } });
  isError(t, refused, 503, 'unavailable');
  t.match(refused.body, { error: /audit/ });
  t.match((await admin.get(key)).body, { value: 'false' });
});
