// Tests of oauthRegister (RFC 7591) and its limits.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge, type TestForge } from '#test/support/forge';
import { grantAdminScope, paths, pkce, requestOf, setSetting, tokensFor } from './flow.ts';

const told = (answer: Answer): readonly unknown[] => [answer.status, (answer.body as { error?: unknown }).error];
const loopback = 'http://127.0.0.1:7777/callback';
const connector = { client_name: 'A connector', redirect_uris: [loopback] };

async function opened(t: Parameters<typeof startTestForge>[0], settings = {}): Promise<TestForge> {
  return startTestForge(t, { configuration: { settings: { 'oauth2.dcr.enabled': true, ...settings } } });
}

void t.test(
  'while registration is disabled: 403 access_denied for administrators; for other callers 404, as for an unknown path',
  async (t) => {
    const forge = await startTestForge(t, { environment: { HEXFORGE_RATE_LIMIT: 'on' } });
    const { client: visitor } = await forge.createUser('visitor');
    const shown = ({ status, headers, text }: Answer) => [
      status,
      text,
      [...headers]
        .filter(([name]) => !['date', 'x-request-id'].includes(name))
        // Both are metered, so the second request of a pair has one fewer left.
        .map(([name, value]) => [name, /^x-ratelimit-(?:remaining|reset)$/.test(name) ? '' : value]),
    ];
    const body = connector;
    for (const method of ['POST', 'GET', 'PUT', 'DELETE', 'OPTIONS'])
      t.strictSame(
        shown(await forge.anonymous.request(method, paths.register, method === 'POST' ? { body } : {})),
        shown(await forge.anonymous.request(method, '/api/v1/oauth2/nothing', method === 'POST' ? { body } : {})),
        method,
      );
    t.equal((await visitor.post(paths.register, { body })).status, 404);
    const admin = await (await forge.administrator()).post(paths.register, { body });
    t.strictSame(told(admin), [403, 'access_denied']);
    t.equal(
      (await forge.as('svc_oat_nothing').post(paths.register, { body })).status,
      401,
      'an invalid credential is reported',
    );
  },
);

void t.test('anonymous: 201 only for a public client with mcp:read and loopback redirects', async (t) => {
  const forge = await opened(t);
  const register = (body: unknown) => forge.anonymous.post(paths.register, { body });
  const made = await register(connector);
  t.equal(made.status, 201);
  t.equal(made.headers.get('cache-control'), 'no-store');
  const { client_id: clientId, client_id_issued_at: at, ...rest } = made.body as Readonly<Record<string, unknown>>;
  t.match(clientId, /^[\w-]{36}$/);
  t.ok(Number.isInteger(at));
  t.strictSame(rest, {
    redirect_uris: [loopback],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'A connector',
    scope: 'mcp:read',
  });
  const refused: readonly (readonly [string, object, string])[] = [
    ['another scope', { scope: 'read:user' }, 'invalid_scope'],
    ['one more scope', { scope: 'mcp:read read:user' }, 'invalid_scope'],
    ['a secret', { token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    ['an unknown method', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['another grant', { grant_types: ['password'] }, 'invalid_client_metadata'],
    ['another response', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['a name of two lines', { client_name: 'a\nb' }, 'invalid_client_metadata'],
    ['a name with a right-to-left override', { client_name: '\u202Ekcatta' }, 'invalid_client_metadata'],
    ['an invalid name', { client_name: 7 }, 'invalid_client_metadata'],
    ['a name of invisible characters', { client_name: '\u200B\u3164' }, 'invalid_client_metadata'],
    ['a name with a Unicode line separator', { client_name: 'a\u2028b' }, 'invalid_client_metadata'],
    ['a list in the list of grants', { grant_types: [['authorization_code']] }, 'invalid_client_metadata'],
    ['a text for grants', { grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    ['no grants', { grant_types: [] }, 'invalid_client_metadata'],
    ['a scope that is no text', { scope: ['mcp:read'] }, 'invalid_client_metadata'],
    ['an unknown method', { token_endpoint_auth_method: null }, 'invalid_client_metadata'],
    ['URIs that are no texts', { redirect_uris: [7] }, 'invalid_redirect_uri'],
    ['an endless URI', { redirect_uris: [`${loopback}${'x'.repeat(3000)}`] }, 'invalid_redirect_uri'],
    ['no redirects', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a text', { redirect_uris: loopback }, 'invalid_redirect_uri'],
    [
      'eleven',
      { redirect_uris: Array.from({ length: 11 }, (_, index) => `${loopback}${index}`) },
      'invalid_redirect_uri',
    ],
    ['not on the list', { redirect_uris: ['https://app.example/callback'] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://app.example/'] }, 'invalid_redirect_uri'],
    ['javascript:', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${loopback}#a`] }, 'invalid_redirect_uri'],
    ['userinfo', { redirect_uris: ['http://a@127.0.0.1/'] }, 'invalid_redirect_uri'],
    ['another notation of the loopback address', { redirect_uris: ['http://0x7f.1/'] }, 'invalid_redirect_uri'],
    [
      'a host that begins with the loopback address',
      { redirect_uris: ['http://127.0.0.1.evil.example/'] },
      'invalid_redirect_uri',
    ],
  ];
  for (const [what, over, error] of refused) {
    await setSetting(forge, 'oauth2.dcr.per_ip_per_hour', '100');
    t.strictSame(told(await register({ ...connector, ...over })), [400, error], what);
  }
  t.equal(
    (await register({ ...connector, software_statement: 'x', anything: { at: ['all'] } })).status,
    201,
    'unknown members are ignored',
  );
  const raw = (text: string, type = 'application/json') =>
    forge.anonymous.post(paths.register, { raw: text, headers: { 'content-type': type } });
  for (const text of ['{"redirect_uris":', '[]', '7', '{"client_name":"\\ud800"}', '{"client_name":"\\u0000"}'])
    t.strictSame(told(await raw(text)), [400, 'invalid_client_metadata'], text);
  t.strictSame(
    told(await raw('a=b', 'application/x-www-form-urlencoded')),
    [400, 'invalid_request'],
    'another content type',
  );
  t.equal((await raw(`{"client_name":"${'x'.repeat(70_000)}"}`)).status, 413);
});

void t.test('a registered connector completes the flow, and users see that it registered itself', async (t) => {
  const forge = await opened(t);
  const { client: visitor } = await forge.createUser('visitor');
  const body = { client_name: 'A connector', redirect_uris: ['http://127.0.0.1/callback'] };
  const { client_id: clientId } = (await forge.anonymous.post(paths.register, { body })).body as { client_id: string };
  const app = { id: '', clientId, secret: undefined, redirectUri: 'http://127.0.0.1:50123/callback' };
  const query = new URLSearchParams(requestOf(app, pkce()) as Record<string, string>);
  t.match((await visitor.get(`${paths.authorize}?${query}`)).body, {
    self_registered: true,
    scopes_requested: ['mcp:read'],
  });
  const tokens = await tokensFor(forge, visitor, app, { resource: `${forge.url}/api/v1/mcp/visitor/repo` });
  t.equal(tokens.scope, 'mcp:read');
});

void t.test('the redirect allowlist: exact URIs and origins', async (t) => {
  const forge = await opened(t, {
    'oauth2.dcr.redirect_allowlist': 'https://claude.ai, https://exact.example/cb\nhttp://localhost',
    'oauth2.dcr.per_ip_per_hour': 100,
  });
  const status = async (uri: string) =>
    (await forge.anonymous.post(paths.register, { body: { redirect_uris: [uri] } })).status;
  for (const uri of ['https://claude.ai/any/path', 'https://exact.example/cb', 'http://localhost:1234/x'])
    t.equal(await status(uri), 201, uri);
  for (const uri of [
    'https://claude.ai.evil.example/',
    'https://exact.example/cb2',
    'https://claude.ai:8443/',
    loopback,
  ])
    t.equal(await status(uri), 400, uri);

  const admin = await forge.administrator();
  const store = (value: string) =>
    admin.put('/api/v1/admin/settings/oauth2.dcr.redirect_allowlist', { body: { value } });
  for (const [entry, why] of [
    ['claude.ai', 'is no URL'],
    ['*', 'is no URL'],
    ['https://*.example', 'has a wildcard'],
    ['http://app.example', 'is neither https nor http on a loopback address'],
    ['javascript:alert(1)', 'is neither https nor http on a loopback address'],
    ['https://app.example/cb#top', 'has a fragment'],
    ['https://app.example/a https://app.example/b', 'is not in the form that parsers of URLs give it'],
    ['https://App.example', 'is not in the form that parsers of URLs give it'],
    ['https://good@evil.example', 'has a user or password'],
  ] as const) {
    const answer = await store(`https://fine.example,\n${entry}\nhttps://fine.example/cb`);
    t.strictSame(
      [answer.status, (answer.body as { detail?: string }).detail],
      [
        422,
        `"oauth2.dcr.redirect_allowlist" must be redirect URIs or origins with commas or new lines between; "${entry}" ${why}`,
      ],
    );
  }
  const long = await store(`https://a.example/${'x'.repeat(1000)},`.repeat(9));
  t.strictSame(
    [long.status, (long.body as { detail?: string }).detail],
    [422, '"oauth2.dcr.redirect_allowlist" must be a text of at most 8192 characters'],
  );
  t.equal(await status('https://claude.ai/still'), 201, 'the list is unchanged');
  for (const value of [
    '',
    ' , \n',
    'https://claude.ai/, http://127.0.0.1, http://[::1]:4711, https://a.example:8443/b?c',
  ])
    t.equal((await store(value)).status, 200, value);
});

void t.test(
  'administrators register confidential clients; a signed-in user without admin:oauth2 is refused',
  async (t) => {
    const forge = await startTestForge(t, { configuration: { settings: { 'oauth2.dcr.enabled': true } } });
    const admin = await forge.administrator();
    const { client: visitor, id } = await forge.createUser('visitor');
    const body = {
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'read:user admin:repo',
    };
    const made = await admin.post(paths.register, { body });
    t.equal(made.status, 201);
    t.match(made.body, {
      client_secret: /^\w{43}$/,
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'read:user admin:repo',
    });
    t.strictSame(told(await admin.post(paths.register, { body: { ...body, scope: 'nonsense' } })), [
      400,
      'invalid_scope',
    ]);
    t.strictSame(told(await visitor.post(paths.register, { body })), [403, 'access_denied']);
    await grantAdminScope(admin, id, 'admin:oauth2');
    t.equal((await visitor.post(paths.register, { body })).status, 201, 'a holder of admin:oauth2');
    const pat = await forge.pat(admin, ['repo:read']);
    t.equal((await pat.post(paths.register, { body })).status, 403, 'a token needs its scope');
  },
);

void t.test(
  '429 with Retry-After past the throttle of an address, 403 access_denied past the limit of clients, also in parallel',
  async (t) => {
    const throttled = await opened(t, { 'oauth2.dcr.per_ip_per_hour': 3 });
    const many = (forge: TestForge, count: number) =>
      Promise.all(Array.from({ length: count }, () => forge.anonymous.post(paths.register, { body: connector })));
    const answers = await many(throttled, 8);
    t.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      t.equal(answer.status, 429);
      t.ok(Number(answer.headers.get('retry-after')) > 0);
    }
    const capped = await opened(t, { 'oauth2.dcr.max_clients': 4, 'oauth2.dcr.per_ip_per_hour': 100 });
    const made = await many(capped, 10);
    t.equal(made.filter(({ status }) => status === 201).length, 4);
    for (const answer of made.filter(({ status }) => status !== 201))
      t.strictSame(told(answer), [403, 'access_denied']);
  },
);
