// Tests the pages of settings, rate limits and the audit log.
import t from 'tap';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { testHost, type TestHost } from '#host/sdk/testing';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'vault.key': string;
    'vault.note': string;
  }
}

/** A text that would run if it were not escaped. */
const hostile = '<img src=x onerror="alert(1)">';

const vault = definePlugin({
  name: 'vault',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  settings: [
    { key: 'vault.key', type: 'string', default: '', sensitive: true, description: 'A secret' },
    { key: 'vault.note', type: 'string', default: 'empty', maxLength: 50, description: 'A note' },
  ],
});

type Browser = ReturnType<TestHost['browser']>;
type Page = Awaited<ReturnType<Browser['open']>>;

/** Sends the form of the page with this action. */
async function send(browser: Browser, page: Page, action: string, values: Readonly<Record<string, string>> = {}) {
  const index = page.forms.findIndex((form) => form.action === action);
  if (index < 0) throw new Error(`the page ${page.path} has no form ${action}`);
  return browser.submit(page, values, index);
}

void t.test('settings are changed and reset', async (t) => {
  await using forge = await testHost(vault, { settings: { 'oauth2.dcr.max_clients': 5 } });
  const admin = forge.browser('admin');
  const value = async (key: string) =>
    ((await forge.as('admin').get(`/admin/settings/${key}`)).body as { readonly value: string }).value;
  const list = await admin.open('/-/admin/settings');
  t.match(list.html, /<h2>identity<\/h2>[^]*<h2>vault<\/h2>/);
  const found = (await admin.open('/-/admin/settings?q=REGISTER')).html;
  t.match(found, 'signup.enabled');
  t.notMatch(found, 'vault.key');

  const at = (key: string): string => `/-/admin/settings/${key}`;
  const clients = await admin.open(at('oauth2.dcr.max_clients'));
  t.match(clients.html, /value="5"[^]*The value is a whole number from 0 to [^]*The default is: 1,000/);
  const refused = await send(admin, clients, at('oauth2.dcr.max_clients'), { value: '-1' });
  t.match(refused, { status: 422, html: /value="-1"[^]*id="value-error">Value must be a whole number/ });
  const kept = await send(admin, clients, at('oauth2.dcr.max_clients'), {});
  t.notMatch(kept.html, 'Reset', 'an unchanged value is not stored');
  const changed = await send(admin, clients, at('oauth2.dcr.max_clients'), { value: '7' });
  t.equal(await value('oauth2.dcr.max_clients'), '7');
  t.match(changed.html, /role="status">The setting is saved/);
  t.notMatch(clients.html, 'Reset');
  await send(admin, changed, `${at('oauth2.dcr.max_clients')}/reset`);
  t.equal(await value('oauth2.dcr.max_clients'), '5', 'the configured value applies');
  await send(admin, await admin.open(at('signup.enabled')), at('signup.enabled'), { value: 'true' });
  t.match(
    (await admin.open('/-/admin/settings')).html,
    /signup\.enabled[^]*on<\/bdi>\s*<span class="pill accent">changed/,
  );

  await send(admin, await admin.open(at('vault.key')), at('vault.key'), { value: 's3cret value' });
  const secret = await admin.open(at('vault.key'));
  t.match(secret.html, /type="password"/);
  t.notMatch(secret.html + (await admin.open('/-/admin/settings')).html, 's3cret');
  await send(admin, secret, at('vault.key'), { value: '' });
  t.equal(await forge.port('Settings').get('vault.key'), 's3cret value', 'an empty field keeps the secret');
  await send(admin, secret, `${at('vault.key')}/reset`);
  t.equal(await forge.port('Settings').get('vault.key'), '');

  const noted = await send(admin, await admin.open(at('vault.note')), at('vault.note'), { value: hostile });
  t.notMatch(noted.html, '<img');
  t.notMatch((await admin.open('/-/admin/settings')).html, '<img');
  await send(admin, noted, at('vault.note'), { value: '' });
  t.equal(await value('vault.note'), '', 'a text may be empty');
  t.equal((await admin.open(at('vault.none'))).status, 404);
  t.match((await forge.as('admin').delete('/admin/settings/vault.note')).status, 204);
  t.equal(await value('vault.note'), 'empty');
  t.equal((await forge.as('admin').delete('/admin/settings/vault.none')).status, 404);
});

void t.test('budgets, overrides and violations', async (t) => {
  await using forge = await testHost([], {
    metering: true,
    users: ['alice'],
    repositories: ['alice/site'],
  });
  const admin = forge.browser('admin');
  const general = '/-/admin/limits/groups/00000000-0000-4000-9000-000000000002/api.read';
  t.match((await admin.open('/-/admin/limits')).html, />3,000 in 60 s<\/a>/);
  const budget = await admin.open(general);
  t.match(await send(admin, budget, general, { window_seconds: '0', notes: hostile }), {
    status: 422,
    html: /id="window_seconds-error"[^]*&lt;img src=x/,
  });
  await send(admin, budget, general, { requests_per_window: '2000', burst: '10', notes: 'busy' });
  t.match((await admin.open('/-/admin/limits')).html, />2,000 \+ 10 in 60 s<\/a>\s*<span class="pill accent">changed/);
  await send(admin, await admin.open(general), `${general}/reset`);
  t.notMatch((await admin.open('/-/admin/limits')).html, 'changed');
  t.equal((await admin.open(general.replace('api.read', 'api.none'))).status, 404);

  const path = '/-/admin/limits/overrides';
  const form = await admin.open(`${path}/edit`);
  const rule = { requests_per_window: '3', reason: hostile };
  for (const [kind, target] of [
    ['users', 'nobody-at-all'],
    ['repos', 'alice/none'],
    ['repos', 'a/b/c'],
    ['apps', 'no id'],
  ] as const)
    t.match(
      await send(admin, form, `${path}/edit`, { ...rule, kind, target }),
      { status: 422, html: /id="target-error"/ },
      target,
    );
  const wide = await send(admin, form, `${path}/edit`, { ...rule, target: 'alice', requests_per_window: '900000' });
  t.match(wide, { status: 422, html: /The override is wider/ });
  const set = await send(admin, form, `${path}/edit`, { ...rule, target: 'alice' });
  t.equal(set.path, `${path}?kind=users`);
  t.match(set.html, /<bdi>alice<\/bdi>[^]*3 in 60 s[^]*&lt;img src=x/);
  const { id } = await forge.repository('alice/site');
  await send(admin, form, `${path}/edit`, { ...rule, kind: 'repos', target: 'alice/site' });
  t.match((await admin.open(`${path}?kind=repos`)).html, id);
  const [, edit = ''] = /href="(\/-\/admin\/limits\/overrides\/edit\?kind=users[^"]*target[^"]*)"/.exec(set.html) ?? [];
  const again = await admin.open(edit.replaceAll('&amp;', '&'));
  t.match(again.html, /<h1><bdi>alice<\/bdi>, api\.read/);
  await send(admin, again, `${path}/edit`, { requests_per_window: '2' });
  t.match((await admin.open(path)).html, '2 in 60 s');

  const alice = forge.as('alice');
  const refused = async () => (await alice.get('/user')).status === 429;
  for (let sent = 0; sent < 10 && !(await refused());) sent += 1;
  const violations = await admin.open('/-/admin/limits/violations');
  t.match(violations.html, /href="\/alice"[^]*api\.read[^]*<bdi>\/api\/v1\/[^<]*<\/bdi>/);
  const file = await admin.open('/-/admin/limits/violations.csv');
  t.match(file.headers, { 'content-type': /^text\/csv/, 'content-disposition': /attachment/ });
  t.equal(String(file.body), String((await forge.as('admin').get('/admin/rate-limits/violations.csv')).body));
  await send(admin, await admin.open(path), `${path}/delete`);
  t.match((await admin.open(path)).html, /There is no override of this kind/);
});

void t.test('the audit log with filters, one entry, and the export', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'zoe'] });
  const admin = forge.browser('admin');
  const { id } = await forge.user('zoe');
  await forge.as('admin').patch(`/admin/users/${id}`, { json: { display_name: 'Z' } });
  await forge
    .as('admin')
    .put('/admin/settings/oauth2.dcr.redirect_allowlist', { json: { value: 'https://a.example' } });
  const actions = async (query: string): Promise<readonly string[]> => {
    const { html } = await admin.open(`/-/admin/audit?${query}`);
    return [...html.matchAll(/\?action=[\w.]+">([\w.]+)<\/a>/g)].map(([, action = '']) => action);
  };
  t.strictSame(await actions(`resource=user%3A${id}`), ['user.updated', 'user.created']);
  t.strictSame(await actions(`resource=user%3A${id}&action=user.cr&actor=ADMIN&from=&to=`), ['user.created']);
  t.strictSame(await actions('from=2026-01-02'), []);
  t.ok((await actions('from=2026-01-01&to=2026-01-01')).length > 10);
  t.equal((await admin.open('/-/admin/audit?from=yesterday')).status, 400);
  t.match((await forge.as('admin').get(`/admin/audit-log?resource=user:${id}`)).body, { total: 2 });

  const { html } = await admin.open('/-/admin/audit?action=setting');
  const [, entry = ''] = /href="(\/-\/admin\/audit\/\d+)"/.exec(html) ?? [];
  t.match((await admin.open(entry)).html, /setting:oauth2\.dcr\.redirect_allowlist[^]*https:\/\/a\.example/);
  t.equal((await admin.open('/-/admin/audit/999999')).status, 404);
  t.equal((await admin.open('/-/admin/audit/none')).status, 400);
  t.match(html, /href="\/-\/admin\/audit\.jsonl\?action=setting"/);
  const file = await admin.open('/-/admin/audit.jsonl?action=user.');
  t.match(file.headers['content-disposition'], /attachment/);
  const lines = file.bytes.length === 0 ? [] : Buffer.from(file.bytes).toString().trimEnd().split('\n');
  const rest = (await forge.as('admin').get('/admin/audit-log?action=user.')).body as {
    readonly entries: readonly unknown[];
  };
  t.same(
    lines.map((line) => JSON.parse(line) as unknown),
    rest.entries.slice(-lines.length),
  );
  t.ok(lines.length >= 3);
});
