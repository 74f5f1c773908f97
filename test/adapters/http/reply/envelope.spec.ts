// The error envelope of every failure, and the headers of every answer.
import Joi from 'joi';
import t from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { anyone, changes, reads, session, signedIn } from '#core/kernel/access/access';
import {
  Conflict,
  Duplicate,
  Forbidden,
  Internal,
  MalformedJson,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  StillReferenced,
  Unauthorized,
  Unavailable,
  UnknownField,
  Unprocessable,
  UnsupportedMediaType,
  ValidationFailed,
  InsufficientScope,
  InsufficientStorage,
  type HexforgeError,
} from '#core/kernel/errors';
import { basic, bearer, json, startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const ok = object<{ ok: boolean }>({ ok: Joi.boolean().required() });

void t.test('every answer has the request id and the security headers', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'fine', method: 'GET', path: '/fine', result: ok, run: () => ({ ok: true }) }),
  ]);
  for (const path of ['/api/v1/fine', '/nothing', '/api/v1/%zz']) {
    const { headers } = await rig.call('GET', path, { headers: { 'x-request-id': 'Abc.1_2-3' } });
    t.equal(headers['x-request-id'], 'Abc.1_2-3', path);
    t.equal(headers['x-content-type-options'], 'nosniff', path);
    t.equal(headers['referrer-policy'], 'no-referrer', path);
    t.equal(headers['cache-control'], 'no-store', path);
    t.equal(headers['content-type'], 'application/json; charset=utf-8', path);
  }
  for (const insane of ['', 'a b', 'x'.repeat(129), 'a"b', 'ä']) {
    const { headers } = await rig.call('GET', '/api/v1/fine', {
      headers: { 'x-request-id': Buffer.from(insane).toString('latin1') },
    });
    t.match(
      headers['x-request-id'],
      /^00000000-0000-4000-8000-\d{12}$/,
      `a new id instead of ${JSON.stringify(insane)}`,
    );
  }
});

void t.test('each error class has its status, code and headers', async (t) => {
  const errors: readonly (readonly [HexforgeError, number, string])[] = [
    [new ValidationFailed('s', { detail: 'd' }), 400, 'validation_failed'],
    [new UnknownField('s'), 400, 'unknown_field'],
    [new MalformedJson('s'), 400, 'malformed_json'],
    [new Unauthorized('s'), 401, 'unauthorized'],
    [new Forbidden('s', { code: 'account_suspended' }), 403, 'account_suspended'],
    [new Forbidden('s'), 403, 'forbidden'],
    [new NotFound('s'), 404, 'not_found'],
    [new MethodNotAllowed(['GET', 'PUT']), 405, 'method_not_allowed'],
    [new Conflict('s'), 409, 'conflict'],
    [new Duplicate('users_name'), 409, 'conflict'],
    [new StillReferenced('issues'), 409, 'conflict'],
    [new PayloadTooLarge('s'), 413, 'payload_too_large'],
    [new UnsupportedMediaType('s'), 415, 'unsupported_media_type'],
    [new Unprocessable('s'), 422, 'unprocessable'],
    [new RateLimited('s', 1.2), 429, 'rate_limited'],
    [new InsufficientScope('repo:read'), 403, 'insufficient_scope'],
    [new Unavailable('s'), 503, 'unavailable'],
    [new InsufficientStorage('s'), 507, 'insufficient_storage'],
    [new Unavailable('s', { retryAfter: 2 }), 503, 'unavailable'],
  ];
  let next: Error = new Error('none');
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'fails',
      method: 'GET',
      path: '/fails',
      result: ok,
      run: () => {
        throw next;
      },
    }),
  ]);
  for (const [error, status, code] of errors) {
    next = error;
    const answer = await rig.call('GET', '/api/v1/fails');
    t.equal(answer.status, status, code);
    t.strictSame(
      answer.body,
      { error: error.message, ...(error.detail === undefined ? {} : { detail: error.detail }), error_code: code },
      code,
    );
    t.equal(
      answer.headers['retry-after'],
      'retryAfter' in error && error.retryAfter !== undefined ? '2' : undefined,
      code,
    );
    t.equal(answer.headers.allow, status === 405 ? 'GET, PUT' : undefined, code);
    t.equal(
      answer.headers['www-authenticate'],
      status === 401
        ? 'Bearer realm="hexforge"'
        : code === 'insufficient_scope'
          ? 'Bearer error="insufficient_scope", scope="repo:read"'
          : undefined,
      code,
    );
  }
  next = new Conflict('name_in_use', { body: { existing_repo_id: '7' } });
  t.strictSame(
    (await rig.call('GET', '/api/v1/fails')).body,
    { error: 'name_in_use', error_code: 'conflict', existing_repo_id: '7' },
    'documented members are next to the envelope',
  );
});

void t.test('a fault returns only its request id, and its stack is logged with that id', async (t) => {
  const faults: Readonly<Record<string, () => never>> = {
    error: () => {
      throw new Error('the secret is 42', { cause: new TypeError('deep') });
    },
    type: () => {
      throw new TypeError('the secret is 42');
    },
    internal: () => {
      throw new Internal('the secret is 42');
    },
    text: () => {
      throw 'the secret is 42' as unknown;
    },
  };
  const rig = await startRig(
    t,
    Object.entries(faults).map(([name, run]) =>
      api({ ...open, id: name, method: 'GET', path: `/${name}`, result: ok, run }),
    ),
  );
  for (const name of Object.keys(faults)) {
    const answer = await rig.call('GET', `/api/v1/${name}`, { headers: { 'x-request-id': `find-${name}` } });
    t.equal(answer.status, 500, name);
    t.strictSame(
      answer.body,
      {
        error: 'The server failed to answer',
        detail: `Quote the request id find-${name} when you report this`,
        error_code: 'internal',
      },
      name,
    );
    const line = rig.logged.find(({ members }) => members['requestId'] === `find-${name}`);
    t.equal(line?.level, 'error', name);
    t.equal(line?.members['route'], `/api/v1/${name}`, name);
    t.match(line?.members['stack'], /the secret is 42/, name);
  }
  t.match(rig.logged[0]?.members['stack'], /caused by: TypeError: deep/);
});

void t.test('an answer that cannot be sent is a 500 with the envelope, not a broken response', async (t) => {
  const { reply } = await import('#adapters/http/descriptor/route');
  const circular: { ok: boolean; self?: unknown } = { ok: true };
  circular.self = circular;
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'a',
      method: 'GET',
      path: '/a',
      result: ok,
      run: () => reply({ ok: true }, { headers: { 'x-name': 'a\r\nSet-Cookie: b=c' } }),
    }),
    api({ ...open, id: 'b', method: 'GET', path: '/b', result: ok, run: () => circular as { ok: boolean } }),
    api({
      ...open,
      id: 'c',
      method: 'GET',
      path: '/c',
      result: ok,
      run: () =>
        reply({ ok: true }, { cookies: [{ name: 'x', value: 'a;b', sameSite: 'Lax', path: '/', maxAgeSeconds: 1 }] }),
    }),
    api({
      ...open,
      id: 'd',
      method: 'GET',
      path: '/d',
      result: ok,
      run: () => ({ ok: true, more: 1 }) as { ok: boolean },
    }),
    api({
      ...open,
      id: 'e',
      method: 'GET',
      path: '/e',
      result: ok,
      run: () => ({ ok: 'true' }) as unknown as { ok: boolean },
    }),
  ]);
  for (const path of ['a', 'b', 'c', 'd', 'e']) {
    const answer = await rig.call('GET', `/api/v1/${path}`);
    t.equal(answer.status, 500, path);
    t.match(answer.body, { error_code: 'internal' }, path);
    t.equal(answer.headers['set-cookie'], undefined, path);
  }
  t.match(rig.logged[3]?.members['stack'], /the answer does not fit its schema: "more" is not allowed/);
  t.match(rig.logged[4]?.members['stack'], /"ok" must be a boolean/);
  const relaxed = await startRig(
    t,
    [
      api({
        ...open,
        id: 'd',
        method: 'GET',
        path: '/d',
        result: ok,
        run: () => ({ ok: true, more: 1 }) as { ok: boolean },
      }),
    ],
    { validateResponses: false },
  );
  t.strictSame((await relaxed.call('GET', '/api/v1/d')).body, { ok: true, more: 1 }, 'not validated in production');
});

void t.test('unknown paths are 404 and wrong methods 405 with an exact Allow', async (t) => {
  const params = object<{ name: string }>({ name: Joi.string().required() });
  const rig = await startRig(t, [
    api({ ...open, id: 'get', method: 'GET', path: '/things/{name}', params, result: ok, run: () => ({ ok: true }) }),
    api({ ...open, id: 'put', method: 'PUT', path: '/things/{name}', params, result: ok, run: () => ({ ok: true }) }),
    api({ ...open, id: 'post', method: 'POST', path: '/things', result: ok, run: () => ({ ok: true }) }),
  ]);
  const missing = { error: 'There is nothing at this path', error_code: 'not_found' };
  for (const path of ['/nothing', '/api', '/api/v1', '/api/v1/things/a/b', '/API/V1/things', '/api/v1/thing']) {
    for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND', 'OPTIONS']) {
      const answer = await rig.call(method, path);
      t.equal(answer.status, 404, `${method} ${path}`);
      t.strictSame(answer.body, missing, `${method} ${path}`);
    }
  }
  const refused = await rig.call('DELETE', '/api/v1/things/a');
  t.equal(refused.status, 405);
  t.equal(refused.headers.allow, 'GET, HEAD, PUT, OPTIONS');
  t.strictSame(refused.body, {
    error: 'The method is not allowed on this path',
    detail: 'Allowed: GET, HEAD, PUT, OPTIONS',
    error_code: 'method_not_allowed',
  });
  t.equal((await rig.call('GET', '/api/v1/things')).headers.allow, 'POST, OPTIONS');
  t.equal((await rig.call('HEAD', '/api/v1/things')).status, 405);
  t.equal((await rig.call('TRACE', '/api/v1/things/a')).status, 405);
  const options = await rig.call('OPTIONS', '/api/v1/things/a');
  t.equal(options.status, 204);
  t.equal(options.headers.allow, 'GET, HEAD, PUT, OPTIONS');
  t.equal(options.headers['access-control-allow-origin'], undefined);
  const head = await rig.call('HEAD', '/api/v1/things/a');
  t.equal(head.status, 200);
  t.equal(head.headers['content-length'], String('{"ok":true}'.length));
  t.equal(head.text, '');
  t.equal((await rig.call('GET', '/api/v1/things/a/')).status, 200, 'a trailing slash is stripped');
});

void t.test('a URL that is not UTF-8 is 400 on every path', async (t) => {
  const rig = await startRig(t, []);
  for (const path of ['/%zz', '/api/v1/%', '/healthz/%ff', '/a%00b', '/%c0%af']) {
    const answer = await rig.call('GET', path);
    t.equal(answer.status, 400, path);
    t.strictSame(
      answer.body,
      {
        error: 'The URL is not valid',
        detail: 'The path is not valid percent-encoded UTF-8 without NUL',
        error_code: 'validation_failed',
      },
      path,
    );
  }
});

void t.test('a query that is not UTF-8 is 400, because it would be decoded to another text', async (t) => {
  const query = object<{ q?: string }>({ q: Joi.string() });
  const rig = await startRig(t, [
    api({
      id: 'ask',
      summary: 'For a test',
      method: 'GET',
      path: '/ask',
      access: anyone,
      scope: null,
      meter: 'none',
      query,
      result: object<{ q: string }>({ q: Joi.string().required() }),
      run: (_, { query: { q = '' } }) => ({ q }),
    }),
  ]);
  for (const text of ['%ff', 'a%C3', '%c3x%a9', '%ed%a0%80'])
    t.match(await rig.call('GET', `/api/v1/ask?q=${text}`), {
      status: 400,
      body: { detail: 'The query is not valid percent-encoded UTF-8', error_code: 'validation_failed' },
    });
  for (const [text, q] of [
    ['100%', '100%'],
    ['%zz', '%zz'],
    ['%c3%a9+%EF%BF%BD', 'é \uFFFD'],
  ])
    t.match((await rig.call('GET', `/api/v1/ask?q=${text}`)).body, { q });
});

void t.test('malformed HTTP gets the envelope too', async (t) => {
  const rig = await startRig(t, []);
  const garbage = await rig.raw('NONSENSE\r\n\r\n');
  t.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/);
  t.match(garbage, /\r\nX-Request-Id: 0{8}-/);
  t.match(garbage, /\r\n\r\n\{"error":"The request is not valid HTTP","error_code":"validation_failed"\}$/);
  const nowhere = await rig.raw('GET /api/v1/things HTTP/1.1\r\nConnection: close\r\n\r\n');
  t.match(nowhere, /^HTTP\/1\.1 400 Bad Request\r\n/, 'without Host');
  t.match(nowhere, /\r\nx-request-id: 0{8}-/i);
  t.match(nowhere, /"error":"The request is not valid HTTP"/);
  t.match(await rig.raw('GET /api/v1/things HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 \d{3} /, 'HTTP/1.0 needs no Host');
  const twice = await rig.raw('GET /api/v1/things HTTP/1.1\r\nHost: a\r\nhOST: b\r\nConnection: close\r\n\r\n');
  t.match(twice, /^HTTP\/1\.1 400 Bad Request\r\n/, 'two Host headers');
  t.match(twice, /needs the header Host, once/);
  const credentials = 'Authorization: Bearer a\r\nauthorization: Bearer b\r\n';
  const torn = await rig.raw(`GET /api/v1/things HTTP/1.1\r\nHost: a\r\n${credentials}Connection: close\r\n\r\n`);
  t.match(torn, /^HTTP\/1\.1 400 Bad Request\r\n/, 'two credentials');
  t.match(torn, /the header Authorization twice/);
  const long = await rig.raw(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  t.match(long, /^HTTP\/1\.1 431 /);
  t.match(long, /"error_code":"payload_too_large"\}$/);
});

void t.test(
  'a body with broken framing gets the envelope, a running answer is not interrupted, and an unknown expectation is ignored',
  async (t) => {
    const body = object<{ title: string }>({ title: Joi.string().required() });
    const gate = Promise.withResolvers<void>();
    const rig = await startRig(t, [
      api({ ...open, id: 'post', method: 'POST', path: '/post', body, result: ok, run: () => ({ ok: true }) }),
      api({
        ...open,
        id: 'slow',
        method: 'GET',
        path: '/slow',
        result: ok,
        run: () => gate.promise.then(() => ({ ok: true })),
      }),
    ]);
    const head = 'POST /api/v1/post HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\n';
    const framing = await rig.raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    t.match(framing, /^HTTP\/1\.1 400 Bad Request\r\n/);
    t.match(framing, /\r\nX-Request-Id: mine\r\n/);
    t.match(framing, /\r\nReferrer-Policy: no-referrer\r\n/);
    t.match(framing, /\{"error":"The request is not valid HTTP","error_code":"validation_failed"\}$/);
    const expecting = await rig.raw(
      `${head}Expect: a-miracle\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"title":"x"}`,
    );
    t.match(expecting, /^HTTP\/1\.1 200 OK\r\n/);
    const pipelined = await rig.raw('GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE\r\n\r\n');
    gate.resolve();
    t.notMatch(pipelined, /NONSENSE|400/, 'bytes after a complete request do not replace its answer');
  },
);

void t.test('request text quoted in an error is truncated', async (t) => {
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'post',
      method: 'POST',
      path: '/post',
      body: object<{ title: string }>({ title: Joi.string().required() }),
      result: ok,
      run: () => ({ ok: true }),
    }),
  ]);
  const { status, body } = await rig.call('POST', '/api/v1/post', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'x', ['\u{1F600}'.repeat(100_000)]: 1 }),
  });
  t.equal(status, 400);
  t.equal((body as { detail: string }).detail.length, 2001);
});

void t.test(
  'an absent port hides the route or names the missing component; a present port is passed to the handler',
  async (t) => {
    const params = object<{ name: string }>({ name: Joi.string().required() });
    const absent: Record<string, { component: string; absent: 'hidden' | 'unavailable' | 'degraded' }> = {
      Lens: { component: 'lens', absent: 'hidden' },
      Shutter: { component: 'shutter', absent: 'unavailable' },
    };
    const rig = await startRig(
      t,
      [
        api({
          ...open,
          id: 'lens',
          method: 'GET',
          path: '/lens',
          requires: ['Lens'],
          result: ok,
          run: () => ({ ok: true }),
        }),
        api({ ...open, id: 'lensSet', method: 'PUT', path: '/lens', result: ok, run: () => ({ ok: true }) }),
        api({
          ...open,
          id: 'only',
          method: 'GET',
          path: '/only',
          requires: ['Lens'],
          meter: 'api.read',
          result: ok,
          run: () => ({ ok: true }),
        }),
        api({
          ...open,
          id: 'shutter',
          method: 'GET',
          path: '/shutter/{name}',
          access: reads('thing', 'thing.read'),
          params,
          requires: ['Shutter'],
          result: ok,
          run: (_, { ports: { Shutter } }) => ({ ok: Shutter.speed === 60 }),
        }),
      ],
      { absentPort: (name) => absent[name], optionalPort: (name) => (name === 'Shutter' ? { speed: 60 } : undefined) },
    );
    t.strictSame(
      (await rig.call('GET', '/api/v1/only', { headers: bearer('bad') })).body,
      { error: 'There is nothing at this path', error_code: 'not_found' },
      'as if the route did not exist, for every credential',
    );
    const wrong = await rig.call('GET', '/api/v1/lens');
    t.equal(wrong.status, 405);
    t.equal(wrong.headers.allow, 'PUT, OPTIONS');
    const down = await rig.call('GET', '/api/v1/shutter/open');
    t.equal(down.status, 503);
    t.strictSame(down.body, {
      error: 'The shutter is not available',
      detail: 'Ask the administrator to enable it',
      error_code: 'unavailable',
    });
    t.equal((await rig.call('GET', '/api/v1/shutter/closed')).status, 404, 'only callers with access get 503');
    absent['Shutter'] = { component: 'shutter', absent: 'degraded' };
    t.equal((await rig.call('GET', '/api/v1/shutter/open')).status, 503, 'it cannot answer without the port');
    delete absent['Shutter'];
    t.strictSame((await rig.call('GET', '/api/v1/shutter/open')).body, { ok: true });
    delete absent['Lens'];
    t.equal((await rig.call('GET', '/api/v1/only')).status, 200, 'decided per request');
  },
);

void t.test('access is decided before any error about the input is returned', async (t) => {
  const params = object<{ name: string; number: number }>({
    name: Joi.string().required(),
    number: Joi.number().integer().required(),
  });
  const body = object<{ title: string }>({ title: Joi.string().required() });
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'read',
      method: 'GET',
      path: '/things/{name}/{number}',
      access: reads('thing', 'thing.read'),
      scope: 'thing:read',
      params,
      result: ok,
      run: (_, { granted, params: { number } }) => ({ ok: granted.resource.name !== '' && Number.isInteger(number) }),
    }),
    api({
      ...open,
      id: 'write',
      method: 'POST',
      path: '/things/{name}/{number}',
      access: changes('thing', 'thing.write'),
      scope: 'thing:write',
      params,
      body,
      result: ok,
      run: () => ({ ok: true }),
    }),
    api({
      ...open,
      id: 'never',
      method: 'GET',
      path: '/never',
      access: signedIn,
      scope: 'thing:never',
      result: ok,
      run: () => ({ ok: true }),
    }),
    api({
      ...open,
      id: 'session',
      method: 'GET',
      path: '/session',
      access: session,
      result: ok,
      run: () => ({ ok: true }),
    }),
  ]);
  const table: readonly (readonly [string, string, string | undefined, number, string | undefined])[] = [
    ['GET', 'open/1', undefined, 200, undefined],
    ['GET', 'open/x', undefined, 400, 'validation_failed'],
    ['GET', 'closed/x', undefined, 404, 'not_found'],
    ['GET', 'absent/x', undefined, 404, 'not_found'],
    ['GET', 'closed/x', 'other', 404, 'not_found'],
    ['GET', 'closed/x', 'good', 400, 'validation_failed'],
    ['GET', 'open/1', 'bad', 401, 'unauthorized'],
    ['GET', 'open/1', 'pat-read', 200, undefined],
    ['GET', 'open/1', 'pat-none', 403, 'insufficient_scope'],
    ['GET', 'open/1', 'oat-write', 200, undefined],
    ['GET', 'open/1', 'oat-bound', 403, 'invalid_audience'],
    ['POST', 'closed/x', undefined, 401, 'unauthorized'],
    ['POST', 'absent/x', undefined, 401, 'unauthorized'],
    ['POST', 'closed/1', 'other', 404, 'not_found'],
    ['POST', 'open/1', 'other', 403, 'forbidden'],
    ['POST', 'open/1', 'pat-read', 403, 'insufficient_scope'],
    ['POST', 'open/x', 'good', 400, 'validation_failed'],
  ];
  for (const [method, path, token, status, code] of table) {
    const answer = await rig.call(
      method,
      `/api/v1/things/${path}`,
      method === 'POST'
        ? json({ bad: 1 }, token === undefined ? {} : bearer(token))
        : { headers: token === undefined ? {} : bearer(token) },
    );
    t.equal(answer.status, status, `${method} ${path} by ${token}`);
    if (code !== undefined) t.match(answer.body, { error_code: code }, `${method} ${path} by ${token}`);
  }
  const scope = await rig.call('GET', '/api/v1/things/open/1', { headers: bearer('pat-none') });
  t.equal(scope.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="thing:read"');
  t.equal(
    (await rig.call('GET', '/api/v1/things/open/1', { headers: basic('alice', 'pat-none') })).headers[
      'www-authenticate'
    ],
    'Bearer error="insufficient_scope", scope="thing:read"',
    'a token in Basic authentication keeps its scopes',
  );
  t.equal((await rig.call('GET', '/api/v1/never', { headers: bearer('pat-read') })).status, 403);
  t.equal((await rig.call('GET', '/api/v1/never', { headers: bearer('good') })).status, 200);
  t.equal((await rig.call('GET', '/api/v1/session', { headers: bearer('pat-read') })).status, 403);
});
