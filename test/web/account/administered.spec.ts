// Tests what administrators see of accounts by their scopes, and that they act on what was shown.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import type { Page } from '#host/sdk/testing/browser';

/** The index of the form that is sent to this path. */
const at = ({ forms }: Page, action: string): number => forms.findIndex((form) => form.action === action);

interface Account {
  readonly id: string;
  readonly email: string;
}

void t.test('an address is verified only if it is the one that was shown', async (t) => {
  await using forge = await testHost([], { settings: { 'signup.enabled': true } });
  const registered = { username: 'carol', email: 'carol@example.com', password: 'a long password' };
  const { body } = await forge.anonymous.post('/auth/register', { json: registered });
  const { id } = body as Account;
  const account = async () => (await forge.as('admin').get(`/admin/users/${id}`)).body as Account;
  const admin = forge.browser('admin');
  const path = `/-/admin/users/${id}`;
  const page = await admin.open(path);
  t.match(page.html, /<bdi>carol@example\.com<\/bdi> is not verified/);

  const { username, password } = registered;
  const { body: signedIn } = await forge.anonymous.post('/auth/login', { json: { username, password } });
  const { access_token: token } = signedIn as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const changed = await forge.anonymous.patch('/user', { json: { email: 'other@example.com' }, headers });
  t.equal(changed.status, 200);
  const refused = await admin.submit(page, {}, at(page, `${path}/verify`));
  t.match(refused, { status: 422, html: /role="alert"><b>The user has another e-mail address by now<\/b>/ });
  t.match(refused.html, /<bdi>other@example\.com<\/bdi> is not verified/, 'the page shows the present one');
  t.equal((await account()).email, 'other@example.com');

  const verified = await admin.submit(refused, {}, at(refused, `${path}/verify`));
  t.notMatch(verified.html, 'is not verified');
  t.equal((await account()).email, 'other@example.com');
});

void t.test('a form changes only what was changed in it', async (t) => {
  await using forge = await testHost([], { users: ['alice'] });
  const admin = forge.browser('admin');
  const rest = forge.as('admin');
  const { id } = await forge.user('alice');
  const { body: group } = await rest.post('/admin/user-groups', { json: { name: 'Ops', description: 'One' } });
  const { id: groupId } = group as Account;
  const { body: made } = await rest.post('/user/oauth2/apps', {
    json: { name: 'App', description: 'One', redirect_uris: ['https://app.example/callback'], scopes: ['read:user'] },
  });
  const { id: appId } = made as Account;
  const budget = `/-/admin/limits/groups/${groupId}/api.read`;
  const setting = '/-/admin/settings/repositories.max_per_user';
  for (const [path, form, values, change] of [
    [
      `/-/admin/users/${id}`,
      `/-/admin/users/${id}/profile`,
      { display_name: 'Alice' },
      () => rest.patch(`/admin/users/${id}`, { json: { email: 'new@example.com' } }),
    ],
    [
      `/-/admin/user-groups/${groupId}`,
      `/-/admin/user-groups/${groupId}/edit`,
      { name: 'Others' },
      () => rest.patch(`/admin/user-groups/${groupId}`, { json: { description: 'Two' } }),
    ],
    [
      `/-/settings/applications/${appId}`,
      `/-/settings/applications/${appId}`,
      { name: 'Other app' },
      () => rest.patch(`/user/oauth2/apps/${appId}`, { json: { description: 'Two' } }),
    ],
    [
      budget,
      budget,
      { burst: '9' },
      () => rest.patch(`/admin/rate-limits/groups/${groupId}/api.read`, { json: { requests_per_window: 77 } }),
    ],
    [setting, setting, {}, () => rest.put('/admin/settings/repositories.max_per_user', { json: { value: '7' } })],
  ] as const) {
    const page = await admin.open(path);
    t.ok((await change()).status < 300, path);
    t.equal((await admin.submit(page, values, at(page, form))).status, 200, form);
  }
  const read = async (path: string): Promise<unknown> => (await rest.get(path)).body;
  t.match(await read(`/admin/users/${id}`), { display_name: 'Alice', email: 'new@example.com' });
  t.match(await read(`/admin/user-groups/${groupId}`), { name: 'Others', description: 'Two' });
  t.match(await read(`/user/oauth2/apps/${appId}`), { name: 'Other app', description: 'Two', scopes: ['read:user'] });
  const { rules } = (await read(`/admin/rate-limits/groups/${groupId}`)) as { readonly rules: readonly object[] };
  t.match(
    rules.find((rule) => (rule as { scope: string }).scope === 'api.read'),
    { requests_per_window: 77, burst: 9 },
  );
  t.match(await read('/admin/settings/repositories.max_per_user'), { value: '7' });
});

void t.test('the overview counts what REST would list', async (t) => {
  await using forge = await testHost([], { users: ['alice'] });
  const shown = async (scopes: readonly string[]): Promise<readonly string[]> => {
    const token = forge.as('admin', { scopes });
    const { body } = await token.get(new URL('/-/admin', forge.url), { headers: { accept: 'text/html' } });
    const [, main = ''] = /<main[^>]*>([^]*)<\/main>/.exec(String(body)) ?? [];
    return [...main.matchAll(/href="\/-\/admin\/([\w-]+)"/g)].map(([, name = '']) => name);
  };
  const both = await shown(['admin:system', 'admin:users']);
  t.ok(['users', 'user-groups', 'settings', 'plugins'].every((name) => both.includes(name)));
  const system = await shown(['admin:system']);
  t.ok(system.includes('settings'));
  t.notOk(
    system.some((name) => name.startsWith('user')),
    'no users for a token that cannot list them',
  );
  const { id } = await forge.user('alice');
  await forge.as('admin').post(`/admin/users/${id}/admin-scopes`, { json: { scope: 'admin:users' } });
  const { html } = await forge.browser('alice').open('/-/admin');
  t.match(html.replaceAll(/\s+/g, ' '), />Users<\/a><\/div>.*class="end">2</, 'with the admin scope');
});

void t.test('acts that cannot be undone are asked for twice', async (t) => {
  await using forge = await testHost([], { users: ['alice'] });
  const { id } = await forge.user('alice');
  const { html } = await forge.browser('admin').open(`/-/admin/users/${id}`);
  const opened = [...html.matchAll(/<details class="disclosure"[^>]*>([^]*?)<\/details>/g)].map(
    ([, text = '']) => text,
  );
  for (const [action, confirm] of [
    ['/state', 'Suspend alice'],
    ['/state', 'Make alice an instance administrator'],
    ['/revoke', 'End all'],
    ['/delete', 'Delete'],
  ] as const)
    t.ok(
      opened.some((text) => text.includes(`action="/-/admin/users/${id}${action}"`) && text.includes(confirm)),
      confirm,
    );
});
