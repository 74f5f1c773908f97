// Opens every page in a real browser, wide and narrow, light and dark, signed in and signed out, with texts that try to
// run scripts: no error, no finding of the accessibility check, no invalid HTML, no horizontal scrolling, no request to
// another host. Then again without scripts: every page says the same.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import type { Client } from '#host/sdk/testing/client';
import { fillInstance, fillRepository, pathOf, queriesOf } from '#test/support/clients/filled';
import { body, write } from '#test/web/merge-pages';
import { indexed } from '#test/web/search/world';
import { startChromium } from '../../tools/peers/chromium.ts';
import { hostile, invalidHtml, look, overflow, said, signIn, visitor } from './visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

/** A provider that is on, and does not answer. */
const settings = {
  'oauth.oidc.enabled': true,
  'oauth.oidc.client_id': 'forge',
  'oauth.oidc.client_secret': 'a-secret-of-the-forge',
  'oauth.oidc.issuer': 'http://127.0.0.1:9',
};

const html = { accept: 'text/html' };

const branches = { source_branch: 'topic', target_branch: 'main' };

/** Marks the session of the browser that shows it. */
const ofThisBrowser = '/-/settings/sessions';

/** The paths of all pages, filled in. */
async function pathsOf(forge: TestHost): Promise<readonly string[]> {
  await Promise.all([forge.user('reader'), forge.repository('admin/empty', { visibility: 'public' })]);
  const admin = forge.as('admin');
  await admin.put('/admin/settings/signup.enabled', { json: { value: 'true' } });
  const values = {
    ...(await fillRepository(admin, 'admin/site', hostile)),
    ...(await fillInstance(admin, hostile)),
    owner: 'admin',
    repo: 'site',
    user: 'admin',
  };
  await indexed(forge);
  const pages = forge.port('PageRegistry').pages();
  const paths = pages.flatMap(({ one: { id, path } }) => {
    const filled = pathOf(path, values) ?? `no values for ${path}`;
    return [filled, ...(queriesOf[id] ?? []).map((query) => filled + query)];
  });
  return [...paths, '/admin/empty', '/admin/nothing', '/-/sign-in', '/-/sign-in?error=account_exists'];
}

/** Those of the paths that answer HTML to the caller themselves; the others are downloads or lead elsewhere. */
async function shownTo(caller: Client, { url }: TestHost, paths: readonly string[]): Promise<readonly string[]> {
  const shown = [];
  for (const path of paths) {
    const { status, headers } = await caller.request('GET', new URL(path, url), { headers: html });
    if (status !== 303 && headers['content-type']?.startsWith('text/html') === true) shown.push(path);
  }
  return shown;
}

void t.test('every page', async (t) => {
  await using forge = await testHost([], { settings, repositories: [{ path: 'admin/site', visibility: 'public' }] });
  const paths = await pathsOf(forge);
  const { password } = await forge.user('admin');
  for (const signedIn of [true, false])
    await t.test(signedIn ? 'signed in' : 'signed out', async (t) => {
      const shown = await shownTo(signedIn ? forge.as('admin') : forge.anonymous, forge, paths);
      t.ok(shown.length > 20, `${String(shown.length)} pages`);
      const [who, without] = [await visitor(browser, forge.url), await visitor(browser, forge.url, { scripts: false })];
      if (signedIn) for (const each of [who, without]) await signIn(each, { username: 'admin', password });
      for (const path of shown) {
        const [answer] = await Promise.all([who.page.goto(path), without.page.goto(path)]);
        t.strictSame(await invalidHtml((await answer?.text()) ?? ''), [], `HTML of ${path}`);
        await look(t, who, path);
        if (path !== ofThisBrowser)
          t.equal(await said(without), await said(who), `${path} says the same without scripts`);
        t.strictSame(without.problems(), [], `problems of ${path} without scripts`);
      }
      await Promise.all([who.context.close(), without.context.close()]);
    });
});

void t.test('a line of 10 MB', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'admin/site', visibility: 'public' }] });
  const file = { by: 'admin', repository: 'admin/site', path: 'long.js' } as const;
  await write(forge, { ...file, branch: 'main', content: `const a = '${'a.'.repeat(5_000_000)}';\n` });
  const commit = await write(forge, { ...file, branch: 'topic', content: `const b = '${'<b>'.repeat(3_300_000)}';\n` });
  body(await forge.as('admin').post('/repos/admin/site/merges', { json: { title: 'Long', ...branches } }));
  const who = await visitor(browser, forge.url);
  const { password } = await forge.user('admin');
  await signIn(who, { username: 'admin', password });
  for (const path of [
    'blob/main/long.js',
    'blame/main/long.js',
    'edit/main/long.js',
    `commit/${commit}`,
    'compare/main...topic',
    'merges/1/changes',
  ]) {
    const answer = await who.page.goto(`/admin/site/-/${path}`);
    // REST does not blame a file of this size either.
    t.equal(answer?.status(), path.startsWith('blame/') ? 422 : 200, path);
    t.ok(((await answer?.body()) ?? '').length < 1_000_000, `${path} does not hold the line`);
    t.ok((await overflow(who)) <= 0, `${path} is as wide as the window`);
    t.strictSame(who.problems(), [], `problems of ${path}`);
  }
  await who.context.close();
});
