// In a real browser: somebody who is no member of a public repository forks it, changes a file in the fork, and opens
// a merge request from it. The owner reviews and merges it.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, write } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

void t.test('a contribution from a fork', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await forge.user('cleo');
  const start = '# Start\n\nRun `make`.\n';
  await write(forge, { by: 'ada', repository: 'ada/engine', branch: 'main', path: 'docs/start.md', content: start });
  const [ada, cleo] = [await signedIn(browser, forge, 'ada'), await signedIn(browser, forge, 'cleo')];
  const { page: owner } = ada;
  const { page } = cleo;
  const rest = async (path: string): Promise<unknown> => body(await forge.as('ada').get(`/repos${path}`));

  await t.test('the visitor forks the repository', async (t) => {
    await page.goto('/-/explore');
    await page.getByRole('link', { name: 'engine' }).first().click();
    await page.waitForURL('**/ada/engine');
    t.equal(await page.getByRole('link', { name: 'New file' }).count(), 0, 'nothing that changes files is offered');
    await page.getByRole('link', { name: 'Fork', exact: true }).click();
    await page.getByRole('button', { name: 'Create fork' }).click();
    await page.waitForURL('**/cleo/engine');
    t.match(await rest('/cleo/engine'), { owner: 'cleo', name: 'engine' });
  });

  await t.test('a file of the fork is edited on a new branch', async (t) => {
    await page.getByRole('link', { name: 'docs', exact: true }).click();
    await page.getByRole('link', { name: 'start.md', exact: true }).click();
    await page.getByRole('link', { name: /^Edit/ }).click();
    await page.getByLabel('Content').fill('# Start\n\nRun `make all`.\n');
    await page.getByLabel('Commit message').fill('Name the target');
    await page.getByLabel('New branch').fill('target');
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await page.waitForURL('**/cleo/engine/-/compare/main...target');
    t.match(await rest('/cleo/engine/commits?ref=target&per_page=1'), [{ message: 'Name the target' }]);
  });

  await t.test('a merge request from the fork is opened', async (t) => {
    await page.goto('/ada/engine');
    await page.getByRole('link', { name: 'Merge requests' }).click();
    await page.getByRole('link', { name: 'New merge request' }).click();
    await page.getByLabel('From').selectOption('cleo:target');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('Run make all').or(page.getByText('docs/start.md')).first().waitFor();
    await page.getByLabel('Title').fill('Say which target to make');
    await page.getByRole('button', { name: 'Open merge request' }).click();
    await page.waitForURL('**/ada/engine/-/merges/1');
    t.equal(await page.getByRole('button', { name: 'Merge', exact: true }).count(), 0, 'the visitor may not merge');
    t.match(await rest('/ada/engine/merges/1'), { title: 'Say which target to make', author: { username: 'cleo' } });
  });

  await t.test('the owner reviews and merges it, and the contributor sees that', async (t) => {
    await owner.goto('/ada/engine/-/merges');
    await owner.getByRole('link', { name: 'Say which target to make' }).click();
    await owner.getByRole('link', { name: 'Changes' }).click();
    await owner.getByRole('link', { name: 'Comment on line 3', exact: true }).last().click();
    await owner.getByRole('textbox', { name: 'Comment on line 3' }).fill('Thank you!');
    await owner.locator('#line-form').getByRole('button', { name: 'Comment' }).click();
    await page.locator('#merge-timeline').getByText('Thank you!').waitFor();
    await owner.getByRole('button', { name: 'Approve' }).click();
    await owner.waitForURL('**/ada/engine/-/merges/1#review-*');
    await owner.getByRole('button', { name: 'Merge', exact: true }).click();
    await owner.locator('#merge-box').getByText('Merged into').waitFor();
    await page.locator('#merge-head').getByText('Merged', { exact: true }).waitFor();
    t.match(await rest('/ada/engine/merges/1'), { state: 'merged' });
    await owner.goto('/ada/engine/-/blob/main/docs/start.md');
    t.match(await owner.locator('main').innerText(), /Run make all/);
  });

  await t.test('the contributor deletes the branch of the fork', async (t) => {
    await page.getByRole('button', { name: /^Delete cleo:target/ }).click();
    await page.getByRole('button', { name: /^Delete cleo:target/ }).waitFor({ state: 'detached' });
    t.notMatch(JSON.stringify(await rest('/cleo/engine/branches')), /"target"/);
  });

  t.strictSame(ada.problems(), []);
  t.strictSame(cleo.problems(), []);
});
