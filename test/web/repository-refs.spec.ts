// Tests the pages of branches, tags, history, comparison and forks.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { submitTo } from '#test/support/page-forms';

const hostile = '<img src=x onerror="alert(1)">\u{202e}';

async function write(forge: TestHost, path: string, branch: string, message: string, name = 'Ada'): Promise<void> {
  const { status } = await forge.as('alice').put(`/repos/alice/site/contents/${path}`, {
    json: { message, branch, content: Buffer.from('a\n').toString('base64'), author: { name, email: 'a@example.org' } },
  });
  if (status !== 201) throw new Error(`PUT ${path} answered ${status}`);
}

void t.test('branches, tags, history, comparison and forks', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'internal' }],
    users: ['bob'],
  });
  const alice = forge.browser('alice');
  const bob = forge.browser('bob');
  await write(forge, 'one', 'main', 'First');

  await t.test('a branch is created, found, compared and deleted', async (t) => {
    const branches = '/alice/site/-/branches';
    const page = await alice.open(branches);
    const create = (name: string, base_ref = 'main') => submitTo(alice, page, branches, { name, base_ref });
    t.match(await create('topic/<b>'), { status: 200, path: '/alice/site/-/tree/topic/%3Cb%3E' });
    t.match(await create('topic/<b>'), { status: 422, html: /<details class="disclosure" open[^]*id="name-error"/ });
    t.match(await create('-x'), { status: 422, html: /id="name-error"/ });
    t.match(await create('y', hostile), { status: 422, html: /id="base_ref-error"/ });
    await write(forge, 'two', 'topic/<b>', hostile);
    await write(forge, 'three', 'main', 'Third', 'Bo');
    const all = await alice.open(branches);
    t.match(all.html, /<bdi>topic\/&lt;b&gt;<\/bdi>[^]*compare\/main\.\.\.topic\/%3Cb%3E"\s*>1 ahead, 1 behind</);
    t.notMatch(all.html, /topic\/<b>|<img|\u{202e}/u);
    const found = (await alice.open(`${branches}?search=TOPIC&sort=ahead`)).html;
    t.match(found, /topic\/&lt;b&gt;/);
    t.notMatch(found, /<bdi>main<\/bdi>/);
    t.match((await alice.open(`${branches}?search=refs`)).html, /No branch has this in its name/);
    t.notMatch((await bob.open(branches)).html, /New branch|delete-branch/, 'for those who may push');

    const question = await alice.open('/alice/site/-/delete-branch/topic/%3Cb%3E');
    t.match(question.html, /Delete the branch <bdi>topic\/&lt;b&gt;<\/bdi>\?/);
    await write(forge, 'four', 'topic/<b>', 'Moved');
    const moved = await submitTo(alice, question, '/alice/site/-/delete-branch');
    t.match(moved, { status: 422, html: /The branch has moved/ });
    await create('old');
    const asked = await alice.open('/alice/site/-/delete-branch/old');
    t.equal((await submitTo(alice, asked, '/alice/site/-/delete-branch')).status, 200);
    t.notMatch((await alice.open(branches)).html, /<bdi>old</);
    t.equal((await bob.open('/alice/site/-/delete-branch/main')).status, 403);
    t.equal((await alice.open('/alice/site/-/delete-branch/none')).status, 404);
    const last = await alice.open('/alice/site/-/delete-branch/main');
    t.match(await submitTo(alice, last, '/alice/site/-/delete-branch'), { status: 422, html: /default branch cannot/ });
  });

  await t.test('two refs are compared', async (t) => {
    const picked = await alice.submit(await alice.open('/alice/site/-/compare'), { head: 'topic/<b>' });
    t.match(picked, { status: 200, path: '/alice/site/-/compare/main...topic/%3Cb%3E' });
    t.match(picked.html, /is 2 commits ahead of[^]*and 1 behind[^]*Moved[^]*2 files changed/);
    t.notMatch(picked.html, /<img|\u{202e}/u);
    t.match((await alice.open('/alice/site/-/compare/main...main')).html, /Both are the same/);
    const missing = await alice.open(`/alice/site/-/compare/main...${encodeURIComponent(hostile)}`);
    t.match(missing, { status: 404, html: /Choose two that exist/ });
    t.notMatch(missing.html, /<img/);
    t.equal((await forge.browser().open('/alice/site/-/compare')).status, 404);
  });

  await t.test('the history is filtered by author and date', async (t) => {
    const html = async (query: string) => (await alice.open(`/alice/site/-/commits/main?${query}`)).html;
    t.match(await html('author=bo'), /There are no commits here/, 'as it is written');
    t.match(await html('author=Bo'), /Third/);
    t.notMatch(await html('author=Bo'), /First/);
    t.match(await html('until=2001-01-01'), /There are no commits here[^]*Without the filter/);
    t.equal((await alice.open('/alice/site/-/commits/main?since=x')).status, 400);
    t.match((await alice.open('/alice/site/-/commits/main/one')).html, /History of all files/);
  });

  await t.test('a tag is created and deleted', async (t) => {
    const tags = '/alice/site/-/tags';
    const page = await alice.open(tags);
    const made = await submitTo(alice, page, tags, { name: 'v1', ref: 'main', message: `${hostile}\r\nmore` });
    t.match(made, { status: 200, path: tags, html: /archive\/v1\.zip/ });
    t.notMatch(made.html, /<img|\u{202e}/u);
    t.match((await forge.as('alice').get('/repos/alice/site/tags')).body, { items: [{ message: /\nmore$/ }] });
    t.match(await submitTo(alice, page, tags, { name: 'v1' }), { status: 422, html: /id="name-error"/ });
    t.match(await submitTo(alice, page, tags, { name: 'v2', ref: 'none' }), { status: 422, html: /id="ref-error"/ });
    t.match((await alice.open(`${tags}?search=x`)).html, /No tag has this in its name/);
    t.notMatch((await bob.open(tags)).html, /New tag|delete-tag/);
    const question = await alice.open('/alice/site/-/delete-tag/v1');
    t.match(await submitTo(alice, question, '/alice/site/-/delete-tag'), { path: tags, html: /There is no tag yet/ });
    t.match(await submitTo(alice, question, '/alice/site/-/delete-tag'), { status: 422, html: /no such tag/ });
  });

  await t.test('a reader forks', async (t) => {
    t.match((await bob.open('/alice/site/-/forks')).html, /There is no fork that you can read/);
    const page = await bob.open('/alice/site/-/fork');
    t.notMatch(page.html, /value="public"/, 'at most as visible as its parent');
    const fork = (values: Readonly<Record<string, string>>) => submitTo(bob, page, '/alice/site/-/fork', values);
    t.match(await fork({ visibility: 'public' }), { status: 422, html: /id="visibility-error"/ });
    t.match(await fork({ name: 'a b' }), { status: 422, html: /id="name-error"/ });
    t.match(await fork({ name: 'copy', description: hostile }), {
      status: 200,
      path: '/bob/copy',
      html: /<bdi>one<\/bdi>/,
    });
    const forks = await alice.open('/alice/site/-/forks');
    t.match(forks.html, /href="\/bob\/copy"/);
    t.notMatch(forks.html, /<img|\u{202e}/u);
    t.match((await forge.browser().open('/alice/site/-/fork')).path, /^\/-\/sign-in/);
    t.equal((await forge.browser().open('/alice/site/-/forks')).status, 404);
    const parent = /Forked from <a href="\/alice\/site"/;
    t.match((await bob.open('/bob/copy')).html, parent);
    t.notMatch((await alice.open('/alice/site')).html, /Forked from/);
    await forge.as('alice').patch('/repos/alice/site', { json: { visibility: 'private' } });
    t.match((await alice.open('/bob/copy')).html, parent);
    t.notMatch((await bob.open('/bob/copy')).html, /Forked from|alice/, 'for readers of the parent');
  });
});
