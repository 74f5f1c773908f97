// The ways in which a valid credential can be ended early, each over HTTP. Used by access walks with ended credentials,
// and by specs in which one server ends a credential and another must refuse it.
import type { Answer, Client } from '#test/support/clients/client';
import {
  expected,
  makeApp,
  paths,
  postForm,
  proof,
  refresh,
  tokensFor,
  type App,
  type Place,
  type Tokens,
} from './flow.ts';
import { oauthScopes, patScopes } from './scope-table.ts';

export interface Ending {
  readonly what: string;
  /** Description → a token that is valid until the end. A token with scopes has all of them. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The refresh request to send after the credential was ended, and its expected answer. */
  readonly renewal?: {
    readonly ask: (at: Place) => Promise<Answer>;
    readonly status: number;
    readonly error: string;
  };
  /** @throws {Error} if the ending fails. */
  readonly end: (at: Place) => Promise<Answer>;
}

/** A personal access token with every scope. */
export async function widestPat(user: Client): Promise<{ readonly id: string; readonly token: string }> {
  const body = { name: 'the widest', scopes: patScopes };
  const made = expected(await user.post('/api/v1/user/tokens', { body }), 201, 'creating a token');
  return made.body as { readonly id: string; readonly token: string };
}

/** Signs in. @returns the token of the session. */
export async function signIn(at: Place, username: string, password: string): Promise<string> {
  const answer = await at.anonymous.post('/api/v1/auth/login', { body: { username, password } });
  return (expected(answer, 200, `signing in as "${username}"`).body as { readonly access_token: string }).access_token;
}

/**
 * Makes one of each ending. All users are instance administrators, so that a later refusal can only come from the
 * ending.
 * @param at the server that everything is made on.
 * @param session of an administrator.
 * @param mark a suffix of the names of the users.
 */
export async function endings(at: Place, session: string, mark = ''): Promise<readonly Ending[]> {
  const admin = at.as(session);
  const appOf = (name: string): Promise<App> => makeApp(admin, { name, scopes: oauthScopes });
  const issue = (user: Client, app: App): Promise<Tokens> => tokensFor(at, user, app, { scope: oauthScopes.join(' ') });
  const app = await appOf('Kept');

  const newUser = async (name: string) => {
    const username = `${name}${mark}`;
    const password = `password of ${username}`;
    const body = { username, password, email: `${username}@example.com`, is_admin: true };
    const made = expected(await admin.post('/api/v1/admin/users', { body }), 201, `creating "${username}"`);
    const { id } = made.body as { readonly id: string };
    const token = await signIn(at, username, password);
    return { id, path: `/api/v1/admin/users/${id}`, token, client: at.as(token) };
  };
  const newUserWithAll = async (name: string) => {
    const { path, token, client } = await newUser(name);
    const credentials = {
      'their session': token,
      'their personal access token': (await widestPat(client)).token,
      'their OAuth2 token': (await issue(client, app)).access_token,
    };
    return { path, credentials };
  };
  const revoke = async (there: Place, token: string): Promise<Answer> =>
    expected(await postForm(there.anonymous, paths.revoke, { token, ...proof(app) }), 200, 'revoking');
  /** Two access tokens and two refresh tokens; the first refresh token was used. */
  const family = async (
    what: string,
    end: (there: Place, tokens: Readonly<Record<'first' | 'last', string>>) => Promise<Answer>,
  ): Promise<Ending> => {
    const first = await issue(admin, app);
    const last = expected(await refresh(at, app, first.refresh_token), 200, 'refreshing').body as Tokens;
    return {
      what,
      credentials: { 'its first access token': first.access_token, 'its last access token': last.access_token },
      renewal: { ask: (there) => refresh(there, app, last.refresh_token), status: 400, error: 'invalid_grant' },
      end: (there) => end(there, { first: first.refresh_token, last: last.refresh_token }),
    };
  };
  /** An ending with its own application. */
  const ofApplication = async (
    what: string,
    status: number,
    error: string,
    end: (there: Client, app: App) => Promise<Answer>,
  ): Promise<Ending> => {
    const own = await appOf(what);
    const { access_token: token, refresh_token: renewing } = await issue(admin, own);
    return {
      what,
      credentials: { 'its OAuth2 token': token },
      renewal: { ask: (there) => refresh(there, own, renewing), status, error },
      end: async (there) => end(there.as(session), own),
    };
  };

  const { access_token: alone } = await issue(admin, app);
  const pat = await widestPat(admin);
  const leaving = await newUser('leaving');
  const [sent, suspended] = [await newUserWithAll('sent-away'), await newUserWithAll('suspended')];
  return [
    {
      what: 'an access token that was revoked',
      credentials: { 'the OAuth2 token': alone },
      end: (there) => revoke(there, alone),
    },
    await family('a family whose refresh token was revoked', (there, { last }) => revoke(there, last)),
    await family('a family whose refresh token was used twice', async (there, { first }) =>
      expected(await refresh(there, app, first), 400, 'using a refresh token again'),
    ),
    await ofApplication('an application that was suspended', 401, 'invalid_client', async (there, { id }) =>
      expected(await there.post(`${paths.adminApps}/${id}/suspend`), 200, 'suspending an application'),
    ),
    await ofApplication('a grant that was taken back', 400, 'invalid_grant', async (there, { clientId }) =>
      expected(await there.delete(`${paths.grants}/${clientId}`), 204, 'taking a grant back'),
    ),
    {
      what: 'a personal access token that was deleted',
      credentials: { 'the token': pat.token },
      end: async (there) =>
        expected(await there.as(session).delete(`/api/v1/user/tokens/${pat.id}`), 204, 'deleting a token'),
    },
    {
      what: 'a session that was signed out',
      credentials: { 'the session': leaving.token },
      end: async (there) => expected(await there.as(leaving.token).post('/api/v1/auth/logout'), 204, 'signing out'),
    },
    {
      what: 'a user whose tokens were revoked',
      credentials: sent.credentials,
      end: async (there) =>
        expected(await there.as(session).post(`${sent.path}/revoke-tokens`), 204, 'revoking tokens'),
    },
    {
      what: 'a user who was suspended',
      credentials: suspended.credentials,
      end: async (there) =>
        expected(
          await there.as(session).patch(suspended.path, { body: { status: 'suspended' } }),
          200,
          'suspending a user',
        ),
    },
  ];
}
