// An administrator works on users, groups, settings and limits, and finds all of it in the audit log; a user with one
// admin scope sees that part alone.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { accessibility, signIn, visitor } from '../visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

void t.test('administration', async (t) => {
  await using forge = await testHost([], { users: ['bo'] });
  const admin = forge.as('admin');
  const who = await visitor(browser, forge.url);
  const { page } = who;
  const section = async (name: string): Promise<void> => {
    const all = page.getByRole('navigation', { name: 'Administration' });
    await all.getByRole('link', { name, exact: true }).click();
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  };
  const press = (name: string | RegExp): Promise<void> =>
    page.getByRole('main').getByRole('button', { name, exact: true }).click();
  const follow = (name: string | RegExp): Promise<void> =>
    page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
  await signIn(who, await forge.user('admin'));
  await page.goto('/-/admin');
  await page.getByText('healthy').waitFor();
  const cleo = { username: 'cleo', password: 'correct horse battery' };

  await t.test('users', async (t) => {
    await section('Users');
    await follow('New user');
    await page.getByLabel('Username').fill('cleo');
    await page.getByLabel('E-mail address').fill('cleo@example.com');
    await page.getByLabel('Password').fill('short');
    await press('Create');
    await page.locator('#password-error').waitFor();
    t.strictSame(await accessibility(who), [], 'of a refused form');
    t.equal(await page.getByLabel('Username').inputValue(), 'cleo', 'what was typed is kept');
    await page.getByLabel('Password').fill(cleo.password);
    await press('Create');
    await page.getByRole('heading', { name: 'cleo' }).waitFor();

    const visit = await visitor(browser, forge.url);
    await signIn(visit, cleo);
    await page.getByText('Suspend…', { exact: true }).click();
    t.strictSame(await accessibility(who), [], 'of an open question');
    await press('Suspend cleo');
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    await visit.page.goto('/-/settings/profile');
    await visit.page.waitForURL('**/-/sign-in?**');
    await visit.page.getByLabel('Username').fill(cleo.username);
    await visit.page.getByLabel('Password').fill(cleo.password);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByText('The account is suspended').waitFor();
    await press('Reactivate');
    await page.getByText('Suspend…', { exact: true }).waitFor();
    await signIn(visit, cleo);
    t.strictSame(visit.problems(), []);
    await visit.context.close();
  });

  await t.test('a group', async (t) => {
    await section('User groups');
    await follow('New group');
    await page.getByLabel('Name').fill('Maintainers');
    await press('Create');
    await page.getByRole('heading', { name: 'Maintainers' }).waitFor();
    await page.getByLabel('Username').fill('cleo');
    await press('Add member');
    await page.getByRole('button', { name: 'Remove' }).waitFor();
    await follow(/cleo$/);
    await page.getByRole('complementary').getByRole('link', { name: 'Maintainers' }).waitFor();
    const { groups } = (await admin.get('/admin/user-groups')).body as { groups: readonly object[] };
    t.match(groups.at(-1), { name: 'Maintainers', member_count: 1 });
  });

  await t.test('a setting', async (t) => {
    const key = 'repositories.max_forks_per_user';
    await section('Settings');
    await page.getByRole('searchbox').fill('max_forks');
    await page.keyboard.press('Enter');
    await follow(key);
    const usual = await page.getByLabel('Value').inputValue();
    await page.getByLabel('Value').fill('-1');
    await press('Save');
    await page.locator('#value-error').waitFor();
    await page.getByLabel('Value').fill('7');
    await press('Save');
    await page.getByRole('button', { name: 'Reset' }).waitFor();
    t.match((await admin.get(`/admin/settings/${key}`)).body, { value: '7' });
    await press('Reset');
    await page.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
    t.equal(await page.getByLabel('Value').inputValue(), usual);
  });

  await t.test('a limit', async (t) => {
    await section('Rate limits');
    await follow('Overrides');
    await follow('New override');
    await page.getByLabel('For').fill('cleo');
    await page.getByLabel('Requests').fill('10');
    await page.getByLabel('Reason').fill('A loud script');
    await press('Save');
    await page.getByRole('row', { name: /cleo.*A loud script/ }).waitFor();
    t.match((await admin.get('/admin/rate-limits/overrides/users')).body, {
      items: [{ scope: 'api.read', requests_per_window: 10, reason: 'A loud script' }],
    });
    await page.getByText('Delete…', { exact: true }).click();
    await press('Delete the override');
    await page.getByText('There is no override of this kind').waitFor();
  });

  await t.test('plugins', async () => {
    await section('Plugins');
    // The second row, by the keys of lists.
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'repositories', level: 1 }).waitFor();
    await page.getByText('Contributes').waitFor();
  });

  await t.test('the audit log', async (t) => {
    await section('Audit log');
    const actions = page.getByRole('table').locator('tbody tr td:nth-child(3)');
    const shown = async (): Promise<readonly string[]> => [...new Set(await actions.allInnerTexts())];
    for (const action of [
      'user.created',
      'user.suspended',
      'user.login_blocked_suspended',
      'user_group.created',
      'user_group.member_added',
      'setting.updated',
      'rate_limit_override.set',
      'rate_limit_override.deleted',
    ])
      t.ok((await shown()).includes(action), action);
    await page.getByLabel('Action').fill('user.');
    await press('Filter');
    await page.waitForURL('**/-/admin/audit?**action=user.**');
    t.ok((await shown()).every((action) => action.startsWith('user.')));
    await page.getByLabel('Action').fill('setting.');
    await page.getByLabel('Who').fill('admin');
    await press('Filter');
    await page.waitForURL('**/-/admin/audit?actor=admin&action=setting.**');
    t.equal(await actions.count(), 2, 'the change and the reset');
    await page.getByRole('table').locator('tbody td:first-child a').first().click();
    await page.getByRole('heading', { name: 'setting.updated' }).waitFor();
    await page.getByText('repositories.max_forks_per_user').first().waitFor();
  });

  await t.test('one admin scope', async (t) => {
    await section('Admin scopes');
    await page.getByRole('main').locator('form.form').getByLabel('Username').fill('bo');
    await page.getByLabel('Admin scope').selectOption('admin:settings');
    await press('Grant');
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    const part = await visitor(browser, forge.url);
    await signIn(part, await forge.user('bo'));
    await part.page.goto('/-/admin');
    const links = await part.page.getByRole('main').getByRole('link').allInnerTexts();
    t.strictSame(links, ['Settings', 'Sign-in providers']);
    t.equal((await part.page.goto('/-/admin/settings'))?.status(), 200);
    for (const path of ['users', 'plugins', 'audit', 'limits', 'admin-scopes'])
      t.equal((await part.page.goto(`/-/admin/${path}`))?.status(), 403, path);
    await press('Revoke');
    await page.getByText('Nobody holds an admin scope').waitFor();
    t.equal((await part.page.goto('/-/admin/settings'))?.status(), 403);
    t.strictSame(part.problems(), []);
  });
  t.strictSame(who.problems(), []);
});
