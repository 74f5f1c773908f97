// Tests what follows from a ref: another branch at the same path, symbolic links, and the way to a merge request.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';

const site = '/alice/site/-';

async function write(forge: TestHost, path: string, branch: string): Promise<void> {
  const { status } = await forge.as('alice').put(`/repos/alice/site/contents/${path}`, {
    json: { message: `Write ${path}`, branch, content: Buffer.from('a\n').toString('base64') },
  });
  if (status !== 201) throw new Error(`PUT ${path} answered ${status}`);
}

const mainOf = (html: string): string => /<main>[^]*<\/main>/.exec(html)?.[0] ?? '';

void t.test('another branch or tag shows the same kind of page at the same path', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  await write(forge, 'src/a%20b', 'main');
  await alice.post('/repos/alice/site/branches', { json: { name: 'x/topic', base_ref: 'main' } });
  await alice.post('/repos/alice/site/tags', { json: { name: 'v1', ref: 'main' } });
  await write(forge, 'src/new', 'main');
  const browser = forge.browser();
  const href = (html: string, pattern: RegExp): string => (pattern.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
  for (const [kind, path] of [
    ['blob', 'src/a%20b'],
    ['blame', 'src/a%20b'],
    ['commits', 'src/a%20b'],
    ['tree', 'src'],
    ['find', ''],
  ] as const) {
    const { html } = await browser.open(`${site}/${kind}/main/${path}`);
    const list = href(html, /class="button ref"\s+href="([^"]*)"/);
    const branches = await browser.open(list);
    const at = [site, kind, 'x/topic', path].filter((part) => part !== '').join('/');
    t.match(branches.html, `<a href="${at}"><bdi>x/topic</bdi>`, kind);
    t.equal((await browser.open(at)).status, 200, at);
    const tags = await browser.open(href(branches.html, /<a href="([^"]*)"[^>]*>Tags</));
    t.match(tags.html, `<a href="${at.replace('x/topic', 'v1')}"><bdi>v1</bdi>`, kind);
    const [filter] = branches.forms.filter(({ method }) => method === 'GET');
    t.match(filter?.fields, { show: kind }, 'the filter keeps it');
  }
  t.match((await browser.open(`${site}/branches`)).html, `<a href="${site}/tree/x/topic">`);

  for (const kind of ['blob', 'tree', 'blame']) {
    const { html, status } = await browser.open(`${site}/${kind}/x/topic/src/new`);
    t.equal(status, 404, kind);
    t.match(html, /This path does not exist here/);
    t.match(html, `href="${site}/tree/x/topic"`);
    t.match(html, `href="${site}/commits/x/topic/src/new"`);
    t.equal((await browser.open(`${site}/${kind}/none/src/new`)).status, 404);
  }
  const blame = await browser.open(`${site}/blame/main/src`);
  t.equal(blame.status, 404);
  t.notMatch(blame.html, /This path does not exist/, 'a folder exists and has no blame');
  const { html: history } = await browser.open(`${site}/commits/main/src/new`);
  t.match(history, `<a href="${site}/blob/main/src/new"><bdi>new</bdi>`, 'the history leads to the file');
  for (const query of ['show=raw&path=a', 'show=tree&path=/../../x', `path=${'x'.repeat(5000)}`])
    t.notMatch(
      mainOf((await browser.open(`${site}/branches?${query}`)).html),
      /\/-\/raw\/|Choose where|%2F\.\.|\/\.\.|x{100}/,
      query.slice(0, 20),
    );
});

void t.test('a symbolic link leads to its target within the repository, and never shows its content', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const work = await workTree(await stockGit(t), 'work');
  await work.commit('Files', { 'docs/read me.md': 'within it\n', 'src/x': 'x\n' });
  for (const [name, target] of Object.entries({
    file: '../docs/./read me.md',
    folder: '../docs/',
    root: '..',
    out: '../../etc/passwd',
    absolute: '/etc/passwd',
    none: 'missing',
    itself: 'itself',
    hostile: 'javascript:alert(1)',
  }))
    await symlink(target, join(work.folder, 'src', name));
  await work.git('add', '--all');
  await work.git('commit', '--quiet', '--message', 'Links');
  await work.git('push', '--quiet', remote(forge.url, 'alice/site', await forge.user('alice')), 'main');
  const browser = forge.browser();
  for (const [name, href] of [
    ['file', 'blob/main/docs/read%20me.md'],
    ['folder', 'tree/main/docs'],
    ['root', 'tree/main'],
    ['itself', 'blob/main/src/itself'],
    ['out', undefined],
    ['absolute', undefined],
    ['none', undefined],
    ['hostile', undefined],
  ] as const) {
    const { html, status } = await browser.open(`${site}/blob/main/src/${name}`);
    t.equal(status, 200, name);
    t.notMatch(html, /within it/, name);
    const link = /It points to\s+(?:<a href="([^"]*)">)?<code>/.exec(html);
    t.strictSame([link?.length, link?.[1]], [2, href && `${site}/${href}`], name);
  }
});

void t.test('a comparison of two branches leads to a new merge request', async (t) => {
  const options = { repositories: [{ path: 'alice/site', visibility: 'public' as const }], users: ['bob'] };
  await using forge = await testHost([], options);
  await write(forge, 'one', 'main');
  await forge.as('alice').post('/repos/alice/site/branches', { json: { name: 'x&y', base_ref: 'main' } });
  await write(forge, 'two', 'x&y');
  const compare = `${site}/compare/main...x%26y`;
  const link = `href="${site}/merges/new?source_branch=x%26y&amp;target_branch=main"`;
  t.match((await forge.browser('bob').open(compare)).html, link, 'for each reader who is signed in');
  t.notMatch((await forge.browser().open(compare)).html, /merges\/new/);
  const { path } = await forge.browser('alice').open(`${site}/merges/new?source_branch=x%26y&target_branch=main`);
  t.match(path, '/merges/new');
  t.notMatch((await forge.browser('bob').open(`${site}/compare/x%26y...main`)).html, /merges\/new/, 'nothing is new');
  const { body } = await forge.as('alice').get('/repos/alice/site/commits/x%26y');
  const { sha } = body as { readonly sha: string };
  t.notMatch((await forge.browser('bob').open(`${site}/compare/main...${sha}`)).html, /merges\/new/, 'no branch');
});

void t.test('without the plugin of merge requests a comparison has no way to one', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    environment: { HEXFORGE_PLUGINS: '-merges' },
  });
  await write(forge, 'one', 'main');
  await forge.as('alice').post('/repos/alice/site/branches', { json: { name: 'topic', base_ref: 'main' } });
  await write(forge, 'two', 'topic');
  const { html, status } = await forge.browser('alice').open(`${site}/compare/main...topic`);
  t.equal(status, 200);
  t.match(html, /1 commit ahead/);
  t.notMatch(html, /merges\/new/);
});
