// Searches in a browser by keyboard alone, from the search box to a line of code; goes from a name in the code to its
// definition; and does both without scripts.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { files, indexed } from '#test/web/search/world';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { accessibility } from '../visitor.ts';
import { signedIn } from './signed-in.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const parse = ['// Parses configurations.', 'export function parseConfig(text: string) {', '  return text;', '}', ''];
const use = ["import { parseConfig } from './parse.ts';", '', "parseConfig('a');", ''];

void t.test('search', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'ada/engine', visibility: 'public' }] });
  await files(forge, 'ada/engine', { 'src/parse.ts': parse.join('\n'), 'src/use.ts': use.join('\n') });
  await indexed(forge);
  const who = await signedIn(browser, forge, 'ada');
  const { page } = who;
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const box = page.getByRole('combobox', { name: /^Search/ });
  const options = page.getByRole('option');

  await t.test('the box suggests while one types, and the arrow keys choose', async (t) => {
    await page.goto('/ada/engine');
    await press('/');
    t.ok(await box.evaluate((input) => input === input.ownerDocument.activeElement));
    await page.keyboard.type('parsec');
    await options.first().waitFor();
    t.equal(await box.getAttribute('aria-expanded'), 'true');
    t.match(await options.first().innerText(), /parseConfig\s+ada\/engine · parse\.ts\s+symbol/);
    t.equal(await box.getAttribute('aria-activedescendant'), null, 'nothing is chosen at first');
    await press('ArrowDown');
    t.equal(await box.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'));
    t.strictSame(await accessibility(who), []);
    await press('ArrowUp');
    t.equal(await box.getAttribute('aria-activedescendant'), null);
    await press('ArrowDown');
    await press('Enter');
    await page.waitForURL('**/ada/engine/-/blob/main/src/parse.ts#L2');
    t.match(await page.locator('tr.marked').innerText(), /function parseConfig/);
  });

  await t.test('Escape closes the suggestions; Enter searches the repository', async () => {
    await press('/');
    await page.keyboard.type('parseConfig');
    await options.first().waitFor();
    await press('Escape');
    await options.first().waitFor({ state: 'detached' });
    await press('Enter');
    await page.waitForURL('**/-/search?q=parseConfig&repo=ada%2Fengine');
  });

  await t.test('the keys of lists step through the hits', async (t) => {
    t.equal(await page.locator('main mark').first().innerText(), 'parseConfig');
    await press('j');
    t.match(await page.locator(':focus').innerText(), 'parseConfig', 'the definition is first');
    await press('j');
    t.match(await page.locator(':focus').innerText(), /ada\/engine src\/parse\.ts/);
    await press('j');
    t.match(await page.locator(':focus').innerText(), /ada\/engine src\/use\.ts/);
    await press('Enter');
    await page.waitForURL(/\/-\/blob\/main\/src\/use\.ts#L[13]$/);
  });

  await t.test('a name in the code leads to its definition', async (t) => {
    const name = page.locator('#L3 code').getByText('parseConfig').first();
    await name.dblclick({ position: { x: 10, y: 8 } });
    t.equal(await page.getByLabel('Name').inputValue(), 'parseConfig', 'a double click fills in the form');
    await name.click({ modifiers: ['Alt'], position: { x: 10, y: 8 } });
    await page.waitForURL('**/ada/engine/-/blob/main/src/parse.ts#L2');
    await page.getByRole('complementary').getByRole('link', { name: 'parseConfig' }).click();
    t.match(page.url(), /#L2$/);
  });

  await t.test('without scripts', async (t) => {
    const plain = await signedIn(browser, forge, 'ada', { scripts: false });
    await plain.page.goto('/ada/engine');
    await plain.page.getByRole('textbox', { name: /^Search/ }).fill('parseConfig');
    await plain.page.keyboard.press('Enter');
    await plain.page.waitForURL('**/-/search?q=parseConfig&repo=ada%2Fengine');
    await plain.page.getByRole('link', { name: 'Line 2', exact: true }).first().click();
    await plain.page.waitForURL('**/ada/engine/-/blob/main/src/parse.ts#L2');
    await plain.page.getByLabel('Name').fill('parseConfig');
    await plain.page.getByRole('button', { name: 'Find definition' }).click();
    await plain.page.waitForURL('**/ada/engine/-/blob/main/src/parse.ts#L2');
    t.strictSame(plain.problems(), []);
  });
  t.strictSame(who.problems(), []);
});
