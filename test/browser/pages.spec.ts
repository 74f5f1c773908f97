// Opens every page in a real browser, wide and narrow, light and dark, with texts that try to run scripts: no error, no
// finding of the accessibility check, no invalid HTML, no horizontal scrolling, no request to another host.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { fillRepository, pathOf, valuesFor } from '#test/support/clients/filled';
import { startChromium } from '../../tools/chromium.ts';
import { accessibility, canary, hostile, invalidHtml, overflow, signIn, visitor } from './visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

/** The paths of all pages, filled in. */
async function pathsOf(forge: TestHost): Promise<readonly string[]> {
  const filled = await fillRepository(forge.as('admin'), 'admin/site', hostile);
  await forge.repository('admin/empty');
  const pages = forge.port('PageRegistry').pages();
  const paths = pages.flatMap(
    ({ one }) => pathOf(one.path, valuesFor(one.path, { owner: 'admin', repo: 'site' }, filled)) ?? [],
  );
  t.equal(paths.length, pages.length, 'every page has values for its parameters');
  return [...paths, '/admin/empty', '/admin/nothing'];
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
