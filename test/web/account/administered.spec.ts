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
