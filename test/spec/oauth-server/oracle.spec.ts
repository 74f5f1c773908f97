// The same requests to our authorization server and to oidc-provider, a certified one: status, error, challenge and
// Cache-Control are compared. Where they differ, the sentence of the documents that says so stands beside the request.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { basic, callback, codeFor, encoded, formType, makeApp, pkce } from './flow.ts';
import { oracleClients, startOracle } from './oracle.ts';

type Fields = Readonly<Record<string, string | undefined>>;
interface Party {
  readonly base: string;
  readonly path: Readonly<Record<Endpoint, string>>;
  readonly id: string;
  readonly secret: string;
  readonly otherId: string;
  readonly otherSecret: string;
  readonly openId: string;
  /** Sent with requests to the authorization endpoint, where a session is needed before anything else. */
  readonly session: Readonly<Record<string, string>>;
  fresh(id?: string): Promise<{ readonly code: string; readonly verifier: string }>;
}
type Endpoint = 'token' | 'revoke' | 'introspect' | 'userinfo' | 'register' | 'authorize';

interface Asked {
  readonly endpoint: Endpoint;
  readonly what: string;
  /** The request, made anew for each party. */
  readonly send: (party: Party) => Promise<Response>;
  /** The document's sentence that makes ours another answer. */
  readonly because?: string;
}

const post = (party: Party, endpoint: Endpoint, fields: Fields, headers: Readonly<Record<string, string>> = {}) =>
  fetch(party.base + party.path[endpoint], {
    method: 'POST',
    headers: { ...formType, ...headers },
    body: encoded(fields),
    redirect: 'manual',
  });
const own = ({ id, secret }: Party) => basic(id, secret);
const exchange = async (party: Party, over: Fields = {}, headers = own(party)) => {
  const { code, verifier } = await party.fresh();
  return post(
    party,
    'token',
    { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...over },
    headers,
  );
};
const issued = async (party: Party): Promise<{ access_token: string; refresh_token: string }> =>
  (await (await exchange(party)).json()) as { access_token: string; refresh_token: string };
const refresh = (party: Party, token: string, over: Fields = {}, headers = own(party)) =>
  post(party, 'token', { grant_type: 'refresh_token', refresh_token: token, ...over }, headers);
const register = (party: Party, body: unknown) =>
  fetch(party.base + party.path.register, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const authorize = (party: Party, over: Fields = {}) =>
  fetch(
    `${party.base}${party.path.authorize}?${encoded({
      client_id: party.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
      ...over,
    })}`,
    { headers: { accept: 'application/json', ...party.session }, redirect: 'manual' },
  );
const userinfo = (party: Party, headers: Readonly<Record<string, string>>) =>
  fetch(party.base + party.path.userinfo, { headers });
const raw = (party: Party, endpoint: Endpoint, body: string, type: string) =>
  fetch(party.base + party.path[endpoint], { method: 'POST', headers: { 'content-type': type, ...own(party) }, body });

const shared: readonly Asked[] = [
  { endpoint: 'token', what: 'a code', send: (party) => exchange(party) },
  {
    endpoint: 'token',
    what: 'a refresh token',
    send: async (party) => refresh(party, (await issued(party)).refresh_token),
  },
  {
    endpoint: 'token',
    what: 'a public client',
    send: async (party) => {
      const { code, verifier } = await party.fresh(party.openId);
      return post(party, 'token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: verifier,
        client_id: party.openId,
      });
    },
  },
  { endpoint: 'token', what: 'no grant_type', send: (party) => exchange(party, { grant_type: undefined }) },
  { endpoint: 'token', what: 'grant_type password', send: (party) => exchange(party, { grant_type: 'password' }) },
  { endpoint: 'token', what: 'grant_type nonsense', send: (party) => exchange(party, { grant_type: 'x' }) },
  { endpoint: 'token', what: 'no code', send: (party) => exchange(party, { code: undefined }) },
  {
    endpoint: 'token',
    what: 'no redirect_uri',
    send: (party) => exchange(party, { redirect_uri: undefined }),
    because: 'Document A, token: redirect_uri (required, must match the one used at authorize).',
  },
  { endpoint: 'token', what: 'an unknown code', send: (party) => exchange(party, { code: 'x'.repeat(43) }) },
  {
    endpoint: 'token',
    what: 'another redirect_uri',
    send: (party) => exchange(party, { redirect_uri: 'https://x.example/' }),
  },
  { endpoint: 'token', what: 'another verifier', send: (party) => exchange(party, { code_verifier: pkce().verifier }) },
  {
    endpoint: 'token',
    what: 'a repeated field',
    send: (party) => raw(party, 'token', 'grant_type=authorization_code&grant_type=x', formType['content-type']),
  },
  { endpoint: 'token', what: 'JSON', send: (party) => raw(party, 'token', '{}', 'application/json') },
  {
    endpoint: 'token',
    what: 'a code twice',
    send: async (party) => {
      const { code, verifier } = await party.fresh();
      const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      await post(party, 'token', fields, own(party));
      return post(party, 'token', fields, own(party));
    },
  },
  {
    endpoint: 'token',
    what: 'another client’s code',
    send: (party) => exchange(party, {}, basic(party.otherId, party.otherSecret)),
  },
  { endpoint: 'token', what: 'an unknown refresh token', send: (party) => refresh(party, 'x') },
  {
    endpoint: 'token',
    what: 'no refresh token',
    send: (party) => post(party, 'token', { grant_type: 'refresh_token' }, own(party)),
  },
  {
    endpoint: 'token',
    what: 'a refresh token twice',
    send: async (party) => {
      const { refresh_token: token } = await issued(party);
      await refresh(party, token);
      return refresh(party, token);
    },
  },
  {
    endpoint: 'token',
    what: 'another client’s refresh token',
    send: async (party) =>
      refresh(party, (await issued(party)).refresh_token, {}, basic(party.otherId, party.otherSecret)),
  },
  {
    endpoint: 'token',
    what: 'a wider scope',
    send: async (party) => refresh(party, (await issued(party)).refresh_token, { scope: 'openid email' }),
  },
  {
    endpoint: 'token',
    what: 'another resource',
    send: (party) => exchange(party, { resource: 'https://x.example/' }),
  },
  { endpoint: 'token', what: 'a wrong secret', send: (party) => exchange(party, {}, basic(party.id, 'wrong')) },
  { endpoint: 'token', what: 'an unknown client', send: (party) => exchange(party, {}, basic('nobody', 'wrong')) },
  {
    endpoint: 'token',
    what: 'no client',
    send: (party) => exchange(party, {}, {}),
    because: 'Document A, token: 401 client authentication failed.',
  },
  {
    endpoint: 'token',
    what: 'a wrong secret in the body',
    send: (party) => exchange(party, { client_id: party.id, client_secret: 'wrong' }, {}),
  },
  { endpoint: 'token', what: 'no secret', send: (party) => exchange(party, { client_id: party.id }, {}) },
  {
    endpoint: 'token',
    what: 'two ways at once',
    send: (party) => exchange(party, { client_id: party.id, client_secret: party.secret }),
  },
  { endpoint: 'token', what: 'two clients at once', send: (party) => exchange(party, { client_id: party.otherId }) },
  {
    endpoint: 'token',
    what: 'a header that is no pair',
    send: (party) => exchange(party, {}, { authorization: 'Basic !!' }),
    because: 'Document A, token: 401 client authentication failed.',
  },
  {
    endpoint: 'revoke',
    what: 'a token',
    send: async (party) => post(party, 'revoke', { token: (await issued(party)).refresh_token }, own(party)),
  },
  {
    endpoint: 'revoke',
    what: 'an unknown token',
    send: (party) => post(party, 'revoke', { token: 'unknown' }, own(party)),
  },
  { endpoint: 'revoke', what: 'no token', send: (party) => post(party, 'revoke', {}, own(party)) },
  {
    endpoint: 'revoke',
    what: 'a wrong secret',
    send: (party) => post(party, 'revoke', { token: 'x' }, basic(party.id, 'wrong')),
  },
  { endpoint: 'revoke', what: 'JSON', send: (party) => raw(party, 'revoke', '{}', 'application/json') },
  {
    endpoint: 'introspect',
    what: 'a token',
    send: async (party) => post(party, 'introspect', { token: (await issued(party)).access_token }, own(party)),
  },
  {
    endpoint: 'introspect',
    what: 'an unknown token',
    send: (party) => post(party, 'introspect', { token: 'unknown' }, own(party)),
  },
  { endpoint: 'introspect', what: 'no token', send: (party) => post(party, 'introspect', {}, own(party)) },
  {
    endpoint: 'introspect',
    what: 'a wrong secret',
    send: (party) => post(party, 'introspect', { token: 'x' }, basic(party.id, 'wrong')),
  },
  {
    endpoint: 'introspect',
    what: 'a public client',
    send: (party) => post(party, 'introspect', { token: 'x', client_id: party.openId }),
    because: 'Document A, introspect: Confidential-client authentication is required; public clients are refused.',
  },
  {
    endpoint: 'userinfo',
    what: 'a token',
    send: async (party) => userinfo(party, { authorization: `Bearer ${(await issued(party)).access_token}` }),
  },
  {
    endpoint: 'userinfo',
    what: 'an unknown token',
    send: (party) => userinfo(party, { authorization: 'Bearer unknown' }),
    because: 'Document D, “General error codes”: unauthorized 401, in the envelope of all operations.',
  },
  {
    endpoint: 'userinfo',
    what: 'no token',
    send: (party) => userinfo(party, {}),
    because: 'Document D, “General error codes”: unauthorized 401, in the envelope of all operations.',
  },
  { endpoint: 'register', what: 'no redirects', send: (party) => register(party, {}) },
  { endpoint: 'register', what: 'no list', send: (party) => register(party, { redirect_uris: 'x' }) },
  {
    endpoint: 'register',
    what: 'a fragment',
    send: (party) => register(party, { redirect_uris: ['https://x.example/#f'], token_endpoint_auth_method: 'none' }),
  },
  {
    endpoint: 'register',
    what: 'an unknown method',
    send: (party) => register(party, { redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'x' }),
  },
  {
    endpoint: 'register',
    what: 'another grant',
    send: (party) =>
      register(party, {
        redirect_uris: ['http://127.0.0.1/cb'],
        grant_types: ['x'],
        token_endpoint_auth_method: 'none',
      }),
  },
  { endpoint: 'register', what: 'a form', send: (party) => post(party, 'register', { redirect_uris: 'x' }) },
  {
    endpoint: 'authorize',
    what: 'a resource that is none',
    send: (party) => authorize(party, { resource: 'https://x.example/' }),
  },
  { endpoint: 'authorize', what: 'a resource that is no URL', send: (party) => authorize(party, { resource: 'x' }) },
  {
    endpoint: 'authorize',
    what: 'nobody may be asked',
    send: (party) => authorize(party, { prompt: 'none', max_age: '0' }),
  },
  {
    endpoint: 'authorize',
    what: 'no consent yet, and nobody may be asked',
    send: (party) => authorize(party, { prompt: 'none' }),
    because: 'Document A, authorize: Needs a signed-in user session; the other server is asked without one.',
  },
  { endpoint: 'authorize', what: 'a max_age that is none', send: (party) => authorize(party, { max_age: 'x' }) },
  { endpoint: 'authorize', what: 'no client', send: (party) => authorize(party, { client_id: undefined }) },
  { endpoint: 'authorize', what: 'an unknown client', send: (party) => authorize(party, { client_id: 'nobody' }) },
  {
    endpoint: 'authorize',
    what: 'no redirect_uri',
    send: (party) => authorize(party, { redirect_uri: undefined }),
    because: 'Document A, authorize: redirect_uri is required.',
  },
  {
    endpoint: 'authorize',
    what: 'another redirect_uri',
    send: (party) => authorize(party, { redirect_uri: 'https://x.example/' }),
    because: 'Document A, “Errors”: invalid_request, required parameter missing or malformed.',
  },
  {
    endpoint: 'authorize',
    what: 'response_type token',
    send: (party) => authorize(party, { response_type: 'token' }),
    because: 'Document A, authorize: 400 response_type is not code.',
  },
  {
    endpoint: 'authorize',
    what: 'no PKCE',
    send: (party) => authorize(party, { code_challenge: undefined, code_challenge_method: undefined }),
    because: 'Document A, authorize: 400 PKCE S256 missing.',
  },
  {
    endpoint: 'authorize',
    what: 'method plain',
    send: (party) => authorize(party, { code_challenge_method: 'plain' }),
    because: 'Document A, authorize: 400 PKCE S256 missing.',
  },
  {
    endpoint: 'authorize',
    what: 'a scope it may not ask for',
    send: (party) => authorize(party, { scope: 'openid read:user' }),
  },
  { endpoint: 'authorize', what: 'a request object', send: (party) => authorize(party, { request: 'x' }) },
  {
    endpoint: 'authorize',
    what: 'request_uri',
    send: (party) => authorize(party, { request_uri: 'https://x.example/' }),
  },
  { endpoint: 'authorize', what: 'an unknown prompt', send: (party) => authorize(party, { prompt: 'x' }) },
  { endpoint: 'authorize', what: 'none beside another', send: (party) => authorize(party, { prompt: 'none login' }) },
];

/** What is compared: a redirect is one by 302 and 303 alike, and a challenge is known by its scheme. */
async function told(response: Response) {
  const location = response.headers.get('location');
  const text = await response.text();
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: string };
  return {
    status: response.status === 303 ? 302 : response.status,
    error: location === null ? (body.error ?? null) : new URL(location, response.url).searchParams.get('error'),
    challenge: response.headers.get('www-authenticate')?.split(' ')[0] ?? null,
    stored: /no-store/.test(response.headers.get('cache-control') ?? '') ? 'never' : 'maybe',
  };
}

void t.test('as oidc-provider answers', { timeout: 120_000 }, async (t) => {
  const forge = await startTestForge(t, {
    configuration: { settings: { 'oauth2.dcr.enabled': true, 'oauth2.dcr.per_ip_per_hour': 1000 } },
  });
  const visitor = await forge.createUser('visitor');
  const { token } = await forge.signIn(visitor.username, visitor.password);
  const over = { scopes: ['openid', 'profile'] };
  const [app, other] = [await makeApp(visitor.client, over), await makeApp(visitor.client, over)];
  const open = await makeApp(visitor.client, { ...over, confidential: false });
  const apps = new Map([app, other, open].map((one) => [one.clientId, one]));
  const oracle = await startOracle(t);
  const ours: Party = {
    base: forge.url,
    path: Object.fromEntries(
      (['token', 'revoke', 'introspect', 'userinfo', 'register', 'authorize'] as const).map((name) => [
        name,
        `/api/v1/oauth2/${name}`,
      ]),
    ) as Record<Endpoint, string>,
    id: app.clientId,
    secret: app.secret ?? '',
    otherId: other.clientId,
    otherSecret: other.secret ?? '',
    openId: open.clientId,
    session: { authorization: `Bearer ${token}` },
    async fresh(id = app.clientId) {
      const { code, keys } = await codeFor(visitor.client, apps.get(id) ?? app, { scope: 'openid' });
      return { code, verifier: keys.verifier };
    },
  };
  const theirs: Party = {
    base: oracle.url,
    path: {
      token: '/token',
      revoke: '/token/revocation',
      introspect: '/token/introspection',
      userinfo: '/me',
      register: '/reg',
      authorize: '/auth',
    },
    id: oracleClients.confidential.id,
    secret: oracleClients.confidential.secret,
    otherId: oracleClients.other.id,
    otherSecret: oracleClients.other.secret,
    openId: oracleClients.open.id,
    session: {},
    async fresh(id = oracleClients.confidential.id) {
      const { code, keys } = await oracle.code(id);
      return { code, verifier: keys.verifier };
    },
  };
  const refusals = new Set<string>();
  const pairs = new Set<string>();
  for (const { endpoint, what, send, because } of shared) {
    const mine = await told(await send(ours));
    const answer = await told(await send(theirs));
    // Nothing of ours is stored that has no entity tag, whether or not a standard asks for it.
    const its = { ...answer, stored: mine.stored === 'never' ? 'never' : answer.stored };
    if (mine.status >= 300) {
      refusals.add(`${endpoint}, ${what}: ${mine.error}`);
      pairs.add(`${endpoint} ${mine.error}`);
    }
    if (because === undefined) t.strictSame(mine, its, `${endpoint}: ${what}`);
    else t.notSame(mine, its, `${endpoint}: ${what} is another answer: ${because}`);
  }
  t.ok(shared.length >= 40, `shared requests: ${shared.length}`);
  t.ok(refusals.size >= 28, `refusals: ${refusals.size}`);
  t.ok(pairs.size >= 24, `with distinct endpoint and error: ${[...pairs].join(', ')}`);
  t.ok(shared.every(({ because }) => because === undefined || /^Document [AD]/.test(because)));
});
