// Reads code in a browser by keyboard alone: finds a file, links to lines of it, looks at
// its blame, history and commits, and compares branches.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { fillExample } from '#test/support/clients/example-forge';
import { stockGit } from '#test/support/servers/stock-git';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { visitor } from '../visitor.ts';
import { enter, reach } from './keyboard.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const source = ['// Receives a push.', 'export function receive(pack) {', '  check(pack);', '  store(pack);', '}', ''];

void t.test('reading code', async (t) => {
  await using forge = await testHost([]);
  const work = await stockGit(t);
  await work.git('init', '-q', '-b', 'main');
  await work.commit('Begin', { 'README.md': '# Engine\n\nRead *this* first.\n', 'core/push.ts': source.join('\n') });
  await work.git('branch', 'quiet-logs');
  source.splice(3, 0, '  if (pack.empty) return;');
  await work.commit('Ignore empty packs', { 'core/push.ts': source.join('\n'), 'core/pack.ts': 'export {};\n' });
  await fillExample(forge, (remote) => work.git('push', '-q', remote, 'main', 'quiet-logs'));
  const who = await visitor(browser, forge.url);
  const { page } = who;
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const follow = (name: string | RegExp): Promise<void> =>
    page.getByRole('main').getByRole('link', { name, exact: true }).first().press('Enter');
  const focused = (): Promise<string> => page.locator(':focus').innerText();
  const marked = (): Promise<readonly string[]> => page.locator('tr.marked').allInnerTexts();

  await t.test('a file is found by parts of its path', async (t) => {
    await page.goto('/ada/engine');
    await press('t');
    await page.waitForURL('**/-/find/main');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('co push');
    await press('Enter');
    await page.waitForURL('**/-/find/main?q=co+push');
    await press('j');
    t.equal(await focused(), 'core/push.ts');
    await press('Enter');
    await page.waitForURL('**/-/blob/main/core/push.ts');
  });

  await t.test('lines are linked, and the permanent link keeps them', async (t) => {
    await enter(page, page.getByRole('link', { name: 'Line 2', exact: true }));
    t.match(page.url(), /#L2$/);
    await reach(page, page.getByRole('link', { name: 'Line 4', exact: true }));
    await press('Shift+Enter');
    t.match(page.url(), /#L2-L4$/);
    t.equal((await marked()).length, 3);
    await press('y');
    await page.waitForURL(/\/-\/blob\/[0-9a-f]{40}\/core\/push\.ts#L2-L4$/);
    t.match(await marked(), [/receive/, /check/, /empty/]);
    const link = page.url();
    await page.goto('/');
    await page.goto(link);
    t.equal((await marked()).length, 3, 'who gets the link sees the lines');
    await page.goBack();
    await page.goBack();
  });

  await t.test('blame, a commit and history', async (t) => {
    await page.goto('/ada/engine/-/blob/main/core/push.ts');
    await follow('Blame');
    await page.waitForURL('**/-/blame/main/core/push.ts');
    t.equal(await page.locator('td.from').count(), 3, 'a cell for each run of lines of a commit');
    const commit = (await work.git('rev-parse', 'main')).trim();
    await follow(commit.slice(0, 7));
    await page.waitForURL(`**/-/commit/${commit}`);
    await press('j');
    t.equal(await focused(), 'core/pack.ts', 'j steps to the first file');
    await press('j');
    t.equal(await focused(), 'core/push.ts');
    await press('k');
    t.equal(await focused(), 'core/pack.ts');
    await page.goto('/ada/engine/-/blob/main/core/push.ts');
    await follow('History');
    await page.waitForURL('**/-/commits/main/core/push.ts');
    await press('j');
    t.equal(await focused(), 'Ignore empty packs');
    await press('j');
    await press('Enter');
    await page.getByRole('heading', { name: 'Begin' }).waitFor();
  });

  await t.test('the list of files', async (t) => {
    await page.goto('/ada/engine');
    await press('j');
    t.equal(await focused(), 'core');
    await press('Enter');
    await page.waitForURL('**/-/tree/main/core');
    await press('j');
    await press('j');
    t.equal(await focused(), 'push.ts');
    await press('k');
    await press('Enter');
    await page.waitForURL('**/-/blob/main/core/pack.ts');
  });

  await t.test('raw, rendered and source', async (t) => {
    await page.goto('/ada/engine/-/blob/main/README.md');
    await page.locator('em', { hasText: 'this' }).waitFor();
    await follow('Source');
    await page.waitForURL('**/README.md?plain=1');
    await page.getByText('Read *this* first.').waitFor();
    await press('y');
    await page.waitForURL(/\/-\/blob\/[0-9a-f]{40}\/README\.md\?plain=1$/);
    await follow('Rendered');
    await page.locator('em', { hasText: 'this' }).waitFor();
    await follow('Raw');
    await page.waitForURL('**/-/raw/*/README.md');
    t.equal(await page.locator('body').innerText(), '# Engine\n\nRead *this* first.\n');
  });

  await t.test('two branches are compared', async (t) => {
    await page.goto('/ada/engine');
    await follow('Branches');
    await page.getByRole('link', { name: 'Compare' }).first().press('Enter');
    await page.waitForURL('**/-/compare**');
    await page.getByLabel('Base').fill('quiet-logs');
    await page.getByLabel('Head').fill('push-progress');
    await press('Enter');
    await page.waitForURL('**/-/compare/quiet-logs...push-progress');
    await page.getByText('2 commits ahead').waitFor();
    await page.getByRole('link', { name: 'Ignore empty packs' }).waitFor();
    t.equal(await page.locator('main .diff').count(), 3);
  });
  t.strictSame(who.problems(), []);
});
