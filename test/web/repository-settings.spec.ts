// Tests the settings pages of repositories: the record, settings of plugins, rename, deletion, collaborators, roles and
// protection.
import t from 'tap';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { testHost } from '#host/sdk/testing';
import { submitTo } from '#test/support/page-forms';

declare module '#core/kernel/services/repository-settings' {
  interface RepositorySettingValues {
    'bell.rings': boolean;
    'bell.times': number;
    'bell.note': string;
  }
}

const hostile = '<img src=x onerror="alert(1)">\u{202e}';
const settings = '/alice/site/-/settings';

const bell = definePlugin({
  name: 'bell',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  repositorySettings: [
    { key: 'bell.rings', type: 'boolean', default: true, description: 'Rings after a push' },
    { key: 'bell.times', type: 'integer', default: 3, min: 1, max: 12, description: 'How often it rings' },
    { key: 'bell.note', type: 'string', default: 'a', maxLength: 10, description: 'Its note' },
  ],
});

void t.test('the record, the settings of plugins, rename and deletion', async (t) => {
  await using forge = await testHost(bell, { repositories: ['alice/site'], users: ['bob'] });
  const alice = forge.as('alice');
  const browser = forge.browser('alice');
  const json = async (path = ''): Promise<unknown> => (await alice.get(`/repos/alice/site${path}`)).body;
  const page = await browser.open(settings);
  t.match(page.html, /<nav class="section"[^]*settings" aria-current="page"[^]*settings\/access"[^]*protection"/);

  const values = { description: hostile, visibility: 'public', issue_code: 'ABC', default_branch: 'trunk' };
  const saved = await submitTo(browser, page, settings, values);
  t.match(saved, { status: 200, path: settings });
  t.notMatch(saved.html, /<img|\u{202e}/u);
  t.match(await json(), values);
  const wrong = await submitTo(browser, saved, settings, { issue_code: 'a', description: 'typed' });
  t.match(wrong, { status: 422, html: /id="issue_code-error"/ });
  t.match(wrong.html, /value="typed"/);
  await submitTo(browser, saved, settings, { description: '', issue_code: '' });
  t.match(await json(), { description: '', issue_code: '', visibility: 'public' }, 'an emptied field is empty');

  const other = await browser.open(settings);
  await submitTo(browser, other, settings, { description: 'Of one' });
  await submitTo(browser, other, settings, { issue_code: 'XYZ' });
  t.match(await json(), { description: 'Of one', issue_code: 'XYZ' }, 'an old page sends only its changes');
  await submitTo(browser, other, `${settings}/values`, { 'bell.times': '4' });
  await submitTo(browser, other, `${settings}/values`, { 'bell.note': 'b' });
  t.match(await json('/settings'), [{ value: 'b' }, { value: 'true' }, { value: '4' }]);
  await submitTo(browser, await browser.open(settings), `${settings}/values`, { 'bell.times': '3', 'bell.note': 'a' });

  const changed = { 'bell.times': '5', 'bell.note': '' };
  const {
    'bell.rings': _ticked,
    'mcp.enabled': _other,
    shown: _shown,
    ...fields
  } = saved.forms.find(({ action }) => action.endsWith('values'))?.fields ?? {};
  t.strictSame(fields, { 'bell.times': '3', 'bell.note': 'a' });
  const url = new URL(`${settings}/values`, forge.url);
  const sent = {
    body: new URLSearchParams(changed).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  t.equal((await browser.request('POST', url, sent)).status, 303);
  t.match(await json('/settings'), [
    { key: 'bell.note', value: '' },
    { key: 'bell.rings', value: 'false' },
    { key: 'bell.times', value: '5' },
  ]);
  t.match(await submitTo(browser, saved, `${settings}/values`, { 'bell.times': '99' }), {
    status: 422,
    html: /value="99"[^]*id="bell\.times-error"/,
  });

  t.match(await submitTo(browser, saved, `${settings}/rename`, { name: 'a b' }), {
    status: 422,
    html: /id="name-error"/,
  });
  const renamed = await submitTo(browser, saved, `${settings}/rename`, { name: 'page' });
  t.match(renamed, { status: 200, path: '/alice/page/-/settings' });
  const gone = '/alice/page/-/settings/delete';
  t.match(await submitTo(browser, renamed, gone, { confirmation: 'alice/site' }), {
    status: 422,
    html: /id="confirmation-error"/,
  });
  t.match(await submitTo(browser, renamed, gone, { confirmation: 'alice/page' }), { status: 200, path: '/' });
  t.equal((await alice.get('/repos/alice/page')).status, 404);
});

void t.test('collaborators', async (t) => {
  await using forge = await testHost([], { repositories: ['alice/site'], users: ['bob', 'cleo'] });
  const browser = forge.browser('alice');
  const path = `${settings}/access`;
  const all = async (): Promise<unknown> => (await forge.as('alice').get('/repos/alice/site/collaborators')).body;
  const page = await browser.open(path);
  t.match(page.html, /Nobody else has a role here/);
  const added = await submitTo(browser, page, path, { user: 'bob', role: 'write' });
  t.match(added, { status: 200, path, html: /aria-label="Role of bob"/ });
  t.match(await all(), [{ user: { username: 'bob' }, role: 'write' }]);
  await submitTo(browser, added, path, { role: 'maintain' });
  t.match(await all(), [{ role: 'maintain' }], 'the form of the row');
  for (const [values, html] of [
    [{ user: hostile, role: 'write' }, /There is no such user/],
    [{ user: 'cleo', role: 'none' }, /id="role-error"/],
    [{ user: 'cleo', role: 'template:none' }, /id="role-error"/],
    [{ user: 'alice', role: 'read' }, /The owner cannot be a collaborator/],
  ] as const) {
    const refused = await submitTo(browser, page, path, values);
    t.match(refused, { status: 422, html });
    t.notMatch(refused.html, /<img/);
  }

  const roles = `${settings}/roles`;
  const create = await browser.open(roles);
  const name = 'Reader plus';
  t.match(await submitTo(browser, create, roles, { name }), { status: 422, html: /must name at least one/ });
  t.match(await submitTo(browser, create, roles, { name: 'admin', permissions: 'repo.read' }), {
    status: 422,
    html: /id="name-error"[^]*value="repo\.read"\s*checked/,
  });
  const made = await submitTo(browser, create, roles, { name, permissions: 'issue.write' });
  const [, role = ''] = /href="([^"]*)"><bdi>Reader plus[^]*Create and change issues/.exec(made.html) ?? [];
  const id = role.slice(role.lastIndexOf('/') + 1);
  await submitTo(browser, page, path, { user: 'cleo', role: `template:${id}` });
  t.match(await all(), [{ role: 'maintain' }, { role: name, permissions: ['issue.write'] }]);
  const edit = await browser.open(role);
  t.equal((await submitTo(browser, edit, role, { name: 'Other', permissions: 'repo.read' })).path, roles);
  t.match((await forge.as('alice').get('/repos/alice/site/role-templates')).body, [
    { name: 'Other', permissions: ['repo.read'] },
  ]);
  t.match((await submitTo(browser, await browser.open(`${role}/delete`), role)).html, /no role of your own/);
  t.match((await browser.open(path)).html, /Reader plus \(custom\)/, 'a role whose template is gone');
  for (const missing of [role, `${roles}/none`]) t.ok([400, 404].includes((await browser.open(missing)).status));

  const removal = await browser.open(`${path}/remove/bob`);
  t.match(removal.html, /Remove <bdi>bob<\/bdi>\?/);
  t.equal((await submitTo(browser, removal, `${path}/remove`)).path, path);
  t.match(await all(), [{ user: { username: 'cleo' } }]);
});

void t.test('protection', async (t) => {
  await using forge = await testHost([], { repositories: ['alice/site'] });
  const browser = forge.browser('alice');
  const path = `${settings}/protection`;
  const rule = async (branch: string) => forge.as('alice').get(`/repos/alice/site/branches/${branch}/protection`);
  t.match((await browser.open(path)).html, /No branch is protected/);
  const create = await browser.open(`${path}/new`);
  const values = {
    branch: 'release/1',
    push_roles: 'admin',
    other_roles: 'One, Two,',
    required_approvals: '2',
    dismiss_stale_approvals: 'true',
    on_merge: 'true',
    allow_deletion: 'true',
  };
  const made = await submitTo(browser, create, `${path}/new`, values);
  const twice = await submitTo(browser, create, `${path}/new`, { branch: 'release/1' });
  t.match(twice, { status: 422, html: /id="branch-error">Branch is protected already; edit its rules/ });
  t.match(made, { status: 200, path, html: /admin, One, Two may push directly · 2 approvals · approvals end/ });
  t.strictSame((await rule('release%2F1')).body, {
    allow_force_push: false,
    allow_deletion: true,
    push_roles: ['admin', 'One', 'Two'],
    required_approvals: 2,
    dismiss_stale_approvals: true,
    required_pipeline: { on_open: false, on_merge: true },
  });
  const edit = await browser.open(`${path}/edit/release/1`);
  t.match(edit.forms[0]?.fields, { other_roles: 'One, Two', required_approvals: '2' });
  for (const [wrong, html] of [
    [{ ...values, branch: '..' }, /The branch name is not allowed/],
    [{ ...values, required_approvals: '101' }, /id="required_approvals-error"/],
    [{ ...values, branch: 'release/2', other_roles: 'x'.repeat(101) }, /id="other_roles-error"/],
  ] as const)
    t.match(await submitTo(browser, create, `${path}/new`, wrong), { status: 422, html });
  t.match(await submitTo(browser, edit, `${path}/edit`, { other_roles: 'y'.repeat(101) }), {
    status: 422,
    html: /Protection of <bdi>release\/1[^]*value="y/,
  });
  await submitTo(browser, edit, `${path}/edit`, { required_approvals: '1' });
  await submitTo(browser, edit, `${path}/edit`, { other_roles: '', push_roles: '' });
  t.match((await rule('release%2F1')).body, { required_approvals: 1 }, 'the change of another stays');
  t.match((await rule('release%2F1')).body, { push_roles: [] });
  t.notMatch((await submitTo(browser, create, `${path}/new`, { branch: '<img>' })).html, /<img/);
  const removal = await browser.open(`${path}/remove/release/1`);
  await submitTo(browser, removal, `${path}/remove`);
  t.equal((await rule('release%2F1')).status, 404);
  t.equal((await browser.open(`${path}/remove/release/1`)).status, 404);
});

void t.test('settings pages are for those who may change them', async (t) => {
  const pages = ['', '/access', '/roles', '/protection', '/protection/new'];
  await using forge = await testHost([], {
    repositories: [
      { path: 'alice/site', visibility: 'public' },
      { path: 'alice/secret', visibility: 'private' },
    ],
    users: ['bob', 'cleo', 'dan'],
  });
  for (const [user, role] of [
    ['cleo', 'maintain'],
    ['dan', 'admin'],
  ] as const)
    await forge.as('alice').put(`/repos/alice/site/collaborators/${user}`, { json: { role } });
  const statuses = async (username: string | undefined, repository: string): Promise<readonly number[]> => {
    const browser = forge.browser(username);
    return Promise.all(
      pages.map(async (page) => (await browser.open(`/alice/${repository}/-/settings${page}`)).status),
    );
  };
  t.strictSame(await statuses('bob', 'site'), [403, 403, 403, 403, 403]);
  t.strictSame(await statuses('bob', 'secret'), [404, 404, 404, 404, 404]);
  t.strictSame(await statuses('cleo', 'site'), [403, 403, 403, 200, 200], 'maintainers protect branches');
  t.strictSame(await statuses('dan', 'site'), [200, 200, 200, 200, 200]);
  t.match((await forge.browser().open(settings)).path, /^\/-\/sign-in/);
  const dan = forge.browser('dan');
  const page = await dan.open(settings);
  t.strictSame(
    page.forms.map(({ action }) => action).filter((action) => action.startsWith(settings)),
    [`${settings}/values`],
    'the record, the name and the deletion are for the owner alone',
  );
  t.notMatch((await dan.open(`${settings}/access`)).html, />\s*Remove/);
  for (const [path, body] of [
    ['', 'description=x'],
    ['/rename', 'name=x'],
    ['/delete', 'confirmation=alice/site'],
    ['/access/remove/cleo', ''],
  ] as const) {
    const sent = { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    t.equal((await dan.request('POST', new URL(settings + path, forge.url), sent)).status, 403, path);
  }
  t.equal((await forge.as('alice').get('/repos/alice/site')).status, 200);
});
