// The owner of a repository changes its settings: the record, collaborators, roles, protection of a branch, its name,
// and deletes it.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { stockGit } from '#test/support/servers/stock-git';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signIn, visitor } from '../visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

void t.test('the settings of a repository', async (t) => {
  await using forge = await testHost([], { repositories: ['ada/site'], users: ['bo'] });
  const [ada, bo] = [forge.as('ada'), forge.as('bo')];
  const work = await stockGit(t);
  await work.git('init', '-q', '-b', 'main');
  await work.commit('Begin', { 'README.md': '# Site\n' });
  const remote = async (name: string): Promise<string> => {
    const { body } = await forge
      .as(name)
      .post('/user/tokens', { json: { name: `git ${name}`, scopes: ['repo:write', 'repo:read'] } });
    return `${forge.url.replace('://', `://${name}:${(body as { token: string }).token}@`)}/ada/site.git`;
  };
  const [asAda, asBo] = [await remote('ada'), await remote('bo')];
  await work.git('push', '-q', asAda, 'main');

  const who = await visitor(browser, forge.url);
  const { page } = who;
  const section = (name: string): Promise<void> =>
    page
      .getByRole('navigation', { name: 'Settings of the repository' })
      .getByRole('link', { name, exact: true })
      .click();
  const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  await signIn(who, await forge.user('ada'));

  await t.test('the record and the visibility', async (t) => {
    await page.goto('/ada/site');
    await page.getByRole('link', { name: 'Settings', exact: true }).last().click();
    await page.getByLabel('Description').fill('A site');
    await page.getByLabel('Who can read it').selectOption('internal');
    await page.getByLabel('Issue code').fill('abc');
    await press('Save');
    await page.locator('#issue_code-error').waitFor();
    t.equal(await page.getByLabel('Description').inputValue(), 'A site', 'what was typed is kept');
    t.equal((await bo.get('/repos/ada/site')).status, 404, 'nothing has changed');
    await page.getByLabel('Issue code').fill('ABC');
    await press('Save');
    await page.locator('#issue_code-error').waitFor({ state: 'detached' });
    t.match((await bo.get('/repos/ada/site')).body, {
      description: 'A site',
      visibility: 'internal',
      issue_code: 'ABC',
    });
  });

  await t.test('a role, and a collaborator who has it', async (t) => {
    await section('Roles');
    await page.getByLabel('Name').fill('Triager');
    await page.getByLabel('See issues').check();
    await page.getByLabel('Create and change issues').check();
    await press('Create role');
    await page.getByRole('link', { name: 'Triager' }).waitFor();
    await section('Access');
    await page.getByLabel('Username').fill('nobody-of-this-name');
    await press('Add');
    await page.locator('#user-error').or(page.getByRole('alert')).first().waitFor();
    await page.getByLabel('Username').fill('bo');
    await page.getByLabel('Role', { exact: true }).selectOption('Triager');
    await press('Add');
    await page.getByLabel('Role of bo').waitFor();
    t.match((await ada.get('/repos/ada/site/collaborators')).body, [{ user: { username: 'bo' } }]);
    t.not((await work.ran('push', '-q', asBo, 'main:bo')).code, 0, 'the role does not contain pushing');
    await page.getByLabel('Role of bo').selectOption('write');
    await press('Save');
    await page.getByLabel('Role of bo').locator('option:checked', { hasText: 'write' }).waitFor({ state: 'attached' });
    await work.git('push', '-q', asBo, 'main:bo');
  });

  await t.test('a protected branch', async (t) => {
    await section('Protection');
    await page.getByRole('link', { name: 'Protect a branch' }).click();
    t.equal(await page.getByLabel('Branch').inputValue(), 'main');
    await page.getByLabel('write', { exact: true }).uncheck();
    await page.getByLabel('maintain', { exact: true }).uncheck();
    await page.getByLabel('Approvals before merging').fill('1');
    await press('Protect');
    const rule = page.getByText('may push directly');
    await rule.waitFor();
    t.equal(await rule.innerText(), 'admin may push directly · 1 approval');
    await work.commit('Past the review', { 'README.md': '# Site!\n' });
    const refused = await work.ran('push', asBo, 'main');
    t.not(refused.code, 0);
    t.match(refused.stderr, /protected|may not push/);
    await work.git('push', '-q', asBo, 'main:review');
    const opened = await bo.post('/repos/ada/site/merges', {
      json: { title: 'Reviewed', source_branch: 'review', target_branch: 'main' },
    });
    t.equal(opened.status, 201);
    await page.goto('/ada/site/-/merges/1');
    await page
      .getByText(/approval/i)
      .first()
      .waitFor();
    const merged = await bo.post('/repos/ada/site/merges/1/merge', { json: {} });
    t.ok(merged.status >= 400, 'it is not merged without an approval');

    await page.goto('/ada/site/-/settings/protection');
    await page.getByRole('main').getByRole('link', { name: 'main', exact: true }).click();
    await page.getByRole('link', { name: 'Remove protection…' }).click();
    await press('Remove protection');
    await page.getByText('No branch is protected').waitFor();
    await work.git('push', '-q', asBo, 'main');
  });

  await t.test('a removed collaborator', async (t) => {
    await section('Access');
    await page.getByRole('link', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Remove bo?' }).waitFor();
    await press('Remove');
    await page.getByText('Nobody else has a role here').waitFor();
    t.not((await work.ran('push', '-q', asBo, 'main:again')).code, 0);
  });

  await t.test('rename and deletion', async (t) => {
    await section('General');
    await page.getByLabel('New name').fill('page');
    await press('Rename');
    await page.waitForURL('**/ada/page/-/settings');
    t.equal((await page.goto('/ada/site'))?.status(), 404, 'the old address stops working, as the page said');
    await page.goto('/ada/page/-/settings');
    await page.getByLabel('Type ada/page to confirm').fill('ada/site');
    await press('Delete this repository');
    await page.locator('#confirmation-error').waitFor();
    await page.getByLabel('Type ada/page to confirm').fill('ada/page');
    await press('Delete this repository');
    await page.waitForURL(forge.url + '/');
    t.equal((await ada.get('/repos/ada/page')).status, 404);
  });
  t.strictSame(who.problems(), []);
});
