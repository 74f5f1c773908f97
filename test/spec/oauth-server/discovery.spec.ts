// Tests of discovery: server metadata, protected resources and keys.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { paths, setSetting } from './flow.ts';

const openid = '/.well-known/openid-configuration';
const resource = '/.well-known/oauth-protected-resource/api/v1/mcp';
const documentedScopes =
  'read:user read:repo write:repo admin:repo read:issue write:issue read:pipeline write:pipeline read:package write:package read:audit openid profile email mcp:read';

void t.test('authorization-server metadata: 200 with the documented fields, not to be stored', async (t) => {
  const { anonymous, url } = await sharedForge(t);
  for (const path of [paths.metadata, openid]) {
    const answer = await anonymous.get(path);
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
    t.equal(answer.headers.get('access-control-allow-credentials'), null);
    t.match(answer.body, {
      issuer: url,
      authorization_endpoint: /\/-\/oauth2\/authorize$/,
      token_endpoint: `${url}${paths.token}`,
      revocation_endpoint: `${url}${paths.revoke}`,
      introspection_endpoint: `${url}${paths.introspect}`,
      userinfo_endpoint: `${url}${paths.userinfo}`,
      jwks_uri: `${url}/.well-known/jwks.json`,
      authorization_response_iss_parameter_supported: true,
    });
    const body = answer.body as Readonly<Record<string, unknown>>;
    t.strictSame(body['response_types_supported'], ['code']);
    t.strictSame(body['grant_types_supported'], ['authorization_code', 'refresh_token']);
    t.strictSame(body['code_challenge_methods_supported'], ['S256']);
    t.strictSame(body['scopes_supported'], documentedScopes.split(' '));
    t.strictSame(body['token_endpoint_auth_methods_supported'], ['client_secret_basic', 'client_secret_post', 'none']);
    t.strictSame(body['subject_types_supported'], ['public']);
    t.strictSame(body['id_token_signing_alg_values_supported'], ['RS256']);
    t.notOk('registration_endpoint' in body, 'registration is disabled');
  }
});

void t.test('registration_endpoint exists only while registration is enabled', async (t) => {
  const forge = await startTestForge(t);
  const shown = async () => (await forge.anonymous.get(paths.metadata)).body as { registration_endpoint?: string };
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  t.equal((await shown()).registration_endpoint, `${forge.url}${paths.register}`);
  await setSetting(forge, 'oauth2.dcr.enabled', 'false');
  t.equal((await shown()).registration_endpoint, undefined);
});

void t.test('the metadata uses no request headers: neither Host nor X-Forwarded headers', async (t) => {
  const { anonymous, url } = await sharedForge(t);
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };
  t.equal(((await anonymous.get(paths.metadata, { headers })).body as { issuer: string }).issuer, url);
});

void t.test(
  'protected-resource metadata: 200 for every well-formed name, whether or not the repository exists',
  async (t) => {
    const forge = await sharedForge(t);
    const owner = await forge.createUser('owner');
    await owner.client.post('/api/v1/repos', { body: { name: 'hidden', visibility: 'private' } });
    for (const name of ['owner/hidden', 'owner/nothing', 'Nobody/Any.Thing_1']) {
      const answer = await forge.anonymous.get(`${resource}/${name}`);
      t.strictSame(
        [answer.status, answer.body, answer.headers.get('cache-control')],
        [
          200,
          {
            resource: `${forge.url}/api/v1/mcp/${name}`,
            authorization_servers: [forge.url],
            bearer_methods_supported: ['header'],
            scopes_supported: ['mcp:read'],
          },
          'no-store',
        ],
        name,
      );
    }
    t.equal((await forge.anonymous.get(`${resource}/owner/a%20b`)).status, 404, 'no repository can have such a name');
  },
);

void t.test('503 temporarily_unavailable while the authorization server is disabled, on every endpoint', async (t) => {
  const forge = await startTestForge(t);
  const user = await forge.createUser('visitor');
  await setSetting(forge, 'oauth2.enabled', 'false');
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  const form = { raw: 'token=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const answers = {
    metadata: await forge.anonymous.get(paths.metadata),
    openid: await forge.anonymous.get(openid),
    resource: await forge.anonymous.get(`${resource}/a/b`),
    consent: await user.client.get(paths.authorize),
    consentAnonymous: await forge.anonymous.get(paths.authorize),
    decisionAnonymous: await forge.anonymous.post(paths.authorize, { ...form, raw: 'decision=allow' }),
    userinfoAnonymous: await forge.anonymous.get(paths.userinfo),
    userinfoPostAnonymous: await forge.anonymous.post(paths.userinfo),
    tokenWithoutBody: await forge.anonymous.post(paths.token),
    decision: await user.client.post(paths.authorize, { ...form, raw: 'decision=allow' }),
    token: await forge.anonymous.post(paths.token, form),
    revoke: await forge.anonymous.post(paths.revoke, form),
    introspect: await forge.anonymous.post(paths.introspect, form),
    userinfo: await user.client.get(paths.userinfo),
    userinfoPost: await user.client.post(paths.userinfo),
    register: await forge.anonymous.post(paths.register, { body: {} }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    t.equal(answer.status, 503, what);
    t.match(answer.body, { error: 'temporarily_unavailable', error_description: /./ }, what);
  }
  t.equal(answers.userinfoAnonymous.headers.get('access-control-allow-origin'), '*', 'other pages may read the reason');
  // Users can still list their applications and revoke their grants.
  t.equal((await user.client.get(paths.apps)).status, 200);
  t.equal((await user.client.get(paths.grants)).status, 200);
  t.equal((await forge.anonymous.get(paths.apps)).status, 401);
});

void t.test('a base URL with a path: well-known names precede it (RFC 8414 and RFC 9728, section 3.1)', async (t) => {
  const issuer = 'https://forge.example/code/here';
  const { anonymous } = await startTestForge(t, { environment: { HEXFORGE_BASE_URL: issuer } });
  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const path of ['', '/code/here', '/code/here/']) {
      const answer = await anonymous.get(`/.well-known/${name}${path}`);
      t.strictSame([answer.status, (answer.body as { issuer?: string }).issuer], [200, issuer], name + path);
      t.equal(answer.headers.get('access-control-allow-origin'), '*');
      t.equal(answer.headers.get('cache-control'), 'no-store');
    }
  for (const path of ['/code', '/here', '/code/here/there', '/Code/here', '/code%2Fhere/x'])
    t.equal((await anonymous.get(`/.well-known/oauth-authorization-server${path}`)).status, 404, path);
  const answer = await anonymous.get('/.well-known/oauth-protected-resource/code/here/api/v1/mcp/a/b');
  t.match(
    [answer.status, answer.body],
    [200, { resource: `${issuer}/api/v1/mcp/a/b`, authorization_servers: [issuer] }],
  );
  for (const path of ['/code/here', '/code/here/api/v1/mcp/a', '/code/here/api/v1/mcp/a/b/c', '/x/api/v1/mcp/a/b'])
    t.equal((await anonymous.get(`/.well-known/oauth-protected-resource${path}`)).status, 404, path);
  const plain = await sharedForge(t);
  t.equal((await plain.anonymous.get('/.well-known/oauth-authorization-server/code')).status, 404);
});

void t.test('JWKS: only public members of RS256 keys, with kid', async (t) => {
  const { anonymous } = await sharedForge(t);
  const answer = await anonymous.get('/.well-known/jwks.json');
  t.equal(answer.status, 200);
  t.match(answer.headers.get('cache-control'), /max-age=300/);
  const { keys } = answer.body as { keys: Readonly<Record<string, unknown>>[] };
  t.equal(keys.length, 1);
  t.strictSame(Object.keys(keys[0] ?? {}).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
  t.match(keys[0], { alg: 'RS256', kty: 'RSA', use: 'sig', kid: /^\w{16}$/ });
  const again = (await anonymous.get('/.well-known/jwks.json')).body;
  t.strictSame(again, answer.body, 'the key is made once');
});

void t.test('CORS: preflights succeed for the endpoints that other pages may call, and for no others', async (t) => {
  const { anonymous } = await sharedForge(t);
  const preflight = (path: string) =>
    anonymous.request('OPTIONS', path, {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
  for (const path of [paths.token, paths.revoke, paths.userinfo, paths.metadata, openid, '/.well-known/jwks.json']) {
    const answer = await preflight(path);
    t.equal(answer.status, 204, path);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', path);
    t.match(answer.headers.get('access-control-allow-headers'), /Authorization, Content-Type/, path);
    t.equal(answer.headers.get('access-control-allow-credentials'), null, path);
  }
  for (const path of [paths.authorize, paths.introspect, paths.apps, '/api/v1/repos'])
    t.equal((await preflight(path)).headers.get('access-control-allow-origin'), null, path);
  const refused = await anonymous.post(paths.token, { headers: { origin: 'https://app.example' } });
  t.equal(refused.headers.get('access-control-allow-origin'), '*', 'also for refusals');
});
