// Tests the pages of users, user groups, admin scopes and plugins, and who may see which page of administration.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';

/** A text that would run if it were not escaped, and a character that reverses the text after it. */
const hostile = '<img src=x onerror="alert(1)">\u{202e}';

type Browser = ReturnType<TestHost['browser']>;
type Page = Awaited<ReturnType<Browser['open']>>;

/** Sends the form of the page with this action. */
async function send(browser: Browser, page: Page, action: string, values: Readonly<Record<string, string>>) {
  const index = page.forms.findIndex((form) => form.action === action && matches(form, values));
  if (index < 0) throw new Error(`the page ${page.path} has no form ${action}`);
  return browser.submit(page, values, index);
}
/** Whether the form has these fields, or the button that sends the value. */
const matches = ({ buttons, fields }: Page['forms'][number], values: Readonly<Record<string, string>>): boolean =>
  Object.entries(values).every(
    ([name, value]) => fields[name] !== undefined || buttons.some((one) => one.name === name && one.value === value),
  );

/** Each page, and the admin scopes of which one suffices; only instance administrators see one without. */
const pages: readonly (readonly [path: string, scope: string | undefined])[] = [
  ['/-/admin/users', 'admin:users'],
  ['/-/admin/users/new', 'admin:users'],
  ['/-/admin/user-groups', 'admin:users'],
  ['/-/admin/user-groups/new', 'admin:users'],
  ['/-/admin/admin-scopes', 'admin:roles'],
  ['/-/admin/settings', 'admin:settings'],
  ['/-/admin/settings/signup.enabled', 'admin:settings'],
  ['/-/admin/sign-in', 'admin:settings'],
  ['/-/admin/sign-in/github', 'admin:settings'],
  ['/-/admin/limits', 'admin:rate_limit'],
  ['/-/admin/limits/groups/00000000-0000-4000-9000-000000000002/api.read', 'admin:rate_limit'],
  ['/-/admin/limits/overrides', 'admin:rate_limit'],
  ['/-/admin/limits/overrides/edit', 'admin:rate_limit'],
  ['/-/admin/limits/violations', 'admin:rate_limit'],
  ['/-/admin/limits/violations.csv', 'admin:rate_limit'],
  ['/-/admin/audit', undefined],
  ['/-/admin/audit/1', undefined],
  ['/-/admin/audit.jsonl', undefined],
  ['/-/admin/plugins', undefined],
  ['/-/admin/plugins/identity', undefined],
];
const holders = ['admin:users', 'admin:roles', 'admin:settings', 'admin:rate_limit'];
const grant = async (forge: TestHost, username: string, scope: string): Promise<void> => {
  const { id } = await forge.user(username);
  const { status } = await forge.as('admin').post(`/admin/users/${id}/admin-scopes`, { json: { scope } });
  if (status !== 200) throw new Error(`granting ${scope} answered ${status}`);
};
const sections = (html: string): readonly string[] => {
  const nav = /<nav class="section"[^]*?<\/nav>/.exec(html)?.[0] ?? '';
  return [...nav.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
};

void t.test('a page of administration is for holders of its admin scope', async (t) => {
  await using forge = await testHost([]);
  for (const [index, scope] of holders.entries()) await grant(forge, `holder${index}`, scope);
  const shown = async (path: string, username?: string): Promise<string> => {
    const { status, path: final } = await forge.browser(username).open(path);
    return final.startsWith('/-/sign-in?') ? 'sign in' : String(status);
  };
  const visible = async (username: string): Promise<readonly string[]> => {
    const overview = await forge.browser(username).open('/-/admin');
    t.equal(overview.status, 200, username);
    return sections(overview.html).filter((path) => path !== '/-/admin');
  };
  for (const [path, scope] of pages) {
    t.equal(await shown(path), path.includes('.csv') || path.includes('.jsonl') ? '401' : 'sign in', path);
    t.equal(await shown(path, 'plain'), '403', path);
    t.equal(await shown(path, 'admin'), '200', path);
    for (const [index, held] of holders.entries())
      t.equal(await shown(path, `holder${index}`), held === scope ? '200' : '403', `${path} with ${held}`);
  }
  const ofAdmin = await visible('admin');
  t.ok(['/-/admin/users', '/-/admin/admin-scopes'].every((path) => ofAdmin.includes(path)));
  t.strictSame(await visible('holder0'), ['/-/admin/users', '/-/admin/user-groups']);
  t.strictSame(await visible('holder1'), ['/-/admin/admin-scopes']);
  t.strictSame(await visible('holder2'), ['/-/admin/settings', '/-/admin/sign-in']);
  t.strictSame(await visible('holder3'), ['/-/admin/limits']);
  t.equal(await shown('/-/admin', 'plain'), '403');
  t.equal(await shown('/-/admin'), 'sign in');
  t.notMatch((await forge.browser('plain').open('/-/keys')).html, /\/-\/admin/);
  const overview = (await forge.browser('admin').open('/-/admin')).html;
  t.match(overview, /healthy[^]*All <a href="\/-\/admin\/plugins">\d+ plugins<\/a> run/);
  t.notMatch((await forge.browser('holder0').open('/-/admin')).html, /healthy/);
});

interface Account {
  readonly id: string;
  readonly status: string;
  readonly email: string;
  readonly display_name: string;
  readonly is_admin: boolean;
}

void t.test('users are created, changed, suspended and deleted', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'zoe'] });
  const admin = forge.browser('admin');
  const account = async (id: string) => (await forge.as('admin').get(`/admin/users/${id}`)).body as Account;

  const form = await admin.open('/-/admin/users/new');
  const values = {
    username: 'bob',
    email: 'bob@example.org',
    password: 'a long password',
    display_name: hostile.trim(),
  };
  const taken = await send(admin, form, '/-/admin/users/new', { ...values, username: 'Alice' });
  t.match(taken, { status: 422, html: /id="username-error">Username belongs to another account/ });
  t.match(taken.html, /value="Alice"/);
  t.notMatch(taken.html, /a long password/, 'a password is not sent back');
  t.match(await send(admin, form, '/-/admin/users/new', { ...values, password: 'short' }), {
    status: 422,
    html: /id="password-error"/,
  });
  const made = await send(admin, form, '/-/admin/users/new', { ...values, display_name: '<b>Bob</b>' });
  t.match(made.path, /^\/-\/admin\/users\/[0-9a-f-]{36}$/);
  const id = made.path.split('/').at(-1) ?? '';
  t.match(await account(id), { display_name: '<b>Bob</b>', is_admin: false, status: 'active' });
  t.match(made.html, /value="&lt;b&gt;Bob&lt;\/b&gt;"/);
  t.match((await admin.open('/-/admin/users')).html, /<bdi>&lt;b&gt;Bob&lt;\/b&gt;<\/bdi>/);

  const at = `/-/admin/users/${id}`;
  const forged = await send(admin, made, `${at}/profile`, { email: 'no address', display_name: 'Kept' });
  t.match(forged, { status: 422, html: /value="no address"[^]*id="email-error"/ });
  t.match(forged.html, /value="Kept"/);
  await send(admin, made, `${at}/profile`, { email: 'b@example.org', display_name: '' });
  t.match(await account(id), { email: 'b@example.org', display_name: '' });
  const suspended = await send(admin, made, `${at}/state`, { status: 'suspended' });
  t.equal((await account(id)).status, 'suspended');
  await send(admin, suspended, `${at}/state`, { status: 'active' });
  await send(admin, made, `${at}/state`, { is_admin: 'true' });
  t.match(await account(id), { status: 'active', is_admin: true });
  const signIn = async (password: string): Promise<number> =>
    (await forge.anonymous.post('/auth/login', { json: { username: 'bob', password } })).status;
  t.match((await send(admin, made, `${at}/password`, { password: 'another password' })).html, /The password is set/);
  t.strictSame([await signIn('another password'), await signIn('a long password')], [200, 401]);
  t.match(await send(admin, made, `${at}/revoke`, {}), {
    status: 200,
    path: `${at}?done=revoked`,
    html: /role="status">All sessions and tokens/,
  });

  t.match(await send(admin, made, `${at}/delete`, { confirm: 'bo' }), {
    status: 422,
    html: /<details class="disclosure" open[^]*id="adminUserDeleteForm-error"/,
  });
  t.equal((await send(admin, made, `${at}/delete`, { confirm: 'bob' })).path, '/-/admin/users');
  t.equal((await admin.open(at)).status, 404);
  t.equal((await admin.open('/-/admin/users/nonsense')).status, 400);

  const own = await admin.open(`/-/admin/users/${(await forge.user('admin')).id}`);
  const last = await send(admin, own, `${own.path}/state`, { status: 'suspended' });
  t.match(last, { status: 422, html: /The last instance administrator cannot be demoted or suspended/ });
  t.notMatch(own.html, /Delete the user|New password/);
});

void t.test('the list of users has filters in its address', async (t) => {
  await using forge = await testHost([], { users: ['alice', { username: 'zoe', isAdmin: true }] });
  const { id } = await forge.user('alice');
  await forge.as('admin').patch(`/admin/users/${id}`, { json: { status: 'suspended' } });
  const names = async (query: string): Promise<readonly string[]> => {
    const { html } = await forge.browser('admin').open(`/-/admin/users?${query}`);
    return [...html.matchAll(/<a class="person"[^]*?<bdi>(\w+)<\/bdi>/g)].map(([, name = '']) => name);
  };
  t.strictSame(await names(''), ['admin', 'alice', 'zoe']);
  t.strictSame(await names('q=ali&status=&is_admin='), ['alice']);
  t.strictSame(await names('status=suspended'), ['alice']);
  t.strictSame(await names('is_admin=true'), ['admin', 'zoe']);
  t.strictSame(await names('per_page=1&page=3'), ['zoe']);
  const rest = async (query: string) => (await forge.as('admin').get(`/admin/users?${query}`)).body;
  t.match(await rest('status=suspended'), { total: 1 });
  t.match(await rest('is_admin=false'), { total: 1, users: [{ username: 'alice' }] });
});

void t.test('a delegated administrator sees why an account cannot be changed', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'bob'] });
  await grant(forge, 'alice', 'admin:users');
  await grant(forge, 'bob', 'admin:settings');
  const alice = forge.browser('alice');
  for (const [username, why] of [
    ['admin', 'Only an instance administrator may change an instance administrator'],
    ['bob', 'admin scope required: admin:settings'],
  ] as const) {
    const { id } = await forge.user(username);
    const page = await alice.open(`/-/admin/users/${id}`);
    t.match(page, { status: 200, html: new RegExp(why) });
    t.notOk(
      page.forms.some(({ action }) => action.startsWith('/-/admin/')),
      'no form is offered',
    );
    const sent = await alice.request('POST', new URL(`/-/admin/users/${id}/state`, forge.url), {
      body: 'status=suspended',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    t.match([sent.status, sent.body], [403, new RegExp(why)]);
  }
  const { id } = await forge.user('zoe');
  const page = await alice.open(`/-/admin/users/${id}`);
  t.ok(page.forms.some(({ action }) => action.endsWith('/password')));
  t.notMatch(page.html, /Make an instance administrator/);
});

interface Groups {
  readonly groups: readonly { readonly id: string; readonly slug: string; readonly member_count: number }[];
}

void t.test('user groups and their members', async (t) => {
  await using forge = await testHost([], { users: ['alice'] });
  const admin = forge.browser('admin');
  const groups = async () => ((await forge.as('admin').get('/admin/user-groups')).body as Groups).groups;
  const form = await admin.open('/-/admin/user-groups/new');
  t.match(await send(admin, form, '/-/admin/user-groups/new', { name: '!!', description: hostile }), {
    status: 422,
    html: /id="name-error"[^]*&lt;img src=x/,
  });
  t.match(await send(admin, form, '/-/admin/user-groups/new', { name: 'Ops', role: 'instance_admin' }), {
    status: 422,
    html: /id="grant_admin"|grant_admin/,
  });
  const made = await send(admin, form, '/-/admin/user-groups/new', { name: 'Ops <b>', description: '' });
  t.match(made.html, /<h1><bdi>Ops &lt;b&gt;<\/bdi>/);
  const at = made.path;
  t.match(await send(admin, made, `${at}/add`, { username: 'nobody-at-all' }), {
    status: 422,
    html: /value="nobody-at-all"[^]*id="username-error"/,
  });
  const added = await send(admin, made, `${at}/add`, { username: 'alice' });
  t.equal((await groups()).find(({ slug }) => slug === 'ops-b')?.member_count, 1);
  t.match(await send(admin, added, `${at}/add`, { username: 'alice' }), { status: 422, html: /is a member/ });
  t.notMatch((await send(admin, added, `${at}/remove`, {})).html, /is saved/);
  t.equal((await groups()).find(({ slug }) => slug === 'ops-b')?.member_count, 0);
  t.match((await send(admin, made, `${at}/edit`, { name: 'Operators', description: 'New' })).html, /is saved/);
  t.ok((await groups()).some(({ slug }) => slug === 'operators'));
  t.equal((await send(admin, made, `${at}/delete`, { confirm: 'ops-b' })).status, 422);
  t.equal((await send(admin, made, `${at}/delete`, { confirm: 'operators' })).path, '/-/admin/user-groups');
  t.equal((await admin.open(at)).status, 404);

  const [anonymous] = await groups();
  const seeded = await admin.open(`/-/admin/user-groups/${anonymous?.id ?? ''}`);
  t.notMatch(seeded.html, /Add member|Delete the group/);
});

void t.test('admin scopes are granted and revoked', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'bob'] });
  const admin = forge.browser('admin');
  const { id } = await forge.user('alice');
  const held = async () =>
    ((await forge.as('admin').get(`/admin/users/${id}/admin-scopes`)).body as { readonly total: number }).total;
  const path = '/-/admin/admin-scopes';
  const page = await admin.open(path);
  t.match(page.html, /Nobody holds an admin scope/);
  t.match(await send(admin, page, `${path}/grant`, { username: 'nobody-at-all', scope: 'admin:users' }), {
    status: 422,
    html: /value="nobody-at-all"[^]*id="username-error"/,
  });
  const granted = await send(admin, page, `${path}/grant`, { username: 'alice', scope: 'admin:users' });
  t.equal(await held(), 1);
  await send(admin, page, `${path}/grant`, { username: 'bob', scope: 'admin:roles' });
  t.notMatch((await admin.open(`${path}?user=alice`)).html, /<bdi>bob<\/bdi>/);
  t.notMatch((await admin.open(`${path}?scope=admin:roles`)).html, /<bdi>alice<\/bdi>/);
  t.match((await admin.open(`${path}?user=nobody-at-all`)).html, /No grant matches/);
  const offered = /<select id="scope"[^]*?<\/select>/.exec((await forge.browser('bob').open(path)).html)?.[0] ?? '';
  t.match(offered, 'admin:settings');
  t.notMatch(offered, 'admin:roles');
  await send(admin, granted, `${path}/revoke`, {});
  t.equal(await held(), 0);
});

void t.test('the pages of plugins show what each contributes', async (t) => {
  await using forge = await testHost([], { environment: { HEXFORGE_PLUGINS: '-planning,-issues,-merges' } });
  const admin = forge.browser('admin');
  const { html } = await admin.open('/-/admin/plugins');
  t.match(html, /href="\/-\/admin\/plugins\/planning"[^]*disabled/);
  const limits = (await admin.open('/-/admin/plugins/limits')).html;
  for (const contributed of ['RateBudgets', 'rateLimitMatrix', 'limits_budget', 'HEXFORGE_RATE_LIMIT'])
    t.match(limits, contributed);
  t.equal((await admin.open('/-/admin/plugins/none')).status, 404);
  t.match((await admin.open('/-/admin/plugins/planning')).html, /not enabled/);
});
