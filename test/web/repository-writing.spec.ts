// Tests the pages that create repositories and files: new, star and watch, edit, new file, upload, delete.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { submitTo } from '#test/support/page-forms';

/** A text that would run if it were not escaped, and a character that reverses the text after it. */
const hostile = '<img src=x onerror="alert(1)">\u{202e}';

async function write(forge: TestHost, path: string, content: string | Uint8Array, more: object = {}): Promise<void> {
  const { status } = await forge.as('alice').put(`/repos/alice/site/contents/${path}`, {
    json: { message: 'A file', content: Buffer.from(content).toString('base64'), ...more },
  });
  if (status > 201) throw new Error(`PUT ${path} answered ${status}`);
}
const raw = async (forge: TestHost, path: string, ref = 'main'): Promise<string> =>
  Buffer.from((await forge.as('alice').get(`/repos/alice/site/raw/${ref}/${path}`)).bytes).toString();
const newest = async (forge: TestHost, ref = 'main'): Promise<unknown> =>
  (await forge.as('alice').get(`/repos/alice/site/commits/${ref}`)).body;

void t.test('a new repository', async (t) => {
  await using forge = await testHost([], { users: ['alice', 'bob'] });
  const browser = forge.browser('alice');
  t.match((await forge.browser().open('/-/new')).path, /^\/-\/sign-in/);
  t.match((await browser.open('/')).html, /<a href="\/-\/new">New repository<\/a>/);
  const page = await browser.open('/-/new');
  t.notMatch(page.html, /name="owner"/, 'for administrators alone');
  const values = { name: 'site', description: hostile, visibility: 'internal', default_branch: 'trunk' };
  const made = await submitTo(browser, page, '/-/new', values);
  t.match(made, { status: 200, path: '/alice/site', html: /git push origin HEAD:trunk/ });
  t.match((await forge.as('alice').get('/repos/alice/site')).body, { ...values, owner: 'alice' });
  const taken = await submitTo(browser, page, '/-/new', { ...values, name: 'SITE' });
  t.match(taken, {
    status: 422,
    html: /<p class="error" id="name-error">&quot;SITE&quot; is in use/,
  });
  t.match(taken.html, /value="trunk"/, 'keeps what was typed');
  t.notMatch(taken.html, /<img|\u{202e}/u);
  t.match(await submitTo(browser, page, '/-/new', { name: '', visibility: 'private' }), { status: 422 });
  t.equal((await submitTo(browser, page, '/-/new', { ...values, owner: 'bob' })).status, 403);
});

void t.test('the side column: stars, watching and archives', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'private' }],
    users: ['bob'],
  });
  const browser = forge.browser('alice');
  const empty = await browser.open('/alice/site');
  t.notMatch(empty.html, /archive\/main/, 'without commits there is no archive');
  const counts = async (): Promise<unknown> => (await forge.as('alice').get('/repos/alice/site')).body;
  const starred = await submitTo(browser, empty, '/alice/site/-/star', { on: 'true' });
  t.match(starred, { path: '/alice/site', html: /1 star ·[^]*value="false"\s*>\s*Unstar/ });
  t.match(await counts(), { starred: true, watching: false });
  await submitTo(browser, starred, '/alice/site/-/watch', { on: 'true' });
  await submitTo(browser, starred, '/alice/site/-/star', { on: 'false' });
  t.match(await counts(), { starred: false, watching: true });
  await write(forge, 'a', 'text');
  const page = await browser.open('/alice/site');
  t.match(page.html, /href="\/alice\/site\/-\/archive\/main\.tar\.gz"/);
  const url = new URL('/alice/site/-/archive/main.zip', forge.url);
  t.match(await browser.request('GET', url), { status: 200, headers: { 'content-type': 'application/zip' } });
  t.equal((await forge.browser('bob').open('/alice/site/-/archive/main.zip')).status, 404);
  t.equal((await forge.browser().open('/alice/site/-/archive/main.zip')).status, 404);
  const bob = forge.browser('bob');
  await bob.open('/');
  const body = { body: 'on=true', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  t.equal((await bob.request('POST', new URL('/alice/site/-/star', forge.url), body)).status, 404);
});

void t.test('editing a file', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    users: ['bob'],
  });
  await write(forge, 'a%20b/read.md', 'one\r\ntwo\r\n');
  const browser = forge.browser('alice');
  const path = '/alice/site/-/edit/main/a%20b/read.md';
  const page = await browser.open(path);
  t.match(page.forms[0]?.fields, { content: 'one\ntwo\n', line_end: 'crlf' });

  const done = await submitTo(browser, page, path, { content: 'one\r\nthree\r\n', message: 'Count on\r\n\r\nWhy' });
  t.match(done, { status: 200, path: '/alice/site/-/blob/main/a%20b/read.md' });
  t.equal(await raw(forge, 'a%20b/read.md'), 'one\r\nthree\r\n', 'the line ends of the file are kept');
  t.match(await newest(forge), { message: 'Count on\n\nWhy', author: { name: 'alice' } });

  const stale = await submitTo(browser, page, path, { content: `${hostile} mine`, message: 'Mine' });
  t.match(stale, { status: 422, html: /The file has changed meanwhile[^]*Somebody has changed it since/ });
  t.match(stale.html, /&lt;img src=x[^]* mine<\/textarea>[^]*Mine<\/textarea>/, 'keeps what was typed');
  t.match(stale.html, /shown as U\+FFFD/);
  t.notMatch(stale.html, /<img|\u{202e}/u);
  t.match((await submitTo(browser, stale, path)).status, 422, 'sent again it is refused again');

  const again = await browser.open(path);
  const branched = await submitTo(browser, again, path, { content: 'four\n', new_branch: 'topic/four' });
  t.match(branched, { status: 200, path: '/alice/site/-/compare/main...topic/four', html: /Update a b\/read\.md/ });
  t.equal(await raw(forge, 'a%20b/read.md', 'topic/four'), 'four\r\n');
  t.match(await submitTo(browser, again, path, { content: 'x', new_branch: 'topic/four' }), {
    status: 422,
    html: /id="new_branch-error">&quot;topic\/four&quot; is in use/,
  });
  const gone = await submitTo(browser, page, path, { content: 'mine', new_branch: 'topic/stale' });
  t.match(gone, { status: 422, html: /Somebody has changed it since/ });
  t.match(await submitTo(browser, again, path, { content: 'x', new_branch: 'topic' }), { status: 422 });
  const names = async () => (await forge.as('alice').get('/repos/alice/site/branches')).body;
  t.match(await names(), { total: 2 }, 'a refused commit leaves no branch behind');
  await forge.as('alice').put('/repos/alice/site/branches/main/protection', { json: { push_roles: [] } });
  const refused = await submitTo(browser, again, path, { content: 'typed text' });
  t.match(refused, { status: 422, html: /typed text<\/textarea>/ });
  t.match(refused.html, /The branch is protected from this/);

  for (const [name, content] of [
    ['binary', new Uint8Array([0, 1, 2])],
    ['latin1', new Uint8Array([0xe9])],
    ['mixed', 'a\r\nb\n'],
    ['bidi', 'a\u{202e}b'],
    ['large', 'x'.repeat(512 * 1024 + 1)],
  ] as const) {
    await write(forge, name, content, { branch: 'topic/four' });
    const { html, status } = await browser.open(`/alice/site/-/edit/topic/four/${name}`);
    t.match({ html, status }, { status: 200, html: /This file cannot be edited in a browser/ }, name);
  }
  t.equal((await browser.open('/alice/site/-/edit/main/none')).status, 404);
  t.equal((await browser.open('/alice/site/-/edit/main/a%20b')).status, 404);
});

void t.test('new files, uploads and deletions', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const browser = forge.browser('alice');
  const first = await browser.open('/alice/site/-/new-file/main');
  const added = await submitTo(browser, first, '/alice/site/-/new-file/main', { name: 'docs/a', content: 'one\r\n' });
  t.match(added, { status: 200, path: '/alice/site/-/blob/main/docs/a' }, 'the first commit of an empty repository');
  t.equal(await raw(forge, 'docs/a'), 'one\n');
  t.match(await newest(forge), { message: 'Add docs/a' });
  const folder = await browser.open('/alice/site/-/new-file/main/docs');
  const send = (name: string) => submitTo(browser, folder, '/alice/site/-/new-file/main/docs', { name, content: 'x' });
  t.match(await send('a'), { status: 422, html: /The file exists already/ });
  t.match(await send('../a'), { status: 422, html: /id="name-error">[^<]*ust have no/ });
  const odd = hostile.replaceAll('/', '');
  t.match(await send(odd), { status: 200, path: `/alice/site/-/blob/main/docs/${encodeURIComponent(odd)}` });
  for (const kind of ['edit', 'delete']) {
    const { html, status } = await browser.open(`/alice/site/-/${kind}/main/docs/${encodeURIComponent(odd)}`);
    t.equal(status, 200);
    t.notMatch(html, /<img|\u{202e}/u, kind);
  }

  const upload = async (fields: Readonly<Record<string, string>>, file?: string): Promise<number> => {
    const parts = Object.entries(fields).map(([name, value]) => `form-data; name="${name}"\r\n\r\n${value}`);
    if (file !== undefined) parts.push(`form-data; name="file"; filename="logo.bin"\r\n\r\n${file}`);
    const body = `${parts.map((part) => `--q\r\nContent-Disposition: ${part}\r\n`).join('')}--q--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=q' };
    return (await browser.request('POST', new URL('/alice/site/-/upload/main/docs', forge.url), { body, headers }))
      .status;
  };
  t.match((await browser.open('/alice/site/-/upload/main/docs')).html, /enctype="multipart\/form-data"/);
  t.equal(await upload({ message: 'Logo' }, '\u{0}1\r\n2'), 303);
  t.equal(await raw(forge, 'docs/logo.bin'), '\u{0}1\r\n2');
  t.match(await newest(forge), { message: 'Logo' });
  t.equal(await upload({}, 'other'), 422, 'a file of this name is not replaced');
  t.equal(await upload({ replace: 'true' }, 'other'), 303);
  t.equal(await raw(forge, 'docs/logo.bin'), 'other');
  t.match(await newest(forge), { message: 'Replace docs/logo.bin' });
  t.equal(await upload({ name: 'deep/er' }, ''), 303, 'an empty file');
  t.equal(await upload({ name: 'x' }), 422, 'no file');

  const question = await browser.open('/alice/site/-/delete/main/docs/a');
  t.match(question.html, /Delete the file/);
  await write(forge, 'docs/a', 'two', { sha: question.forms[0]?.fields['sha'] });
  t.match(await submitTo(browser, question, '/alice/site/-/delete'), { status: 422, html: /has changed meanwhile/ });
  const now = await browser.open('/alice/site/-/delete/main/docs/a');
  t.match(await submitTo(browser, now, '/alice/site/-/delete'), { status: 200, path: '/alice/site/-/tree/main' });
  t.equal((await forge.as('alice').get('/repos/alice/site/raw/main/docs/a')).status, 404);
});

void t.test('pages that write are for those who may push', async (t) => {
  await using forge = await testHost([], {
    repositories: ['public', 'private'].map((name) => ({ path: `alice/${name}`, visibility: name as 'public' })),
    users: ['bob'],
  });
  const bob = forge.browser('bob');
  for (const page of ['edit/main/a', 'new-file/main', 'upload/main', 'delete/main/a']) {
    t.equal((await bob.open(`/alice/public/-/${page}`)).status, 403, page);
    t.equal((await bob.open(`/alice/private/-/${page}`)).status, 404, page);
    t.match((await forge.browser().open(`/alice/private/-/${page}`)).path, /^\/-\/sign-in/, page);
    const body = { body: 'name=a&content=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    t.equal((await bob.request('POST', new URL(`/alice/public/-/${page}`, forge.url), body)).status, 403, page);
  }
});
