// Tests of "Signing in through others" with SAML: metadata, start, the answer in one and two steps, and accounts.
import t, { type Test } from 'tap';
import { Visitor } from '#test/support/clients/visitor';
import { startTestForge, type TestForge } from '#test/support/forge';
import {
  identityProviderKeys,
  postSaml,
  samlAnswer,
  type SamlForm,
} from '#test/support/servers/saml-identity-provider';
import { idpMetadata } from '#test/support/servers/saml-oracle';

const [keys, otherKeys] = await Promise.all([identityProviderKeys('Test'), identityProviderKeys('Other')]);
const html = { accept: 'text/html,*/*;q=0.8' };
const environment = { HEXFORGE_PLUGINS: '+saml' };
const settings = {
  'saml.enabled': true,
  'saml.display_name': 'Campus',
  'saml.idp_metadata': idpMetadata({ keys: [['signing', keys.certificate]] }),
};

/** The form with which the page of the identity provider answers a request. */
function formOf({ url }: TestForge, started: Response, name = 'ada', by = keys): SamlForm {
  return samlAnswer(url, started.headers.get('location') ?? '', name, by);
}

const start = ({ url }: TestForge, visitor: Visitor, query = ''): Promise<Response> =>
  visitor.get(`${url}/api/v1/auth/saml/start${query}`);

const post = ({ url }: TestForge, form: SamlForm | Record<string, string>, headers: Record<string, string> = {}) =>
  postSaml(url, form, headers);

async function signIn(forge: TestForge, { name = 'ada', query = '', headers = {} } = {}) {
  const visitor = new Visitor();
  const posted = await post(forge, formOf(forge, await start(forge, visitor, query), name), headers);
  const location = posted.headers.get('location') ?? '';
  return { visitor, posted, answer: await visitor.get(new URL(location, forge.url).href, headers) };
}

const sessionOf = ({ as, url }: TestForge, visitor: Visitor) => as(visitor.cookie(url, 'svc_access_token') ?? '');

const codeOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  ((await answer.json()) as { readonly error_code: unknown }).error_code,
];

const opened = (t: Test, over: object = {}): Promise<TestForge> =>
  startTestForge(t, { database: 'memory', environment, configuration: { settings: { ...settings, ...over } } });

void t.test('a browser signs in, and again, in the account of its name', async (t) => {
  const forge = await opened(t);
  t.strictSame((await forge.anonymous.get('/api/v1/auth/providers')).body, {
    items: [{ id: 'saml', kind: 'redirect', display_name: 'Campus', start_url: `${forge.url}/api/v1/auth/saml/start` }],
  });
  const metadata = await (await fetch(`${forge.url}/saml/metadata`)).text();
  t.match(metadata, `entityID="${forge.url}/saml/metadata"`);
  t.match(metadata, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress');
  const { visitor, posted, answer } = await signIn(forge, { query: '?return_to=/-/keys', headers: html });
  t.match(posted.headers.get('location'), /^\/saml\/acs\?ticket=/);
  t.strictSame([answer.status, answer.headers.get('location')], [303, '/-/keys']);
  const me = (await sessionOf(forge, visitor).get('/api/v1/auth/me')).body as { id: string };
  t.match(me, { username: 'ada', email: 'ada@example.org', display_name: 'Ada Lovelace' });
  const again = await signIn(forge);
  t.match((await sessionOf(forge, again.visitor).get('/api/v1/auth/me')).body, { id: me.id });
  t.match(await (await new Visitor().get(`${forge.url}/-/sign-in`, html)).text(), /Sign in with Campus/);
});

void t.test('a client that sends the cookie finishes in one step; the same answer is a replay', async (t) => {
  const forge = await opened(t);
  const visitor = new Visitor();
  const form = formOf(forge, await start(forge, visitor));
  const cookie = `svc_sign_in=${visitor.cookie(forge.url, 'svc_sign_in')}`;
  const once = await post(forge, form, { cookie });
  t.equal(once.status, 303);
  t.match(once.headers.getSetCookie().join('\n'), /svc_access_token=/);
  t.strictSame(await codeOf(await post(forge, form, { cookie })), [403, 'saml_replayed']);
  t.strictSame(await codeOf(await post(forge, form)), [403, 'saml_replayed']);
});

void t.test('another browser, another request and another key are refused', async (t) => {
  const forge = await opened(t);
  const mine = new Visitor();
  const form = formOf(forge, await start(forge, mine));
  const ticket = (await post(forge, form)).headers.get('location') ?? '';
  const victim = new Visitor();
  await start(forge, victim);
  t.strictSame(await codeOf(await victim.get(forge.url + ticket)), [403, 'sign_in_not_started'], 'login CSRF');
  const shown = await victim.get(forge.url + ticket, html);
  t.equal(shown.headers.get('location'), '/-/sign-in?error=sign_in_not_started');
  const other = formOf(forge, await start(forge, mine));
  const mixed = (await post(forge, { ...other, RelayState: form.RelayState })).headers.get('location') ?? '';
  t.strictSame(await codeOf(await mine.get(forge.url + mixed)), [403, 'saml_in_response_to']);
  const forged = formOf(forge, await start(forge, mine), 'ada', otherKeys);
  t.strictSame(await codeOf(await post(forge, forged)), [403, 'saml_signature']);
  const told = await post(forge, forged, html);
  const end = await mine.get(new URL(told.headers.get('location') ?? '', forge.url).href, html);
  t.equal(end.headers.get('location'), '/-/sign-in?error=saml_signature');
  const page = await mine.get(new URL(end.headers.get('location') ?? '', forge.url).href, html);
  t.match(await page.text(), /The answer of the provider was refused[^]*saml_signature/);
  t.strictSame(await codeOf(await post(forge, { SAMLResponse: 'AAAA' })), [403, 'saml_malformed']);
  t.strictSame(await codeOf(await post(forge, { RelayState: 'x' })), [400, 'validation_failed']);
});

void t.test('while it is switched off start is 404, and so is everything without the plugin', async (t) => {
  const forge = await opened(t, { 'saml.enabled': false });
  t.equal((await start(forge, new Visitor())).status, 404);
  t.equal((await fetch(`${forge.url}/saml/metadata`)).status, 200);
  t.strictSame((await forge.anonymous.get('/api/v1/auth/providers')).body, { items: [] });
  const without = await startTestForge(t, { database: 'memory' });
  for (const path of ['/saml/metadata', '/saml/acs?ticket=x', '/api/v1/auth/saml/start'])
    t.equal((await fetch(without.url + path)).status, 404, path);
  t.equal((await post(without, { SAMLResponse: 'AAAA' })).status, 405, 'as for any other path of two names');
});

void t.test('an account links the identity, and an administrator tests the provider', async (t) => {
  const forge = await opened(t);
  const owner = await forge.createUser('ada');
  t.strictSame(await codeOf((await signIn(forge)).answer), [403, 'account_exists']);
  const linking = await owner.client.post('/api/v1/user/identities/saml', { body: {} });
  const visitor = new Visitor();
  visitor.keep(forge.url, linking.headers.getSetCookie());
  const { redirect_url: location } = linking.body as { redirect_url: string };
  const posted = await post(forge, formOf(forge, new Response(null, { headers: { location } })));
  const linked = await visitor.get(new URL(posted.headers.get('location') ?? '', forge.url).href);
  t.equal(linked.headers.get('location'), '/-/settings/identities?done=linked');
  t.match((await sessionOf(forge, (await signIn(forge)).visitor).get('/api/v1/auth/me')).body, { id: owner.id });
  const { items } = (await owner.client.get('/api/v1/user/identities')).body as { items: object[] };
  t.match(items, [{ provider: 'saml', subject_hint: 'ada' }]);
});

void t.test('a delegated administrator cannot choose who vouches for the users', async (t) => {
  const forge = await opened(t);
  const root = await forge.administrator();
  const bob = await forge.createUser('bob');
  const scopes = `/api/v1/admin/users/${bob.id}/admin-scopes`;
  await root.post(scopes, { body: { scope: 'admin:settings' } });
  const value = idpMetadata({ keys: [['signing', otherKeys?.certificate ?? '']] });
  const put = (client: typeof root, key: string, text: string) =>
    client.put(`/api/v1/admin/settings/${key}`, { body: { value: text } });
  t.equal((await put(bob.client, 'saml.display_name', 'School')).status, 200);
  t.equal((await put(bob.client, 'saml.idp_metadata', value)).status, 403);
  t.equal((await put(bob.client, 'saml.idp_metadata_url', 'https://idp.example/metadata')).status, 403);
  t.equal((await put(root, 'saml.idp_metadata', value)).status, 200);
  t.equal((await bob.client.delete('/api/v1/admin/settings/saml.idp_metadata')).status, 403);
});

void t.test('assertions and tickets are in no log, audit entry or answer', async (t) => {
  const forge = await opened(t);
  const visitor = new Visitor();
  const form = formOf(forge, await start(forge, visitor));
  const ticket = (await post(forge, form)).headers.get('location') ?? '';
  await visitor.get(forge.url + ticket);
  const forged = formOf(forge, await start(forge, visitor), 'ada', otherKeys);
  await post(forge, forged);
  const root = await forge.administrator();
  const audit = (await root.get('/api/v1/admin/audit-log?per_page=100')).text;
  t.match(audit, /"provider":"saml"/);
  const secrets = [form.SAMLResponse, forged.SAMLResponse, ticket, form.RelayState].map((text) => text.slice(-40));
  for (const secret of secrets)
    for (const text of [forge.output.stderr, forge.output.stdout, audit]) t.notOk(text.includes(secret));
});
