// Provokes over HTTP the general error codes that a single request can prove.
import { setTimeout as later } from 'node:timers/promises';
import { anyone, api, definePlugin, shape, word } from 'hexforge/plugin';
import tap from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { stage, type Stage } from '#test/support/clients/walk';

let made: Promise<Stage> | undefined;
/** One forge for all tests that change nothing. */
const shared = (): Promise<Stage> => (made ??= sharedForge(tap).then(stage));

void tap.test('not_found: an unknown path gives 404', async (t) => {
  const { forge } = await shared();
  for (const path of [
    '/',
    '/api/v1/nothing',
    '/api/v2/repos',
    '/nothing/here',
    '/api/v1/repos/admin/walked/nothing/here',
  ]) {
    if (path !== '/') isError(t, await forge.anonymous.get(path), 404, 'not_found', path);
  }
});

void tap.test('unknown_field names the field, also beside valid ones', async (t) => {
  const { admin } = await shared();
  const answer = await admin.post('/api/v1/repos', { body: { name: 'fine', colour: 'red' } });
  isError(t, answer, 400, 'unknown_field', 'one field too many');
  t.match(JSON.stringify(answer.body), /colour/);
  t.equal((await admin.get('/api/v1/repos/admin/fine')).status, 404, 'nothing was created');
});

void tap.test('validation_failed names the field', async (t) => {
  const { admin } = await shared();
  for (const [body, field] of [
    [{}, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'ok', description: [] }, 'description'],
  ] as const) {
    const answer = await admin.post('/api/v1/repos', { body });
    isError(t, answer, 400, 'validation_failed', JSON.stringify(body));
    t.match((answer.body as { detail?: string }).detail, field);
  }
});

void tap.test('conflict: a name that is taken gives 409', async (t) => {
  const { admin } = await shared();
  isError(t, await admin.post('/api/v1/repos', { body: { name: 'Walked' } }), 409, 'conflict', 'a repository');
});

const faulty = definePlugin({
  name: 'faulty',
  version: '1.0.0',
  api: '*',
  routes: () => [
    api({
      id: 'faultyFail',
      summary: 'Fails',
      method: 'GET',
      path: '/x/faulty/fail',
      access: anyone,
      scope: null,
      meter: 'none',
      hidden: true,
      result: 'empty',
      run: (): undefined => {
        throw new Error('marker-of-an-inner-fault');
      },
    }),
    api({
      id: 'faultyLie',
      summary: 'Answers what its schema does not have',
      method: 'GET',
      path: '/x/faulty/lie',
      access: anyone,
      scope: null,
      meter: 'none',
      hidden: true,
      result: shape({ good: word() }).id('Lie'),
      run: () => ({ good: 'yes', bad: 'no' }) as { good: string },
    }),
  ],
});

void tap.test(
  'internal: an internal error gives 500 with a request id and no details; the log has the details',
  async (t) => {
    const forge = await startTestForge(t, { definitions: [faulty] });
    const answer = await forge.anonymous.get('/api/v1/x/faulty/fail', { headers: { 'x-request-id': 'req-of-mine' } });
    isError(t, answer, 500, 'internal', 'a route that throws');
    t.notMatch(answer.text, /marker-of-an-inner-fault|\.ts/, 'no details');
    t.match(answer.text, /req-of-mine/, 'the request id is named');
    await until(() => forge.output.stderr.includes('marker-of-an-inner-fault'));
    const line = forge.output.stderr.split('\n').find((text) => text.includes('marker-of-an-inner-fault')) ?? '';
    t.match(line, /req-of-mine/, 'the log has the stack under the same id');
    isError(
      t,
      await forge.anonymous.get('/api/v1/x/faulty/lie'),
      500,
      'internal',
      'an answer that its schema does not allow',
    );
  },
);

void tap.test(
  'unavailable: if the plugin audit is disabled, audited operations give 503 naming it and change nothing',
  async (t) => {
    // The first start creates the administrator, which needs the audit log. The base URL stays the same, because a
    // session is valid only at its issuer.
    const address = { HEXFORGE_BASE_URL: 'http://forge.example.com' };
    const whole = await startTestForge(t, { environment: address });
    const { admin: before, values } = await stage(whole);
    const { token } = await whole.signIn(whole.admin.username, whole.admin.password);
    const { body: wanted } = await before.get('/api/v1/admin/users');
    await whole.stop();
    const forge = await startTestForge(t, { after: whole, environment: { ...address, HEXFORGE_PLUGINS: '-audit' } });
    const admin = forge.as(token);
    const { uid = '' } = values;
    for (const [method, path, body] of [
      ['POST', '/api/v1/user/tokens', { name: 'x', scopes: ['repo:read'] }],
      ['POST', '/api/v1/user/password', { current_password: forge.admin.password, new_password: 'another password' }],
      ['POST', '/api/v1/admin/users', { username: 'late', email: 'late@example.com', password: 'password of late' }],
      ['POST', `/api/v1/admin/users/${uid}/password`, { password: 'another password' }],
      ['PATCH', `/api/v1/admin/users/${uid}`, { status: 'suspended' }],
      ['DELETE', `/api/v1/admin/users/${uid}`, undefined],
      ['PATCH', '/api/v1/repos/admin/walked', { visibility: 'public' }],
      ['DELETE', '/api/v1/repos/admin/walked', { confirmation: 'admin/walked' }],
    ] as const) {
      const answer = await admin.request(method, path, body === undefined ? {} : { body });
      isError(t, answer, 503, 'unavailable', `${method} ${path}`);
      t.match(answer.text, /audit/, `${method} ${path}: the component is named`);
    }
    t.strictSame((await admin.get('/api/v1/admin/users')).body, wanted, 'the users are unchanged');
    t.match((await admin.get('/api/v1/repos/admin/walked')).body, { name: 'walked' }, 'the repository exists');
  },
);

void tap.test('every answer has X-Request-Id, which echoes a valid one of the caller', async (t) => {
  const {
    forge: { anonymous },
  } = await shared();
  const sent = async (id: string): Promise<string | null> =>
    (await anonymous.get('/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  t.equal(await sent('abc-DEF_1.2'), 'abc-DEF_1.2');
  for (const insane of ['with space', '<script>', 'x'.repeat(129), 'ü'])
    t.not(await sent(insane), insane, JSON.stringify(insane));
  const [first, second] = [await anonymous.get('/healthz'), await anonymous.get('/nothing')].map(({ headers }) =>
    headers.get('x-request-id'),
  );
  t.ok(first);
  t.not(first, second, 'each request has its own id');
});

/** Waits until the server in this process fulfils the condition. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await later(5);
}
