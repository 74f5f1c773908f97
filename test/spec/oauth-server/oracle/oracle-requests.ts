// The requests that are sent to our authorization server and to oidc-provider, a certified one ("the oracle"), and the
// answers that may differ, each with its reason.
import { basic, callback, encoded, formType, pkce } from '../flow.ts';

type Fields = Readonly<Record<string, string | undefined>>;
type Headers = Readonly<Record<string, string>>;

/** A server, with the clients and users it knows. */
export interface Party {
  readonly base: string;
  readonly path: Readonly<Record<'token' | 'revoke' | 'introspect' | 'userinfo' | 'register' | 'authorize', string>>;
  readonly id: string;
  readonly secret: string;
  readonly otherId: string;
  readonly otherSecret: string;
  readonly openId: string;
  /** A scope besides openid that every client has. */
  readonly otherScope: string;
  /** The headers of a user who has granted nothing, for the authorization endpoint. */
  readonly session: Headers;
  /** The headers of a caller who may register clients. */
  readonly registrar: Headers;
  fresh(id?: string, scope?: string): Promise<{ readonly code: string; readonly verifier: string }>;
  /**
   * The final answer to the browser after the user denies. `asked` is the answer to the authorization request; with our
   * server it already is the final one.
   */
  denied(asked: Response): Promise<Response>;
  /** Runs the work while the server cannot issue tokens because of a fault. */
  broken<T>(work: () => Promise<T>): Promise<T>;
}

/** The parts of an answer that are compared. */
export interface Told {
  readonly status: number;
  /** Taken from the challenge (RFC 6750), the redirect, or the body, depending on the endpoint. */
  readonly error: string | null;
  /** The scheme of the challenge and the scope it names. Realms and descriptions differ between servers. */
  readonly challenge: string | null;
  readonly cache: string | null;
  readonly body: 'error' | 'envelope' | 'other';
}

/** The rule by which our answer differs, or the decision in docs/api/decisions.md. */
type Sentence = `${'A' | 'D'}${string}`;
type Request = (party: Party) => Promise<Response>;

/** A request to which our answer differs in exactly these members. */
export interface Difference {
  readonly send: Request;
  readonly ours: Partial<Told>;
  readonly because: Sentence;
}

type Requests = Readonly<Record<string, Request | Difference>>;

const differs = (ours: Partial<Told>, because: Sentence, send: Request): Difference => ({ send, ours, because });

/** Differences at every endpoint. */
export const everywhere: readonly {
  readonly theirs: Partial<Told>;
  readonly ours: Partial<Told>;
  readonly because: Sentence;
}[] = [
  {
    theirs: { status: 303 },
    ours: { status: 302 },
    because: 'Authorization errors are a 302 redirect to the registered redirect_uri with an error parameter',
  },
  {
    theirs: { cache: null },
    ours: { cache: 'no-store' },
    because: 'Decision in docs/api/decisions.md: answers without an ETag are Cache-Control: no-store',
  },
  {
    theirs: { body: 'error' },
    ours: { body: 'envelope' },
    because: 'All operations report unauthorized (401) and insufficient_scope (403) in the error envelope',
  },
  {
    theirs: { challenge: null },
    ours: { challenge: 'Basic' },
    because: 'All responses with 401 have a challenge (RFC 9110, section 15.5.2)',
  },
];

const post = (party: Party, endpoint: keyof Party['path'], fields: Fields, headers: Headers = {}) =>
  fetch(party.base + party.path[endpoint], {
    method: 'POST',
    headers: { ...formType, ...headers },
    body: encoded(fields),
  });
const raw = (party: Party, endpoint: keyof Party['path'], body: string, type: string) =>
  fetch(party.base + party.path[endpoint], { method: 'POST', headers: { 'content-type': type, ...own(party) }, body });
const own = ({ id, secret }: Party): Headers => basic(id, secret);
const others = ({ otherId, otherSecret }: Party): Headers => basic(otherId, otherSecret);

type Fresh = Awaited<ReturnType<Party['fresh']>>;
const codeFields = ({ code, verifier }: Fresh): Fields => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: callback,
  code_verifier: verifier,
});
const exchange = async (party: Party, over: Fields = {}, headers = own(party)) =>
  post(party, 'token', { ...codeFields(await party.fresh()), ...over }, headers);
const issued = async (party: Party, scope?: string): Promise<{ access_token: string; refresh_token: string }> => {
  const answer = await post(party, 'token', codeFields(await party.fresh(party.id, scope)), own(party));
  return (await answer.json()) as { access_token: string; refresh_token: string };
};
const refresh = (party: Party, token: string, over: Fields = {}, headers = own(party)) =>
  post(party, 'token', { grant_type: 'refresh_token', refresh_token: token, ...over }, headers);

const token: Requests = {
  'a code': (party) => exchange(party),
  'a refresh token': async (party) => refresh(party, (await issued(party)).refresh_token),
  'a public client': async (party) =>
    post(party, 'token', { ...codeFields(await party.fresh(party.openId)), client_id: party.openId }),
  'no grant_type': (party) => exchange(party, { grant_type: undefined }),
  'grant_type password': (party) => exchange(party, { grant_type: 'password' }),
  'grant_type nonsense': (party) => exchange(party, { grant_type: 'x' }),
  'no code': (party) => exchange(party, { code: undefined }),
  'no redirect_uri': (party) => exchange(party, { redirect_uri: undefined }),
  'an unknown code': (party) => exchange(party, { code: 'x'.repeat(43) }),
  'another redirect_uri': (party) => exchange(party, { redirect_uri: 'https://x.example/' }),
  'another verifier': (party) => exchange(party, { code_verifier: pkce().verifier }),
  'a repeated field': (party) =>
    raw(party, 'token', 'grant_type=authorization_code&grant_type=x', formType['content-type']),
  JSON: (party) => raw(party, 'token', '{}', 'application/json'),
  'a code twice': async (party) => {
    const fields = codeFields(await party.fresh());
    await post(party, 'token', fields, own(party));
    return post(party, 'token', fields, own(party));
  },
  'another client’s code': (party) => exchange(party, {}, others(party)),
  'an unknown refresh token': (party) => refresh(party, 'x'),
  'no refresh token': (party) => post(party, 'token', { grant_type: 'refresh_token' }, own(party)),
  'a refresh token twice': async (party) => {
    const { refresh_token: once } = await issued(party);
    await refresh(party, once);
    return refresh(party, once);
  },
  'another client’s refresh token': async (party) =>
    refresh(party, (await issued(party)).refresh_token, {}, others(party)),
  'a wider scope': async (party) => refresh(party, (await issued(party)).refresh_token, { scope: 'openid email' }),
  'another resource': (party) => exchange(party, { resource: 'https://x.example/' }),
  'a wrong secret': (party) => exchange(party, {}, basic(party.id, 'wrong')),
  'an unknown client': (party) => exchange(party, {}, basic('nobody', 'wrong')),
  'no client': differs(
    { status: 401, error: 'invalid_client' },
    'A failed client authentication at oauthToken is 401',
    (party) => exchange(party, {}, {}),
  ),
  'a wrong secret in the body': (party) => exchange(party, { client_id: party.id, client_secret: 'wrong' }, {}),
  'no secret': (party) => exchange(party, { client_id: party.id }, {}),
  'two authentication methods': (party) => exchange(party, { client_id: party.id, client_secret: party.secret }),
  'two client ids': (party) => exchange(party, { client_id: party.otherId }),
  'a malformed Basic header': differs(
    { status: 401, error: 'invalid_client' },
    'A failed client authentication at oauthToken is 401',
    (party) => exchange(party, {}, { authorization: 'Basic !!' }),
  ),
  'a fault': async (party) => {
    const fields = codeFields(await party.fresh());
    return party.broken(() => post(party, 'token', fields, own(party)));
  },
};

const ofToken = (endpoint: 'revoke' | 'introspect'): Requests => ({
  'an access token': async (party) => post(party, endpoint, { token: (await issued(party)).access_token }, own(party)),
  'a refresh token': async (party) => post(party, endpoint, { token: (await issued(party)).refresh_token }, own(party)),
  'an unknown token': (party) => post(party, endpoint, { token: 'unknown' }, own(party)),
  'no token': (party) => post(party, endpoint, {}, own(party)),
  'a wrong secret': (party) => post(party, endpoint, { token: 'x' }, basic(party.id, 'wrong')),
  JSON: (party) => raw(party, endpoint, '{}', 'application/json'),
});

const userinfo =
  (headers: (party: Party) => Promise<Headers>): Request =>
  async (party) =>
    fetch(party.base + party.path.userinfo, { headers: await headers(party) });
const bearer = (value: string): Headers => ({ authorization: `Bearer ${value}` });

const register =
  (body: unknown, headers?: Headers): Request =>
  (party) =>
    fetch(party.base + party.path.register, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(headers ?? party.registrar) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
const metadata = { redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' };
const refusedMetadata: Sentence =
  'At oauthRegister invalid_client_metadata, invalid_redirect_uri and invalid_scope are 400';

const authorize =
  (method: 'GET' | 'POST') =>
  (over: Fields = {}, decision = 'allow'): Request =>
  (party) => {
    const query = encoded({
      client_id: party.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
      ...over,
    });
    return fetch(`${party.base}${party.path.authorize}?${query}`, {
      method,
      headers: { ...(method === 'POST' && formType), ...party.session },
      // From the body the oracle reads the parameters of the request, our server the decision of the user.
      ...(method === 'POST' && { body: `${query}&decision=${decision}` }),
      redirect: 'manual',
    });
  };
/** For these errors our server answers 400 instead of redirecting to the application. */
const toPage = { status: 400, body: 'error' } as const;
const pageSentence = 'At oauthConsent and oauthDecide a response_type other than code and missing PKCE S256 are 400';

const byEither = (method: 'GET' | 'POST'): Requests => {
  const asked = authorize(method);
  return {
    'no client': asked({ client_id: undefined }),
    'an unknown client': asked({ client_id: 'nobody' }),
    'no redirect_uri': asked({ redirect_uri: undefined }),
    'another redirect_uri': differs(
      { error: 'invalid_request' },
      'A wrong redirect_uri is invalid_redirect_uri only at oauthRegister',
      asked({ redirect_uri: 'https://x.example/' }),
    ),
    'response_type token': differs(toPage, pageSentence, asked({ response_type: 'token' })),
    'no response_type': differs(
      { ...toPage, error: 'unsupported_response_type' },
      'A response_type that is not code is unsupported_response_type',
      asked({ response_type: undefined }),
    ),
    'no PKCE': differs(toPage, pageSentence, asked({ code_challenge: undefined, code_challenge_method: undefined })),
    'method plain': differs(toPage, pageSentence, asked({ code_challenge_method: 'plain' })),
    'an unknown response_mode': differs(
      { error: 'invalid_request' },
      'Decision in docs/api/decisions.md: a response_mode other than query and an unknown prompt are invalid_request',
      asked({ response_mode: 'x' }),
    ),
    'a scope that is not registered': asked({ scope: 'openid read:user' }),
    'an unknown resource': asked({ resource: 'https://x.example/' }),
    'a resource that is not a URL': asked({ resource: 'x' }),
    'a request object': asked({ request: 'x' }),
    'a request_uri': asked({ request_uri: 'https://x.example/' }),
    'a registration': asked({ registration: '{}' }),
    'an unknown prompt': asked({ prompt: 'x' }),
    'prompt none with another prompt': asked({ prompt: 'none login' }),
    'an invalid max_age': asked({ max_age: 'x' }),
    'an old sign-in with prompt none': asked({ prompt: 'none', max_age: '0' }),
    'no session with prompt none': differs(
      { status: 401, error: null, challenge: 'Bearer', body: 'envelope' },
      'Authorization without a signed-in session is 401',
      (party) => asked({ prompt: 'none' })({ ...party, session: {} }),
    ),
  };
};

/** The requests that both servers get, by endpoint. */
export const shared: Readonly<Record<string, Requests>> = {
  token,
  revoke: ofToken('revoke'),
  introspect: {
    ...ofToken('introspect'),
    'a public client': differs(
      { status: 401, error: 'invalid_client', body: 'error' },
      'Authentication of a confidential client is required at oauthIntrospect; public clients are refused',
      (party) => post(party, 'introspect', { token: 'x', client_id: party.openId }),
    ),
  },
  userinfo: {
    'a token': userinfo(async (party) => bearer((await issued(party)).access_token)),
    'no token': userinfo(async () => ({})),
    'an unknown token': userinfo(async () => bearer('unknown')),
    'a refresh token': userinfo(async (party) => bearer((await issued(party)).refresh_token)),
    'a revoked token': userinfo(async (party) => {
      const { access_token: gone } = await issued(party);
      await post(party, 'revoke', { token: gone }, own(party));
      return bearer(gone);
    }),
    'a token without openid': userinfo(async (party) => bearer((await issued(party, party.otherScope)).access_token)),
  },
  register: {
    'a client': register(metadata),
    'no redirects': register({}),
    'no list of redirects': register({ ...metadata, redirect_uris: 'x' }),
    'a fragment': register({ ...metadata, redirect_uris: ['https://x.example/#f'] }),
    'an unknown method': register({ ...metadata, token_endpoint_auth_method: 'x' }),
    'another grant type': register({ ...metadata, grant_types: ['x'] }),
    'another response type': register({ ...metadata, response_types: ['x'] }),
    'an invalid name': register({ ...metadata, client_name: 1 }),
    'a form': (party) => post(party, 'register', { redirect_uris: 'x' }, party.registrar),
    'a bad credential': register(metadata, bearer('unknown')),
    'no credential': differs(
      { status: 201, challenge: null, body: 'other' },
      'Anonymous callers may register at oauthRegister',
      register(metadata, {}),
    ),
    'an unknown scope': differs({ error: 'invalid_scope' }, refusedMetadata, register({ ...metadata, scope: 'x' })),
    'truncated JSON': differs({ error: 'invalid_client_metadata' }, refusedMetadata, register('{')),
    'a list': differs({ error: 'invalid_client_metadata' }, refusedMetadata, register([])),
  },
  'GET authorize': {
    ...byEither('GET'),
    'no consent yet with prompt none': authorize('GET')({ prompt: 'none' }),
  },
  'POST authorize': {
    ...byEither('POST'),
    'the user denies': differs(
      { status: 200 },
      'Answers of oauthDecide are { redirect_url }, and the cancel URL has error=access_denied',
      async (party) => party.denied(await authorize('POST')({}, 'cancel')(party)),
    ),
    'a decision with prompt none': differs(
      { status: 200, error: null },
      'Any decision other than cancel approves at oauthDecide',
      authorize('POST')({ prompt: 'none' }),
    ),
  },
};
