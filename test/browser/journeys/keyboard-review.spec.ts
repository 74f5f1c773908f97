// A merge request reviewed and merged in a real browser by keyboard alone.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, write } from '#test/web/merge-pages';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { enter, reach } from './keyboard.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const api = '/repos/ada/engine';
const request = '/ada/engine/-/merges/1';

void t.test('a review by keyboard alone', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await forge.user('bo');
  const ada = forge.as('ada');
  body(await ada.put(`${api}/collaborators/bo`, { json: { role: 'write' } }));
  const file = { by: 'ada', repository: 'ada/engine' } as const;
  await write(forge, { ...file, branch: 'main', path: 'a.txt', content: 'one\ntwo\n' });
  await write(forge, { ...file, branch: 'topic', path: 'a.txt', content: 'one\n2\n' });
  await write(forge, { ...file, branch: 'topic', path: 'b.txt', content: 'three\n' });
  const { id: bo } = body<{ readonly id: string }>(await forge.as('bo').get('/user'));
  const opened = { title: 'Digits', source_branch: 'topic', target_branch: 'main', reviewer_ids: [bo] };
  body(await ada.post(`${api}/merges`, { json: opened }));
  await forge.drained();
  const who = await signedIn(browser, forge, 'bo');
  const { page } = who;
  const { keyboard } = page;
  const rest = async (path: string): Promise<unknown> => body(await ada.get(`${api}${path}`));
  const link = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true });
  const focused = (): Promise<string> => page.locator(':focus').innerText();

  await t.test('the request is found', async (t) => {
    await page.goto('/ada/engine');
    await keyboard.press('g');
    await keyboard.press('m');
    await page.waitForURL('**/-/merges');
    await keyboard.press('j');
    t.match(await focused(), 'Digits');
    await keyboard.press('Enter');
    await page.waitForURL(`**${request}`);
    await enter(page, page.getByRole('link', { name: /^Changes/ }));
    await page.waitForURL(`**${request}/changes`);
  });

  await t.test('j and k step through its files', async (t) => {
    const file = async () => page.evaluate("document.activeElement.closest('.diff')?.innerText.split('\\n')[0]");
    await keyboard.press('j');
    t.match(await file(), 'a.txt');
    await keyboard.press('j');
    t.match(await file(), 'b.txt');
    await keyboard.press('k');
    t.match(await file(), 'a.txt');
  });

  await t.test('a line is commented, and the comment answered', async (t) => {
    await enter(page, page.locator('.diff').first().getByRole('link', { name: 'Comment on line 2' }).last());
    await page.getByRole('textbox', { name: 'Comment on line 2' }).waitFor();
    await reach(page, page.getByRole('textbox', { name: 'Comment on line 2' }));
    await keyboard.type('Why a digit?');
    await keyboard.press('Control+Enter');
    await page.locator('.thread').getByText('Why a digit?').waitFor();
    await enter(page, page.getByRole('link', { name: 'Reply' }).first());
    await page.getByRole('textbox', { name: 'Comment on line 2' }).waitFor();
    await reach(page, page.getByRole('textbox', { name: 'Comment on line 2' }));
    await keyboard.type('I see why.');
    await keyboard.press('Control+Enter');
    await page.locator('.thread').getByText('I see why.').waitFor();
    t.match(await rest('/merges/1/comments'), [{ line_number: 2 }, { line_number: 2 }]);
  });

  await t.test('the review is submitted', async (t) => {
    await reach(page, page.getByLabel('Comment or review'));
    await keyboard.type('Good.');
    await enter(page, page.getByRole('button', { name: 'Approve' }));
    await page.locator('#merge-timeline').getByText('Good.').waitFor();
    t.match(await rest('/merges/1'), { reviewers: [{ state: 'approved' }] });
  });

  await t.test('the request is merged', async (t) => {
    await enter(page, page.getByRole('button', { name: 'Merge', exact: true }));
    await page.locator('#merge-box').getByText('Merged into').waitFor();
    t.match(await rest('/merges/1'), { state: 'merged' });
  });

  await t.test('a commit and the list of commits', async (t) => {
    await keyboard.press('g');
    await keyboard.press('c');
    await page.waitForURL('**/ada/engine');
    await enter(page, link('a.txt'));
    await page.waitForURL('**/-/blob/main/a.txt');
    t.match(await page.locator('main').innerText(), /one\s+2/);
  });

  t.strictSame(who.problems(), []);
});
