// Tests the page of administration for the search index.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { files, indexed } from './world.ts';

void t.test('an administrator sees the index, and indexes again', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'private' }] });
  await files(forge, 'alice/site', { 'a.ts': 'word\n', 'b.md': 'word\n' });
  await indexed(forge);
  const admin = forge.browser('admin');
  const path = '/-/admin/search';
  const page = await admin.open(path);
  t.match(page.html, /<dt>State<\/dt>\s*<dd><span class="pill good">Up to date/);
  t.match(page.html, /<dt>Files<\/dt>\s*<dd>2<\/dd>/);
  t.match(page.html, /<nav class="section" aria-label="Administration">[^]*href="\/-\/admin\/search" aria-current/);
  const index = (action: string) => page.forms.findIndex((form) => form.action === `${path}/${action}`);

  const missing = await admin.submit(page, { repository: '<b>/none' }, index('repository'));
  t.match(missing, { status: 422, html: /id="repository-error"/ });
  t.match(missing.html, /value="&lt;b&gt;\/none"/);
  const one = await admin.submit(page, { repository: ' Alice/site ' }, index('repository'));
  t.match(one.html, /The repository is indexed again/);
  await indexed(forge);
  const all = await admin.submit(page, {}, index('everything'));
  t.match(all.html, /A new index is filled[^]*<dt>Rebuild<\/dt>\s*<dd>Running/);
  await indexed(forge);
  await forge.runJob('search', 'compare');
  t.match((await admin.open(path)).html, /<dt>Rebuild<\/dt>\s*<dd>None is running/);

  const { body } = await forge.as('admin').get('/admin/audit-log?action=search.reindexed');
  t.match(body, { entries: [{ resource: 'search_index:all' }, { details: { owner: 'alice', name: 'site' } }] });
});

void t.test('the page reports a missing back end', async (t) => {
  await using forge = await testHost([], {
    environment: { HEXFORGE_PLUGINS: '-search-sql' },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const admin = forge.browser('admin');
  const page = await admin.open('/-/admin/search');
  t.match(page.html, /missing or does not answer[^]*Does not answer/);
  const index = page.forms.findIndex(({ action }) => action === '/-/admin/search/everything');
  t.match(await admin.submit(page, {}, index), { status: 404, html: /There is no search back end/ });
});
