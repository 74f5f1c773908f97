// Tests the pages of sign-in providers: the buttons, linking and unlinking, and the tests by administrators.
import t from 'tap';
import { definePlugin, type DirectoryUser } from 'hexforge/plugin';
import { testHost, type TestHost } from '#host/sdk/testing';
import type { Browser, Page } from '#host/sdk/testing/browser';
import { client, startOpenidProvider, type Issuer } from '#test/support/servers/openid-provider';

const provider = await startOpenidProvider();
t.teardown(() => provider.stop());

/** A directory that accepts the password "right". Names are their own ids. */
const corp = definePlugin({
  name: 'corp',
  version: '1.0.0',
  api: '*',
  provides: {
    PasswordDirectory: () => ({
      displayName: 'Corporation',
      async check(username, password) {
        const user: DirectoryUser = { username, subject: username };
        return password === 'right' ? user : undefined;
      },
      async inspect(username, password) {
        const found = { title: 'Search', outcome: 'good', about: `1 entry for "${username}"` } as const;
        if (password === undefined) return { steps: [found], user: undefined };
        return password === 'right'
          ? { steps: [found], user: { username, subject: username } }
          : { steps: [found, { title: 'Password', outcome: 'bad', about: 'refused' }], user: undefined };
      },
    }),
  },
});

const settingsOf = (issuer: string): Readonly<Record<string, unknown>> => ({
  'oauth.oidc.enabled': true,
  'oauth.oidc.client_id': client.id,
  'oauth.oidc.client_secret': client.secret,
  'oauth.oidc.issuer': issuer,
  'oauth.oidc.display_name': 'Our <b>accounts</b>',
});

const opened = async () => {
  const issuer = provider.issuer();
  const forge = await testHost([corp], { settings: settingsOf(issuer.issuer) });
  return { forge, issuer };
};

/** The index of the form that is sent to this path. */
const at = ({ forms }: Page, action: string): number => forms.findIndex((form) => form.action === action);

/** Returns from the provider to which a page or a redirect has led. */
function back(browser: Browser, issuer: Issuer, url: string): Promise<Page> {
  const { code, state, iss } = issuer.approve(url);
  const query = new URLSearchParams({ code, state, iss }).toString();
  return browser.open(`/api/v1/auth/oauth/oidc/callback?${query}`);
}

const refreshOf = (page: Page): string => String(page.headers['refresh'] ?? '').replace('0; url=', '');

const signIn = async (forge: TestHost, issuer: Issuer): Promise<Browser> => {
  const browser = forge.browser();
  const { headers } = await browser.open('/api/v1/auth/oauth/oidc/start?return_to=%2F-%2Fkeys');
  const page = await back(browser, issuer, String(headers['location']));
  t.match(page, { status: 200, path: '/-/keys' });
  return browser;
};

void t.test('the sign-in page has a button for each redirect, and names the directories', async (t) => {
  const { forge } = await opened();
  await using _ = forge;
  const { html } = await forge.browser().open('/-/sign-in?return_to=%2Fada');
  t.match(html, /href="\/api\/v1\/auth\/oauth\/oidc\/start\?return_to=%2Fada"[^]*Our &lt;b&gt;accounts/);
  t.match(html, /Your name and password of Corporation are accepted too/);
  const browser = forge.browser();
  const signedIn = await browser.submit(await browser.open('/-/sign-in'), { username: 'carol', password: 'right' });
  t.match(signedIn.html, /You are signed in as carol/);
});

void t.test('without a provider nothing of them is left', async (t) => {
  await using forge = await testHost([]);
  t.notMatch((await forge.browser().open('/-/sign-in')).html, /Sign in with|accepted too/);
  const { html } = await forge.browser('ada').open('/-/settings/identities');
  t.match(html, /No identity is linked/);
  t.notMatch(html, /<h2|Link an/);
});

void t.test('a user links an identity of a redirect and one of a directory, and unlinks them', async (t) => {
  const { forge, issuer } = await opened();
  await using _ = forge;
  const eve = forge.browser('eve');
  const page = await eve.open('/-/settings/identities');
  const leaving = await eve.submit(page, {}, at(page, '/-/settings/identities/oidc/link'));
  t.match(leaving, { status: 200, html: /Going on to Our &lt;b&gt;accounts/ });
  const linked = await back(eve, issuer, refreshOf(leaving));
  t.match(linked, { path: '/-/settings/identities?done=linked', html: /The identity is linked[^]*<bdi>ada<\/bdi>/ });
  const directory = at(linked, '/-/settings/identities/corp/link');
  const refused = await eve.submit(linked, { username: 'e.ve', password: 'wrong' }, directory);
  t.match(refused, { status: 403, html: /The username or password is wrong/ });
  t.notMatch(refused.html, /"wrong"/);
  const both = await eve.submit(linked, { username: 'e.ve', password: 'right' }, directory);
  t.match(both.html, /<bdi>Corporation<\/bdi>[^]*<bdi>e\.ve<\/bdi>/);
  const unlink = both.forms.findIndex(({ action }) => action.endsWith('/unlink'));
  const one = await eve.submit(both, {}, unlink);
  t.equal(one.forms.filter(({ action }) => action.endsWith('/unlink')).length, 1);

  const mallory = forge.browser('mallory');
  const form = await mallory.open('/-/settings/identities');
  t.match(
    await mallory.submit(form, { username: 'e.ve', password: 'right' }, at(form, '/-/settings/identities/corp/link')),
    {
      status: 422,
      html: /linked to another account/,
    },
  );
});

void t.test('an account without a password keeps its last identity, and can set a password', async (t) => {
  const { forge, issuer } = await opened();
  await using _ = forge;
  const ada = await signIn(forge, issuer);
  const page = await ada.open('/-/settings/identities');
  t.match(page.html, /has no password/);
  const unlink = page.forms.findIndex(({ action }) => action.endsWith('/unlink'));
  t.match(await ada.submit(page, {}, unlink), { status: 422, html: /only way to sign in/ });
  const form = await ada.open('/-/settings/password');
  t.notMatch(form.html, /current_password/);
  const index = at(form, '/-/settings/password');
  t.match(await ada.submit(form, { new_password: 'a long password' }, index), {
    path: '/-/settings/password?done=changed',
  });
  t.match((await ada.open('/-/settings/password')).html, /current_password/);
});

void t.test('a provider that is down answers with a page that has a way back', async (t) => {
  await using forge = await testHost([], { settings: settingsOf('http://127.0.0.1:9') });
  const start = '/auth/oauth/oidc/start';
  const headers = { accept: 'text/html' };
  for (const [query, path] of [
    ['?return_to=%2Fada%2F%22%3Eb', '/-/sign-in?return_to=%2Fada%2F%22%3Eb'],
    ['', '/-/sign-in'],
  ] as const) {
    const { status, body } = await forge.anonymous.get(start + query, { headers });
    t.equal(status, 502);
    t.match(body, 'does not work at the moment');
    t.match(body, `href="${path}"`);
  }
  t.match((await forge.anonymous.get(start)).body, { error_code: 'provider_unavailable' });
  const ada = forge.browser('ada');
  const page = await ada.open('/-/settings/identities');
  const refused = await ada.submit(page, {}, at(page, '/-/settings/identities/oidc/link'));
  t.match(refused, { status: 502, html: /role="alert"><b>[^]*does not work at the moment[^]*Link an identity/ });
});

void t.test('administrators see the providers, check one, and test it without signing in', async (t) => {
  const { forge, issuer } = await opened();
  await using _ = forge;
  const admin = forge.browser('admin');
  const list = await admin.open('/-/admin/sign-in');
  t.match(list.html, /Corporation[^]*GitHub[^]*Our &lt;b&gt;accounts/);
  const checked = await admin.open('/-/admin/sign-in/oidc?check=yes');
  t.match(checked.html, /oauth\/oidc\/callback/);
  t.match(checked.html, /Token endpoint[^]*[Kk]eys/);
  t.notMatch(checked.html, new RegExp(client.secret));
  t.match((await admin.open('/-/admin/sign-in/github?check=yes')).html, /The client id is not set/);
  const before = (await forge.as('admin').get('/admin/users')).body as { total: number };
  const leaving = await admin.submit(checked, {}, at(checked, '/-/admin/sign-in/oidc/test'));
  const report = await back(admin, issuer, refreshOf(leaving));
  t.match(report, { path: '/-/admin/sign-in/oidc', html: /Last test[^]*would create the account &quot;ada&quot;/ });
  t.match(report.html, /<code>preferred_username<\/code>/);
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`claim_${index}`, '李'.repeat(80)]));
  issuer.falsify({ claims: (claims) => ({ ...claims, ...long }) });
  const large = await admin.submit(checked, {}, at(checked, '/-/admin/sign-in/oidc/test'));
  t.match((await back(admin, issuer, refreshOf(large))).html, /Last test[^]*李/);
  t.ok(String(admin.cookies['svc_sign_in_test']).length < 4000, 'browsers drop larger cookies');
  issuer.falsify({ claims: (claims) => ({ ...claims, nonce: 'another' }) });
  const again = await admin.submit(checked, {}, at(checked, '/-/admin/sign-in/oidc/test'));
  t.match((await back(admin, issuer, refreshOf(again))).html, /provider_answer_invalid/);
  t.strictSame((await forge.as('admin').get('/admin/users')).body, before);
  t.match((await admin.open('/-/keys')).html, /admin/, 'the session is still that of the administrator');
  t.match(await forge.browser('plain').open('/-/admin/sign-in/oidc'), { status: 403 });
  t.match(await admin.open('/-/admin/sign-in/nobody'), { status: 404 });
});

void t.test('administrators test a directory step by step', async (t) => {
  const { forge } = await opened();
  await using _ = forge;
  const admin = forge.browser('admin');
  const page = await admin.open('/-/admin/sign-in/corp');
  const index = at(page, '/-/admin/sign-in/corp/try');
  const tried = (values: Readonly<Record<string, string>>) => admin.submit(page, values, index);
  t.match(
    (await tried({ username: 'carol', password: 'right' })).html,
    /1 entry for &quot;carol&quot;[^]*would create the account/,
  );
  t.match((await tried({ username: 'admin', password: 'right' })).html, /that of another account: &quot;admin&quot;/);
  t.match((await tried({ username: 'carol', password: 'wrong' })).html, /failed[^]*refused/);
  t.notMatch((await tried({ username: 'carol', password: '' })).html, /would create/);
  t.match((await tried({ username: 'two  spaces', password: 'right' })).html, /never sent/);
  t.equal((await forge.as('admin').get('/users/carol')).status, 404);
});

void t.test('settings are saved at once; one that could lock the administrator out asks first', async (t) => {
  const { forge, issuer } = await opened();
  await using _ = forge;
  const admin = forge.browser('admin');
  const page = await admin.open('/-/admin/sign-in/oidc');
  const index = at(page, '/-/admin/sign-in/oidc/edit');
  const refused = await admin.submit(page, { setting_3: 'http://id.example.com' }, index);
  t.match(refused, { status: 422, html: /id="setting_3-error"/ });
  t.notMatch(refused.html, new RegExp(client.secret));
  const saved = await admin.submit(page, { setting_4: 'Staff' }, index);
  t.match(saved, { path: '/-/admin/sign-in/oidc?done=saved', html: /<h1>Staff/ });
  await signIn(forge, issuer);
  const ada = await signIn(forge, issuer);
  const { users } = (await forge.as('admin').get('/admin/users')).body as { users: { id: string; username: string }[] };
  const { id } = users.find(({ username }) => username === 'ada') ?? { id: '' };
  await forge.as('admin').patch(`/admin/users/${id}`, { json: { is_admin: true } });
  const own = await ada.open('/-/admin/sign-in/oidc');
  t.match(own.html, /only way to sign in/);
  const edit = at(own, '/-/admin/sign-in/oidc/edit');
  t.match(await ada.submit(own, { setting_0: 'false' }, edit), { status: 422, html: /You could lock yourself out/ });
  t.match(await ada.submit(own, { setting_0: 'false', confirm: 'true' }, edit), { status: 200 });
  t.notMatch((await forge.browser().open('/-/sign-in')).html, /Sign in with/);
});
