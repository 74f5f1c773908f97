// Tests that a sign-in by redirect begins in one of two processes and ends in the other, and that its answer is used
// once. With the embedded database there is one process.
import t from 'tap';
import { Visitor } from '#test/support/clients/visitor';
import { startTestForge } from '#test/support/forge';
import { client, startOpenidProvider } from '#test/support/servers/openid-provider';
import { identityProviderKeys, samlAnswer } from '#test/support/servers/saml-identity-provider';
import { idpMetadata } from '#test/support/servers/saml-oracle';
import { sharedServers } from '#test/support/servers/shared-servers';

const base = 'https://forge.example.com';

void t.test('two processes share the sign-ins of browsers', { timeout: 240_000 }, async (t) => {
  const provider = await startOpenidProvider();
  t.teardown(() => provider.stop());
  const issuer = provider.issuer();
  const keys = await identityProviderKeys('Test');
  const seed = await startTestForge(t);
  await seed.stop();
  const { clients } = await sharedServers(t, seed, { HEXFORGE_PLUGINS: '+saml', HEXFORGE_BASE_URL: base });
  const [one, other = one] = clients();
  if (one === undefined || other === undefined) throw new Error('no server');
  const login = await one.post('/api/v1/auth/login', { body: seed.admin });
  const root = one.with({ authorization: `Bearer ${(login.body as { access_token: string }).access_token}` });
  const settings = {
    'oauth.oidc.client_id': client.id,
    'oauth.oidc.client_secret': client.secret,
    'oauth.oidc.issuer': issuer.issuer,
    'oauth.oidc.enabled': 'true',
    'saml.idp_metadata': idpMetadata({ keys: [['signing', keys.certificate]] }),
    'saml.enabled': 'true',
  };
  for (const [key, value] of Object.entries(settings))
    t.equal((await root.put(`/api/v1/admin/settings/${key}`, { body: { value } })).status, 200, key);
  // A change is visible within a second in other processes.
  await new Promise((resolve) => setTimeout(resolve, 1100));

  /** Begins in one process: the URL at the provider, and the cookie. */
  const begun = async (path: string) => {
    const answer = await one.get(path);
    t.equal(answer.status, 302, path);
    const visitor = new Visitor();
    visitor.keep(base, answer.headers.getSetCookie());
    return { url: answer.headers.get('location') ?? '', cookie: `svc_sign_in=${visitor.cookie(base, 'svc_sign_in')}` };
  };
  const statuses = async (ends: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(ends)).map(({ status }) => status).toSorted();

  await t.test('an OpenID provider', async (t) => {
    const { url, cookie } = await begun('/api/v1/auth/oauth/oidc/start');
    const { code, state, iss } = issuer.approve(url);
    const path = `/api/v1/auth/oauth/oidc/callback?${new URLSearchParams({ code, state, iss }).toString()}`;
    const end = (at: typeof one) => at.get(path, { headers: { cookie } });
    t.strictSame(await statuses([end(other), end(one), end(other), end(one)]), [303, 403, 403, 403]);
  });

  await t.test('a SAML identity provider', async (t) => {
    const { url, cookie } = await begun('/api/v1/auth/saml/start');
    const raw = new URLSearchParams(samlAnswer(base, url, 'sam', keys)).toString();
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const end = (at: typeof one) => at.post('/saml/acs', { raw, headers });
    t.strictSame(await statuses([end(other), end(one), end(other)]), [303, 403, 403]);
    t.match(await end(other), { status: 403, body: { error_code: 'saml_replayed' } });
  });
});
