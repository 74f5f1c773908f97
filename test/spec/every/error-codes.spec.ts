// Provokes the error codes that every operation shares, on every operation of the suite's plugin.
import tap from 'tap';
import { owned } from '#test/support/area';
import type { Client, Answer } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import type { Operation } from '#test/support/clients/openapi';
import { sharedForge } from '#test/support/shared-forge';
import { entryOf, fill, inShapeOfOAuth2, readsOwnCredentials, stage, type Stage } from '#test/support/clients/walk';

const jsonBody = { 'content-type': 'application/json' } as const;

let made: Promise<Stage> | undefined;
/** One forge for all walks that change nothing. */
const shared = (): Promise<Stage> => (made ??= sharedForge(tap).then(stage));

const ask = (
  client: Client,
  operation: Operation,
  values: Readonly<Record<string, string>>,
  options: Parameters<Client['request']>[2] = {},
): Promise<Answer> => client.request(operation.method, fill(operation.path, values), options);

void tap.test('unauthorized: an invalid bearer token gives 401 on every operation, also on public ones', async (t) => {
  const { forge, values } = await shared();
  t.ok(forge.contract.operations.length >= 20);
  for (const operation of owned(forge.contract.operations)) {
    if (readsOwnCredentials(operation)) continue;
    const answer = await ask(forge.as('svc_notAToken00000000000000000000000000'), operation, values);
    isError(t, answer, 401, 'unauthorized', operation.id);
    t.match(answer.headers.get('www-authenticate'), /^Bearer/, `${operation.id}: challenge`);
  }
});

void tap.test('unauthorized: a missing credential gives 401 where one is needed', async (t) => {
  const { forge, values } = await shared();
  const closed = forge.contract.operations.filter(
    (operation) =>
      ['signed-in', 'session', 'admin', 'super-admin'].includes(entryOf(operation)['x-access'].who) ||
      entryOf(operation)['x-access'].needsUser === true,
  );
  t.ok(closed.length >= 10);
  for (const operation of owned(closed))
    isError(t, await ask(forge.anonymous, operation, values), 401, 'unauthorized', operation.id);
});

void tap.test(
  'insufficient_scope: a token without the scope gives 403 naming it, on every operation with a scope',
  async (t) => {
    const { forge, admin, values } = await shared();
    const wide = new Map<string, Client>();
    const scoped = forge.contract.operations.filter((operation) => entryOf(operation)['x-scope'] !== undefined);
    t.ok(scoped.length >= 5);
    for (const operation of owned(scoped)) {
      const scope = entryOf(operation)['x-scope']?.pat;
      if (scope === undefined || scope === '*' || scope === 'any') continue;
      // A scope of another family, because within a family the wider scope includes the narrower.
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
  'forbidden: a token where a session is needed, and a user where an administrator is needed, give 403',
  async (t) => {
    const { forge, admin, values } = await shared();
    const token = await forge.pat(admin, ['repo:admin', 'admin:users', 'admin:system']);
    const user = await forge.createUser('plain');
    for (const operation of owned(forge.contract.operations)) {
      const { who } = entryOf(operation)['x-access'];
      if (who === 'session') isError(t, await ask(token, operation, values), 403, 'forbidden', operation.id);
      if (who === 'admin' || who === 'super-admin')
        isError(t, await ask(user.client, operation, values), 403, 'forbidden', operation.id);
    }
  },
);

void tap.test('not_found: a missing thing, or one that the caller may not see, gives 404', async (t) => {
  const { forge, admin } = await shared();
  for (const operation of owned(forge.contract.operations)) {
    if (entryOf(operation)['x-access'].who !== 'permitted') continue;
    isError(t, await ask(admin, operation, { owner: 'nobody', repo: 'nothing' }), 404, 'not_found', operation.id);
  }
});

void tap.test('method_not_allowed: a known path with another method gives 405 with Allow', async (t) => {
  const { forge, values } = await shared();
  const byPath = new Map<string, string[]>();
  for (const { path, method } of forge.contract.operations) byPath.set(path, [...(byPath.get(path) ?? []), method]);
  for (const path of new Set(owned(forge.contract.operations).map((operation) => operation.path))) {
    const known = byPath.get(path) ?? [];
    // Another path template can match the same URL, so the method must be unknown for the URL, not just for the
    // template.
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
    for (const operation of owned(withBody)) {
      if (inShapeOfOAuth2(operation)) continue;
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
      // The body limit: 50 MiB for contentsWrite, 1 MiB for every other operation.
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

void tap.test('validation_failed: a query text with NUL is refused on every operation with a query', async (t) => {
  const { forge, admin, values } = await shared();
  const queried = forge.contract.operations.filter(({ queries }) => queries.length > 0);
  t.ok(queried.length >= 3);
  for (const operation of owned(queried)) {
    for (const name of operation.queries) {
      const answer = await admin.request(operation.method, `${fill(operation.path, values)}?${name}=a%00b`);
      // 200 is correct for `page`, `per_page`, `limit` and `offset`, because a malformed number is replaced by the
      // default.
      if (inShapeOfOAuth2(operation)) t.match(answer.body, { error: 'invalid_request' }, `${operation.id}, ${name}`);
      else if (answer.status !== 200) isError(t, answer, 400, 'validation_failed', `${operation.id}, ${name}`);
    }
  }
});

void tap.test('rate_limited: beyond its budget every metered operation gives 429 with Retry-After', async (t) => {
  const forge = await startTestForge(t, {
    environment: { HEXFORGE_RATE_LIMIT: 'on' },
    configuration: { settings: { 'oauth2.dcr.enabled': true } },
  });
  const metered = forge.contract.operations.filter((operation) => entryOf(operation)['x-meter'] !== 'none');
  t.ok(metered.length >= 10);
  for (const operation of owned(metered)) {
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
