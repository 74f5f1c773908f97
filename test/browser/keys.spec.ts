// In a real browser: keys that work on every page of a repository and in tables, and buttons that copy.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { startChromium } from '../../tools/peers/chromium.ts';
import { signIn, visitor } from './visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

void t.test('keys and copies', async (t) => {
  await using forge = await testHost([], { repositories: ['admin/site'], users: ['bob', 'carol'] });
  const { password } = await forge.user('admin');
  await forge.as('admin').put('/repos/admin/site/contents/README.md', {
    json: { message: 'First', content: Buffer.from('# Site').toString('base64'), branch: 'main' },
  });
  const who = await visitor(browser, forge.url);
  const { page } = who;
  await signIn(who, { username: 'admin', password });

  await t.test('"t" finds a file from a page without a button for it', async (t) => {
    await page.goto('/admin/site/-/settings');
    await page.keyboard.press('t');
    await page.waitForURL('**/admin/site/-/find/main');
    t.match(await page.innerText('main'), 'README.md');
    t.equal(await page.locator('a[data-key=t]:visible').count(), 0);
  });

  await t.test('"/" focuses the search field of the page', async (t) => {
    for (const path of ['/admin/site/-/issues', '/-/explore', '/admin/site/-/branches', '/-/admin/users']) {
      await page.goto(path);
      await page.keyboard.press('/');
      t.equal(await page.evaluate('document.activeElement.type'), 'search', path);
      await page.keyboard.press('/');
      t.equal(await page.evaluate('document.activeElement.value'), '/', 'then it is a letter');
    }
  });

  await t.test('"j" and "k" step through the rows of a table', async (t) => {
    await page.goto('/-/admin/users');
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    const all = await page.locator('main .grid tbody tr').count();
    t.ok(all >= 3);
    const steps = [];
    for (const key of ['j', 'j', 'k']) {
      await page.keyboard.press(key);
      steps.push(await focused());
    }
    t.equal(steps[0], steps[2]);
    t.not(steps[0], steps[1]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/-/admin/users/*');
  });

  await t.test('the hint of a key is not a part of the name', async (t) => {
    await page.goto('/admin/site');
    const find = page.getByRole('link', { name: 'Find a file', exact: true });
    t.match(await find.innerText(), /^Find a file\s+t$/);
  });

  await t.test('a button copies its value', async (t) => {
    await who.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/admin/site');
    const button = page.getByRole('button', { name: /^Copy The URL/ });
    await button.click();
    await page.getByText('Copied').waitFor();
    t.equal(await page.evaluate('navigator.clipboard.readText()'), `${forge.url}/admin/site.git`);
    await forge.repository('admin/new');
    await page.goto('/admin/new');
    await page.getByRole('button', { name: /^Copy A first commit/ }).click();
    await page.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    t.match(copied, /^git clone \S+\/admin\/new\.git\ncd \.\/new\n[^]*git push origin HEAD:main$/);
  });
  t.strictSame(who.problems(), []);
});
