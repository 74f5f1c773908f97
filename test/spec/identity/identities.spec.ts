// Tests of external identities over HTTP, with the providers of a plugin from outside: a directory and a redirect.
import { anyone, api, BadGateway, definePlugin, sendTo, shape, word, maybe, type DirectoryUser } from 'hexforge/plugin';
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { Visitor } from '#test/support/clients/visitor';
import { startTestForge } from '#test/support/forge';

/** A directory whose users have the name as their id; "namesake" has none. */
const corp = definePlugin({
  name: 'corp',
  version: '1.0.0',
  api: '*',
  provides: {
    PasswordDirectory: () => ({
      displayName: 'Corporation',
      async check(username, password) {
        if (password === 'down') throw new Error('no network');
        const user: DirectoryUser = { username, ...(username !== 'namesake' && { subject: username }) };
        return password === 'right' ? user : undefined;
      },
    }),
  },
});

const state = { down: false };

/** A provider that accepts everybody: the answer has the name of the user. */
const hub = definePlugin({
  name: 'hub',
  version: '1.0.0',
  api: '*',
  needs: ['ExternalSignIn'],
  provides: {
    SignInFlow: () => ({
      providers: async () => [{ id: 'hub', displayName: 'Hub', startPath: '/api/v1/x/hub/start' }],
      async start(_provider, at) {
        if (state.down) throw new BadGateway('Hub does not answer', { code: 'provider_unavailable' });
        return { redirectUrl: `https://hub.example/?state=${at}`, kept: '' };
      },
    }),
  },
  routes: (_parts, { ExternalSignIn: signIn }) => [
    api({
      id: 'hubStart',
      summary: 'Sends the browser to the hub',
      method: 'GET',
      path: '/x/hub/start',
      access: anyone,
      scope: null,
      query: shape({ return_to: maybe(word()) }),
      result: 'empty',
      success: 302,
      statuses: [404, 502],
      errorPages: true,
      run: async (call, { query, header }) =>
        sendTo(await signIn.start(call, 'hub', { cookie: header('cookie'), returnTo: query.return_to }), 302),
    }),
    api({
      id: 'hubEnd',
      summary: 'Takes the answer of the hub',
      method: 'GET',
      path: '/x/hub/end',
      access: anyone,
      scope: null,
      query: shape({ state: word(), name: word() }),
      result: 'empty',
      success: 303,
      statuses: [403, 409, 502],
      errorPages: true,
      async run(call, { query, header, browser }) {
        const user = { subject: query.name, username: query.name, emailVerified: false };
        const answer = { state: query.state, cookie: header('cookie'), browser, identify: async () => ({ user }) };
        return sendTo(await signIn.finish(call, 'hub', answer), 303);
      },
    }),
  ],
});

const identities = '/api/v1/user/identities';

void t.test('external identities', async (t) => {
  const forge = await startTestForge(t, { definitions: [corp, hub] });
  const { anonymous, url } = forge;
  const ends = async (visitor: Visitor, location: string, name: string): Promise<Response> =>
    visitor.get(`${url}/api/v1/x/hub/end?state=${new URL(location).searchParams.get('state')}&name=${name}`);
  const link = async (client: Client, name: string): Promise<Response> => {
    const answer = await client.post(`${identities}/hub`, { body: {} });
    t.equal(answer.status, 200);
    const visitor = new Visitor();
    visitor.keep(url, answer.headers.getSetCookie());
    return ends(visitor, (answer.body as { redirect_url: string }).redirect_url, name);
  };
  const listed = async (client: Client) =>
    ((await client.get(identities)).body as { items: { id: string; provider: string }[] }).items;

  await t.test('GET /auth/providers lists the ways to sign in to everybody', async (t) => {
    t.strictSame((await anonymous.get('/api/v1/auth/providers')).body, {
      items: [
        { id: 'corp', kind: 'password', display_name: 'Corporation' },
        { id: 'hub', kind: 'redirect', display_name: 'Hub', start_url: `${url}/api/v1/x/hub/start` },
      ],
    });
  });

  await t.test('a plugin from outside signs users in by a redirect', async (t) => {
    const visitor = new Visitor();
    const started = await visitor.get(`${url}/api/v1/x/hub/start?return_to=%2Fgrace`);
    t.equal(started.status, 302);
    const done = await ends(visitor, started.headers.get('location') ?? '', 'grace');
    t.strictSame([done.status, done.headers.get('location')], [303, '/grace']);
    const me = await forge.as(visitor.cookie(url, 'svc_access_token') ?? '').get('/api/v1/auth/me');
    t.match(me.body, { username: 'grace', email: /@users\.invalid$/ });
  });

  await t.test('linking: 200 with a redirect, 201 by a password, and what is refused', async (t) => {
    const { client } = await forge.createUser('ada');
    t.equal((await link(client, 'lovelace')).headers.get('location'), '/-/settings/identities?done=linked');
    const post = (provider: string, body: object) => client.post(`${identities}/${provider}`, { body });
    t.match(await post('corp', { username: 'countess', password: 'right' }), {
      status: 201,
      body: { id: String, provider: 'corp', subject_hint: 'countess', created_at: /Z$/ },
    });
    t.match(await post('corp', { username: 'countess', password: 'wrong' }), {
      status: 403,
      body: { error_code: 'wrong_password' },
    });
    t.match(await post('corp', { username: 'countess' }), { status: 400, body: { detail: /"password"/ } });
    t.equal((await post('corp', { username: 'namesake', password: 'right' })).status, 422);
    t.equal((await post('corp', { username: 'countess', password: 'down' })).status, 503);
    t.match(await post('corp', { username: 'a', password: 'x', admin: true }), {
      status: 400,
      body: { error_code: 'unknown_field' },
    });
    t.equal((await post('nobody', {})).status, 404);
    const eve = await forge.createUser('eve');
    t.match(await eve.client.post(`${identities}/corp`, { body: { username: 'countess', password: 'right' } }), {
      status: 409,
      body: { error_code: 'identity_taken' },
    });
    t.equal((await link(eve.client, 'lovelace')).status, 409);
    state.down = true;
    t.match(await post('hub', {}), { status: 502, body: { error_code: 'provider_unavailable' } });
    state.down = false;
    t.match(await listed(client), [{ provider: 'hub' }, { provider: 'corp' }]);
    t.strictSame(await listed(eve.client), []);
  });

  await t.test('unlinking: 204, 404 for those of others, 409 for the last way in', async (t) => {
    const { client } = await forge.signIn('corporal', 'right').then((signedIn) => ({ client: signedIn }));
    const [own] = await listed(client);
    const other = await forge.createUser('other');
    t.equal((await other.client.delete(`${identities}/${own?.id}`)).status, 404);
    t.equal((await client.delete(`${identities}/not-a-uuid`)).status, 400);
    t.match(await client.delete(`${identities}/${own?.id}`), { status: 409, body: { error_code: 'last_way_in' } });
    await link(client, 'corporal-of-the-hub');
    t.equal((await client.delete(`${identities}/${own?.id}`)).status, 204);
    t.equal((await client.delete(`${identities}/${own?.id}`)).status, 404);
    t.match(await listed(client), [{ provider: 'hub' }]);
  });

  await t.test('tokens are refused, and so is nobody', async (t) => {
    const { client } = await forge.createUser('tokens');
    const pat = await forge.pat(client, ['repo:admin', 'admin:users']);
    for (const [with_, status] of [
      [pat, 403],
      [anonymous, 401],
    ] as const) {
      t.equal((await with_.get(identities)).status, status);
      t.equal((await with_.post(`${identities}/hub`, { body: {} })).status, status);
      t.equal((await with_.delete(`${identities}/00000000-0000-4000-8000-000000000000`)).status, status);
    }
  });

  await t.test('POST /user/password: 409 for an account without one, unless it is the first', async (t) => {
    const client = await forge.signIn('private', 'right');
    const change = (body: object) => client.post('/api/v1/user/password', { body });
    t.match(await change({ current_password: 'right', new_password: 'a long password' }), {
      status: 409,
      body: { error_code: 'no_password' },
    });
    t.equal((await change({ new_password: 'a long password' })).status, 204);
    t.equal((await change({ new_password: 'another password' })).status, 400);
    t.equal((await forge.signIn('private', 'a long password')).user.username, 'private');
  });
});
