// In a real browser: pages say the same with scripts and without them, and their forms work without scripts.
import type { Page } from 'playwright-core';
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { body, write } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/chromium.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const api = '/repos/ada/engine';
const at = '/ada/engine';
const source = 'export const one = 1;\nexport const two = 2;\n';

/** @returns the commit of the topic */
async function fill(forge: TestHost): Promise<string> {
  const ada = forge.as('ada');
  const post = async (path: string, json: object): Promise<unknown> => body(await ada.post(`${api}${path}`, { json }));
  await forge.user('bo');
  body(await ada.put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  const file = { by: 'ada', repository: 'ada/engine' } as const;
  await write(forge, { ...file, branch: 'main', path: 'README.md', content: '# Engine\n\nRead [this](src/a.ts).\n' });
  await write(forge, { ...file, branch: 'main', path: 'src/a.ts', content: source });
  const commit = await write(forge, { ...file, branch: 'topic', path: 'src/a.ts', content: `${source}// three\n` });
  const [type] = body<readonly { readonly id: string }[]>(await ada.get('/issue-types'));
  await post('/issues', { title: 'Count further', issue_type_id: type?.id, description: '- [ ] three\n- [x] two' });
  await post('/issues/1/comments', { body: 'See `src/a.ts`.' });
  await post('/merges', { title: 'Three', description: 'Closes #1.', source_branch: 'topic', target_branch: 'main' });
  await post('/merges/1/comments', { body: 'Is it all?' });
  await forge.drained();
  return commit;
}

/** The visible text, and the number of controls. The button that copies is left out, because it needs a script. */
async function said(page: Page): Promise<string> {
  await page.locator('[data-copies]').evaluateAll((buttons) => buttons.forEach((button) => button.remove()));
  const controls = await page.locator('main, aside').locator('button, input, select, textarea, a[href]').count();
  return `${(await page.locator('main, aside').allInnerTexts()).join('\n').replaceAll(/\s+/g, ' ')} ${String(controls)} controls`;
}

void t.test('without scripts', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  const commit = await fill(forge);
  const [with_, without] = [
    await signedIn(browser, forge, 'bo'),
    await signedIn(browser, forge, 'bo', { scripts: false }),
  ];
  const { page } = without;
  const rest = async (path: string): Promise<unknown> => body(await forge.as('ada').get(`${api}${path}`));

  await t.test('pages say the same as with scripts', async (t) => {
    for (const path of [
      '/',
      at,
      `${at}/-/blob/main/README.md`,
      `${at}/-/blob/main/src/a.ts`,
      `${at}/-/commit/${commit}`,
      `${at}/-/issues`,
      `${at}/-/issues/1`,
      `${at}/-/merges/1`,
      `${at}/-/merges/1/changes`,
    ]) {
      await Promise.all([with_.page.goto(path), page.goto(path)]);
      t.equal(await said(page), await said(with_.page), path);
    }
  });

  await t.test('an issue is opened and commented', async (t) => {
    await page.goto(`${at}/-/issues`);
    await page.getByRole('link', { name: /^New issue/ }).click();
    await page.getByLabel('Title').fill('Four is missing');
    await page.getByLabel('Description').fill('After three.');
    await page.getByRole('button', { name: 'Open issue' }).click();
    await page.waitForURL(`**${at}/-/issues/2`);
    await page.locator('main').getByLabel('Comment').fill('And five.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('main article').getByText('And five.').waitFor();
    t.match(await rest('/issues/2'), { title: 'Four is missing', description: 'After three.', comments_count: 1 });
  });

  await t.test('a line is commented, and a review is submitted', async (t) => {
    await page.goto(`${at}/-/merges/1/changes`);
    await page.getByRole('link', { name: 'Comment on line 3', exact: true }).click();
    await page.getByRole('textbox', { name: 'Comment on line 3' }).fill('Not code.');
    await page.locator('#line-form').getByRole('button', { name: 'Comment' }).click();
    await page.locator('.thread').getByText('Not code.').waitFor();
    await page.getByLabel('Comment or review').fill('Still good.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('#merge-timeline').getByText('Still good.').waitFor();
    t.match(await rest('/merges/1/comments'), [{ line_number: null }, { line_number: 3, body: 'Not code.' }]);
    t.match(await rest('/merges/1'), { reviewers: [{ user: { username: 'bo' }, state: 'approved' }] });
  });

  await t.test('the request is merged', async (t) => {
    await page.getByLabel('Delete topic afterwards').check();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.locator('#merge-box').getByText('Merged into').waitFor();
    t.match(await rest('/merges/1'), { state: 'merged' });
    t.notMatch(JSON.stringify(await rest('/branches')), /"topic"/);
  });

  t.strictSame(with_.problems(), []);
  t.strictSame(without.problems(), []);
});
