// Opens every page in a real browser, wide and narrow, light and dark, with texts that try to run scripts: no error, no
// finding of the accessibility check, no invalid HTML, no horizontal scrolling, no request to another host.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { fillInstance, fillRepository, pathOf } from '#test/support/clients/filled';
import { startChromium } from '../../tools/chromium.ts';
import { accessibility, canary, hostile, invalidHtml, overflow, signIn, visitor } from './visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

/** The paths of all pages, filled in. */
async function pathsOf(forge: TestHost): Promise<readonly string[]> {
  await Promise.all([forge.user('reader'), forge.repository('admin/empty')]);
  const admin = forge.as('admin');
  const values = {
    ...(await fillRepository(admin, 'admin/site', hostile)),
    ...(await fillInstance(admin, hostile)),
    owner: 'admin',
    repo: 'site',
    user: 'admin',
  };
  const pages = forge.port('PageRegistry').pages();
  const paths = pages.map(({ one }) => pathOf(one.path, values) ?? `no values for ${one.path}`);
  const shown = [];
  for (const path of [...paths, '/admin/empty', '/admin/nothing']) {
    const { headers } = await admin.request('GET', new URL(path, forge.url), { headers: { accept: 'text/html' } });
    // The others are downloads.
    if (headers['content-type']?.startsWith('text/html') === true) shown.push(path);
  }
  return shown;
}

void t.test('every page', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'admin/site', visibility: 'public' }] });
  const paths = await pathsOf(forge);
  const admin = forge.browser('admin');
  const { password } = await forge.user('admin');
  for (const visit of [
    { width: 1280, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)
    await t.test(`${String(visit.width)} px, ${visit.scheme}`, async (t) => {
      const who = await visitor(browser, forge.url, visit);
      await signIn(who, { username: 'admin', password });
      for (const path of paths) {
        await who.page.goto(path);
        t.strictSame(await accessibility(who), [], `accessibility of ${path}`);
        t.ok((await overflow(who)) <= 0, `${path} is as wide as the window`);
        t.equal(await who.page.evaluate(`globalThis.${canary}`), undefined, `no script of a user ran on ${path}`);
        t.strictSame(who.problems(), [], `problems of ${path}`);
      }
      await who.context.close();
    });
  await t.test('HTML', async (t) => {
    for (const path of paths) t.strictSame(await invalidHtml((await admin.open(path)).html), [], path);
  });
});
