// Tests the pages of applications: those of their owner, what a user has granted, and their administration.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import type { Page } from '#host/sdk/testing/browser';

const hostile = '<img src=x onerror="alert(1)">';
const callback = 'https://app.example/callback';
const own = '/-/settings/applications';
const all = '/-/admin/applications';

const withoutSpaces = (html: string): string => html.replaceAll(/\s+/g, ' ');
/** The index of the form that is sent to this path. */
const at = ({ forms }: Page, action: string): number => forms.findIndex((form) => form.action === action);

interface App {
  readonly id: string;
  readonly client_id: string;
  readonly name: string;
}

const apps = async (forge: TestHost, username: string): Promise<readonly App[]> =>
  ((await forge.as(username).get('/user/oauth2/apps')).body as { readonly items: readonly App[] }).items;

/** Lets the user approve the application by REST. */
async function approve(forge: TestHost, username: string, { client_id: clientId }: App): Promise<void> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'read:user mcp:read',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const { status } = await forge.as(username).post(`/oauth2/authorize?${query.toString()}`, {
    body: 'decision=approve&remember=true&scope=read%3Auser+mcp%3Aread',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (status !== 200) throw new Error(`the approval answered ${String(status)}`);
}

void t.test('applications and grants', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'bob'] });
  const alice = forge.browser('alice');
  const bob = forge.browser('bob');
  const values = { name: hostile, redirect_uris: `${callback}\r\nhttps://app.example/other`, homepage_url: '' };

  await t.test('an application is created, and its secret shown once', async (t) => {
    t.match((await alice.open(own)).html, /You have no application/);
    const page = await alice.open(`${own}/new`);
    const wrong = await alice.submit(page, {
      ...values,
      redirect_uris: 'ftp://x',
      homepage_url: 'javascript:alert(1)',
    });
    t.match(wrong, { status: 422, html: /id="homepage_url-error">Homepage is an https URL/ });
    t.match(wrong.html, />\s*ftp:\/\/x<\/textarea>/);
    const created = await alice.submit(page, values);
    t.match([created.status, created.headers['cache-control']], [200, 'no-store']);
    const [, secret = ''] = /id="client-secret" value="([0-9A-Za-z]{20,})"/.exec(created.html) ?? [];
    t.ok(secret);
    const [app] = await apps(forge, 'alice');
    t.match(app, { name: hostile, redirect_uris: [callback, 'https://app.example/other'], confidential: true });
    for (const path of [own, `${own}/${app?.id}`]) {
      const { html } = await alice.open(path);
      t.notOk(html.includes(secret), path);
      t.notMatch(html, /<img/, path);
    }
  });

  const [app] = await apps(forge, 'alice');
  if (app === undefined) throw new Error('alice has no application');
  const path = `${own}/${app.id}`;

  await t.test('its owner changes it; for others it is missing', async (t) => {
    const page = await alice.open(path);
    const saved = await alice.submit(page, { description: 'One\r\ntwo' }, at(page, path));
    t.match(saved, { status: 200, html: /role="status">The application is saved/ });
    t.match((await apps(forge, 'alice'))[0], { name: hostile, description: 'One\ntwo', redirect_uris: { length: 2 } });
    const refused = await alice.submit(page, { redirect_uris: 'https://a b' }, at(page, path));
    t.match(refused, { status: 422, html: /id="redirect_uris-error"/ });
    for (const open of [bob, forge.browser('admin')]) t.equal((await open.open(path)).status, 404);
    for (const form of ['', '/secret', '/delete']) {
      const sent = await bob.request('POST', new URL(path + form, forge.url), {
        body: new URLSearchParams({ ...values, confirm: hostile }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      t.equal(sent.status, 404, form);
    }
    t.equal((await alice.open(`${own}/nothing`)).status, 400);
    const token = forge.as('alice', { scopes: ['admin:system'] });
    t.equal((await token.get(new URL(path, forge.url))).status, 403, 'a token');
  });

  await t.test('another secret is shown once', async (t) => {
    const page = await alice.open(path);
    const rotated = await alice.submit(page, {}, at(page, `${path}/secret`));
    t.match([rotated.status, rotated.html], [200, /id="client-secret" value="[0-9A-Za-z]{20,}"/]);
  });

  await t.test('a user sees what is granted, in words, and takes it back', async (t) => {
    t.match((await bob.open('/-/settings/grants')).html, /You have granted no application access/);
    // The browser of these tests sends one value of a repeated field.
    await forge.as('alice').patch(`/user/oauth2/apps/${app.id}`, { json: { scopes: ['read:user', 'mcp:read'] } });
    await approve(forge, 'bob', app);
    const page = await bob.open('/-/settings/grants');
    t.match(withoutSpaces(page.html), /<li>read your account <code>read:user<\/code><\/li>/);
    t.match(page.html, /not asked again/);
    t.notMatch(page.html, /<img/);
    const revoke = `/-/settings/grants/${app.client_id}/revoke`;
    await alice.open('/-/keys');
    t.equal((await alice.request('POST', new URL(revoke, forge.url))).status, 404, 'alice has granted nothing');
    t.match(await bob.submit(page, {}, at(page, revoke)), { status: 200, html: /You have granted no application/ });
  });

  await t.test('administrators find, suspend and delete it', async (t) => {
    const admin = forge.browser('admin');
    for (const username of [undefined, 'bob']) {
      const answer = await forge.browser(username).open(all);
      t.match([answer.status, answer.path], username === undefined ? [200, /^\/-\/sign-in/] : [403, all]);
    }
    t.match((await admin.open(`${all}?q=onerror`)).html, new RegExp(`href="${all}/${app.id}"`));
    t.match((await admin.open(`${all}?q=nothing`)).html, /No application has such a name/);
    await approve(forge, 'bob', app);
    const one = `${all}/${app.id}`;
    const page = await admin.open(one);
    t.match(page.html, /href="\/bob"/, 'who has granted it access');
    t.notMatch(page.html, /<img/);
    const suspended = await admin.submit(page, {}, at(page, `${one}/suspend`));
    t.match(suspended, { status: 200, path: one, html: /suspended[^]*Nobody has granted it access/ });
    t.match((await alice.open(path)).html, /It is suspended/);
    const resumed = await admin.submit(suspended, {}, at(suspended, `${one}/unsuspend`));
    t.notMatch(resumed.html, /suspended</);
    t.match(withoutSpaces((await admin.open(`${one}/audit`)).html), /oauth_app\.unsuspended.*oauth_app\.suspended/);
    const wrong = await admin.submit(page, { confirm: 'another' }, at(page, `${one}/delete`));
    t.match(wrong, { status: 422, html: /id="adminApplicationRemove-error"[^]*Delete/ });
    t.match(wrong.html, /<details class="disclosure" open>/);
    t.match(await admin.submit(page, { confirm: hostile }, at(page, `${one}/delete`)), { status: 200, path: all });
    t.strictSame(await apps(forge, 'alice'), []);
  });

  await t.test('its owner deletes it by its name', async (t) => {
    const form = await alice.open(`${own}/new`);
    const created = await alice.submit(form, { ...values, name: 'Command line', confidential: 'false' });
    t.match(created.html, /It has no secret/);
    const [{ id } = { id: '' }] = await apps(forge, 'alice');
    const page = await alice.open(`${own}/${id}`);
    t.equal(at(page, `${own}/${id}/secret`), -1, 'a public application has no secret');
    const remove = at(page, `${own}/${id}/delete`);
    t.equal((await alice.submit(page, { confirm: 'command line' }, remove)).status, 422);
    t.match(await alice.submit(page, { confirm: 'Command line' }, remove), { status: 200, path: own });
    t.strictSame(await apps(forge, 'alice'), []);
  });
});
