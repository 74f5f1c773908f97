// The steps of an OAuth2 flow for the specs of the authorization server, as requests of an application and its user.
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';

export const paths = {
  authorize: '/api/v1/oauth2/authorize',
  token: '/api/v1/oauth2/token',
  revoke: '/api/v1/oauth2/revoke',
  introspect: '/api/v1/oauth2/introspect',
  register: '/api/v1/oauth2/register',
  userinfo: '/api/v1/oauth2/userinfo',
  apps: '/api/v1/user/oauth2/apps',
  grants: '/api/v1/user/oauth2/grants',
  adminApps: '/api/v1/admin/oauth2/apps',
  metadata: '/.well-known/oauth-authorization-server',
} as const;

/** Receives the requests: a forge in this process, or one of several servers. */
export type Place = Pick<TestForge, 'anonymous' | 'as'>;

export const callback = 'https://app.example/callback';

export interface App {
  readonly id: string;
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token?: string;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** The defined fields, URL-encoded. */
export const encoded = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();

export const formType = { 'content-type': 'application/x-www-form-urlencoded' } as const;

/** Posts a form as an application or page does. */
export const postForm = (
  client: Client,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => client.post(path, { raw: encoded(fields), headers: { ...formType, ...headers } });

export const basic = (id: string, secret: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** @throws {Error} if the answer has another status, because the flow of a spec depends on it. */
export function expected(answer: Answer, status: number, what: string): Answer {
  if (answer.status !== status) throw new Error(`${what} answered ${answer.status}: ${answer.text}`);
  return answer;
}

export async function makeApp(
  owner: Client,
  over: {
    readonly confidential?: boolean;
    readonly scopes?: readonly string[];
    readonly redirect_uris?: readonly string[] | string;
    readonly name?: string;
  } = {},
): Promise<App> {
  const body = {
    name: 'An application',
    redirect_uris: [callback],
    scopes: ['read:user', 'read:repo', 'write:repo', 'openid', 'profile', 'email', 'mcp:read'],
    ...over,
  };
  const made = expected(await owner.post(paths.apps, { body }), 201, 'creating an application').body as {
    id: string;
    client_id: string;
    client_secret?: string;
    redirect_uris: string[];
  };
  return {
    id: made.id,
    clientId: made.client_id,
    secret: made.client_secret,
    redirectUri: made.redirect_uris[0] ?? '',
  };
}

/** The query of an authorization request. */
export const requestOf = (app: App, { challenge }: Pick<Pkce, 'challenge'>, over: Fields = {}): Fields => ({
  client_id: app.clientId,
  redirect_uri: app.redirectUri,
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'a state',
  ...over,
});

export const askConsent = (user: Client, query: Fields): Promise<Answer> =>
  user.get(`${paths.authorize}?${encoded(query)}`);

export const decide = (user: Client, query: Fields, form: Fields = { decision: 'allow' }): Promise<Answer> =>
  postForm(user, `${paths.authorize}?${encoded(query)}`, form);

/** The user approves. @returns the query parameters that the browser takes to the application. */
export async function approve(user: Client, query: Fields, form?: Fields): Promise<URLSearchParams> {
  const answer = expected(await decide(user, query, form), 200, 'approving');
  return new URL((answer.body as { redirect_url: string }).redirect_url).searchParams;
}

export const proof = (app: App): Fields => ({ client_id: app.clientId, client_secret: app.secret });

export const exchange = (
  forge: Place,
  app: App,
  code: string,
  { verifier }: Pick<Pkce, 'verifier'>,
  over: Fields = {},
): Promise<Answer> =>
  postForm(forge.anonymous, paths.token, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    code_verifier: verifier,
    ...proof(app),
    ...over,
  });

export const refresh = (forge: Place, app: App, token: string, over: Fields = {}): Promise<Answer> =>
  postForm(forge.anonymous, paths.token, {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...proof(app),
    ...over,
  });

/** An unused code and its verifier. */
export async function codeFor(
  user: Client,
  app: App,
  over: Fields = {},
): Promise<{ readonly code: string; readonly keys: Pkce }> {
  const keys = pkce();
  const back = await approve(user, requestOf(app, keys, over));
  return { code: back.get('code') ?? '', keys };
}

/** Runs the whole flow. @returns the tokens. */
export async function tokensFor(forge: Place, user: Client, app: App, over: Fields = {}): Promise<Tokens> {
  const { code, keys } = await codeFor(user, app, over);
  return expected(await exchange(forge, app, code, keys), 200, 'the exchange').body as Tokens;
}

/** Whether the token can read its user. */
export const works = async (forge: Place, accessToken: string): Promise<boolean> =>
  (await forge.as(accessToken).get('/api/v1/auth/me')).status === 200;

export const introspect = async (forge: Place, app: App, token: string): Promise<Answer> =>
  postForm(forge.anonymous, paths.introspect, { token, ...proof(app) });

/** Changes a setting as an administrator. */
export async function setSetting(forge: TestForge, key: string, value: string): Promise<void> {
  const admin = await forge.administrator();
  expected(await admin.put(`/api/v1/admin/settings/${key}`, { body: { value } }), 200, `setting ${key}`);
}

/** Grants a user an admin scope. */
export async function grantAdminScope(admin: Client, userId: string, scope: string): Promise<void> {
  const { status } = await admin.post(`/api/v1/admin/users/${userId}/admin-scopes`, { body: { scope } });
  if (status !== 200) throw new Error(`Granting ${scope} answered ${status}`);
}
