// "General error codes": each code provoked over HTTP, and the ones that every operation implies provoked on every
// operation.
import { setTimeout as later } from 'node:timers/promises';
import { anyone, api, definePlugin, shape, word } from 'hexforge/plugin';
import tap, { type Test } from 'tap';
import type { Client, Answer } from '#test/support/client';
import { columnUnderTest, startTestForge } from '#test/support/forge';
import type { Operation } from '#test/support/openapi';
import { entryOf, fill, stage, type Stage } from '#test/support/walk';

const jsonBody = { 'content-type': 'application/json' } as const;

/** Status, code and the envelope that every error shares. */
function isError(t: Pick<Test, 'equal' | 'match'>, answer: Answer, status: number, code: string, what: string): void {
  t.equal(answer.status, status, `${what}: status`);
  t.match(answer.body, { error: /\S/, error_code: code }, `${what}: envelope`);
}

let made: Promise<Stage> | undefined;
/** One forge for all walks that change nothing. */
const shared = (): Promise<Stage> => (made ??= startTestForge(tap).then(stage));

const ask = (
  client: Client,
  operation: Operation,
  values: Readonly<Record<string, string>>,
  options: Parameters<Client['request']>[2] = {},
): Promise<Answer> => client.request(operation.method, fill(operation.path, values), options);

void tap.test(
  'unauthorized: a bearer token that is not good gives 401 on every operation, public ones too',
  async (t) => {
    const { forge, values } = await shared();
    t.ok(forge.contract.operations.length >= 20);
    for (const operation of forge.contract.operations) {
      const answer = await ask(forge.as('svc_notAToken00000000000000000000000000'), operation, values);
      isError(t, answer, 401, 'unauthorized', operation.id);
      t.match(answer.headers.get('www-authenticate'), /^Bearer/, `${operation.id}: challenge`);
    }
  },
);

void tap.test('unauthorized: no credential where one is needed gives 401', async (t) => {
  const { forge, values } = await shared();
  const closed = forge.contract.operations.filter(
    (operation) =>
      ['signed-in', 'session', 'admin', 'super-admin'].includes(entryOf(operation)['x-access'].who) ||
      entryOf(operation)['x-access'].needsUser === true,
  );
  t.ok(closed.length >= 10);
  for (const operation of closed)
    isError(t, await ask(forge.anonymous, operation, values), 401, 'unauthorized', operation.id);
});

void tap.test(
  'insufficient_scope: a token without the scope gives 403 naming it, on every operation with one',
  async (t) => {
    const { forge, admin, values } = await shared();
    const wide = new Map<string, Client>();
    const scoped = forge.contract.operations.filter((operation) => entryOf(operation)['x-scope'] !== undefined);
    t.ok(scoped.length >= 5);
    for (const operation of scoped) {
      const scope = entryOf(operation)['x-scope']?.pat;
      if (scope === undefined || scope === '*' || scope === 'any') continue;
      // A scope of another family: within one, the wider includes the narrower.
      const other = scope.startsWith('ci:') ? 'mcp:read' : 'ci:read';
      const token = wide.get(other) ?? (await forge.pat(admin, [other]));
      wide.set(other, token);
      const answer = await ask(token, operation, values);
      isError(t, answer, 403, 'insufficient_scope', operation.id);
      t.match(JSON.stringify(answer.body), scope, `${operation.id}: the scope is named`);
      t.equal(
        answer.headers.get('www-authenticate'),
        `Bearer error="insufficient_scope", scope="${scope}"`,
        operation.id,
      );
    }
  },
);

void tap.test(
  'forbidden: a token on what needs a session, and a user on what needs an administrator, give 403',
  async (t) => {
    const { forge, admin, values } = await shared();
    const token = await forge.pat(admin, ['repo:admin', 'admin:users', 'admin:system']);
    const user = await forge.createUser('plain');
    for (const operation of forge.contract.operations) {
      const { who } = entryOf(operation)['x-access'];
      if (who === 'session') isError(t, await ask(token, operation, values), 403, 'forbidden', operation.id);
      if (who === 'admin' || who === 'super-admin')
        isError(t, await ask(user.client, operation, values), 403, 'forbidden', operation.id);
    }
  },
);

void tap.test(
  'not_found: an unknown path, and a thing that is absent or not for the caller to know of, give 404',
  async (t) => {
    const { forge, admin } = await shared();
    for (const path of [
      '/',
      '/api/v1/nothing',
      '/api/v2/repos',
      '/nothing/here',
      '/api/v1/repos/admin/walked/nothing/here',
    ]) {
      if (path !== '/') isError(t, await forge.anonymous.get(path), 404, 'not_found', path);
    }
    for (const operation of forge.contract.operations) {
      if (entryOf(operation)['x-access'].who !== 'permitted') continue;
      isError(t, await ask(admin, operation, { owner: 'nobody', repo: 'nothing' }), 404, 'not_found', operation.id);
    }
  },
);

void tap.test('method_not_allowed: a known path with another method gives 405 with Allow', async (t) => {
  const { forge, values } = await shared();
  const byPath = new Map<string, string[]>();
  for (const { path, method } of forge.contract.operations) byPath.set(path, [...(byPath.get(path) ?? []), method]);
  for (const [path, known] of byPath) {
    // A template can share its form with another; only a method that no operation has at this very URL is wrong.
    const url = fill(path, values);
    const wrong = ['PATCH', 'DELETE', 'PUT', 'POST'].find(
      (method) => !known.includes(method) && forge.contract.find(method, url) === undefined,
    );
    if (wrong === undefined) continue;
    const answer = await forge.anonymous.request(wrong, url);
    isError(t, answer, 405, 'method_not_allowed', `${wrong} ${path}`);
    const allow = answer.headers.get('allow')?.split(', ') ?? [];
    for (const method of known) t.ok(allow.includes(method), `${path} allows ${method}`);
    t.notOk(allow.includes(wrong), `${path} does not allow ${wrong}`);
  }
});

void tap.test(
  'malformed_json, unknown_field, unsupported_media_type and payload_too_large on every operation with a JSON body',
  async (t) => {
    const { forge, admin, values } = await shared();
    const withBody = forge.contract.operations.filter(({ hasJsonBody }) => hasJsonBody);
    t.ok(withBody.length >= 8);
    for (const operation of withBody) {
      for (const [raw, what] of [
        ['{"name": ', 'cut off'],
        ['not json', 'no JSON'],
        ['{"a":1}{"b":2}', 'two values'],
      ] as const) {
        isError(
          t,
          await ask(admin, operation, values, { raw, headers: jsonBody }),
          400,
          'malformed_json',
          `${operation.id}, ${what}`,
        );
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        isError(
          t,
          await ask(admin, operation, values, { raw: '{}', headers: { 'content-type': type } }),
          415,
          'unsupported_media_type',
          `${operation.id}, ${type}`,
        );
      }
      if (operation.id !== 'authRegister') {
        const unknown = await ask(admin, operation, values, { body: { definitely_not_a_field: 1 } });
        t.equal(unknown.status, 400, `${operation.id}: an unknown field`);
        t.ok(
          ['unknown_field', 'validation_failed'].includes((unknown.body as { error_code: string }).error_code),
          `${operation.id}: ${unknown.text}`,
        );
      }
      // Document D, "Repositories": JSON bodies up to 1 MiB, contents PUT up to 50 MiB.
      const most = operation.id === 'contentsWrite' ? 50 << 20 : 1 << 20;
      isError(
        t,
        await ask(admin, operation, values, { raw: `{"name":"${'x'.repeat(most)}"}`, headers: jsonBody }),
        413,
        'payload_too_large',
        operation.id,
      );
    }
  },
);

void tap.test('unknown_field names the field, also beside good ones', async (t) => {
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

void tap.test(
  'validation_failed: text that no database holds is refused on every operation with a query',
  async (t) => {
    const { forge, admin, values } = await shared();
    const queried = forge.contract.operations.filter(({ queries }) => queries.length > 0);
    t.ok(queried.length >= 3);
    for (const operation of queried) {
      for (const name of operation.queries) {
        const answer = await admin.request(operation.method, `${fill(operation.path, values)}?${name}=a%00b`);
        // A number that is none falls back to its default, as the forms of paging have it.
        if (answer.status !== 200) isError(t, answer, 400, 'validation_failed', `${operation.id}, ${name}`);
      }
    }
  },
);

void tap.test('conflict: a name that is taken gives 409', async (t) => {
  const { admin } = await shared();
  isError(t, await admin.post('/api/v1/repos', { body: { name: 'Walked' } }), 409, 'conflict', 'a repository');
});

void tap.test('rate_limited: beyond its budget every metered operation gives 429 with Retry-After', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_RATE_LIMIT: 'on' } });
  const metered = forge.contract.operations.filter((operation) => entryOf(operation)['x-meter'] !== 'none');
  t.ok(metered.length >= 10);
  for (const operation of metered) {
    const meter = entryOf(operation)['x-meter'];
    let answer = await ask(forge.anonymous, operation, {});
    t.equal(answer.headers.get('x-ratelimit-resource'), meter, `${operation.id}: its meter`);
    for (let tries = 0; answer.status !== 429 && tries < 1000; tries++)
      answer = await ask(forge.anonymous, operation, {});
    isError(t, answer, 429, 'rate_limited', operation.id);
    t.equal(answer.headers.get('x-ratelimit-remaining'), '0', operation.id);
    t.ok(Number(answer.headers.get('retry-after')) >= 1, `${operation.id}: Retry-After`);
  }
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
  'internal: a fault of ours gives 500 with a request id, without a trace of its insides; the log has them',
  async (t) => {
    const forge = await startTestForge(t, { definitions: [faulty] });
    const answer = await forge.anonymous.get('/api/v1/x/faulty/fail', { headers: { 'x-request-id': 'req-of-mine' } });
    isError(t, answer, 500, 'internal', 'a route that throws');
    t.notMatch(answer.text, /marker-of-an-inner-fault|\.ts/, 'no insides');
    t.match(answer.text, /req-of-mine/, 'the request id is named');
    await until(() => forge.output.stderr.includes('marker-of-an-inner-fault'));
    const line = forge.output.stderr.split('\n').find((text) => text.includes('marker-of-an-inner-fault')) ?? '';
    t.match(line, /req-of-mine/, 'the log has the stack under the same id');
    isError(
      t,
      await forge.anonymous.get('/api/v1/x/faulty/lie'),
      500,
      'internal',
      'an answer its schema does not have',
    );
  },
);

void tap.test(
  'unavailable: without the plugin audit, what must leave an entry gives 503 naming it and changes nothing',
  async (t) => {
    // A first start creates the administrator, which needs the audit log; in memory every start is the first.
    // The address stays, for a session is good at the one that issued it.
    const address = { HEXFORGE_BASE_URL: 'http://forge.example.com' };
    const whole = await startTestForge(t, {
      database: columnUnderTest() === 'memory' ? 'embedded' : columnUnderTest(),
      environment: address,
    });
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
    t.strictSame((await admin.get('/api/v1/admin/users')).body, wanted, 'the users are as they were');
    t.match((await admin.get('/api/v1/repos/admin/walked')).body, { name: 'walked' }, 'the repository is there');
  },
);

void tap.test('every answer carries X-Request-Id, echoed when the caller sends a sane one', async (t) => {
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
  t.not(first, second, 'each request has its own');
});

/** Waits for a condition that a server in this process brings about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await later(5);
}
