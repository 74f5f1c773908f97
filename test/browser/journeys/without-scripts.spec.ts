// In a real browser without scripts: forms work.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { body, write } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const api = '/repos/ada/engine';
const at = '/ada/engine';
const source = 'export const one = 1;\nexport const two = 2;\n';

async function fill(forge: TestHost): Promise<void> {
  const ada = forge.as('ada');
  const post = async (path: string, json: object): Promise<unknown> => body(await ada.post(`${api}${path}`, { json }));
  await forge.user('bo');
  body(await ada.put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  const file = { by: 'ada', repository: 'ada/engine' } as const;
  await write(forge, { ...file, branch: 'main', path: 'README.md', content: '# Engine\n\nRead [this](src/a.ts).\n' });
  await write(forge, { ...file, branch: 'main', path: 'src/a.ts', content: source });
  await write(forge, { ...file, branch: 'topic', path: 'src/a.ts', content: `${source}// three\n` });
  const [type] = body<readonly { readonly id: string }[]>(await ada.get('/issue-types'));
  await post('/issues', { title: 'Count further', issue_type_id: type?.id, description: '- [ ] three\n- [x] two' });
  await post('/issues/1/comments', { body: 'See `src/a.ts`.' });
  await post('/merges', { title: 'Three', description: 'Closes #1.', source_branch: 'topic', target_branch: 'main' });
  await post('/merges/1/comments', { body: 'Is it all?' });
  await forge.drained();
}

void t.test('without scripts', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await fill(forge);
  const without = await signedIn(browser, forge, 'bo', { scripts: false });
  const { page } = without;
  const rest = async (path: string): Promise<unknown> => body(await forge.as('ada').get(`${api}${path}`));

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

  t.strictSame(without.problems(), []);
});
