// Tests the pages of repositories: files, history and refs, hostile names in them, and who may see them.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';

/** A text that would run if it were not escaped, and a character that reverses the text after it. */
const hostile = '<img src=x onerror="alert(1)">\u{202e}';

const write = async (forge: TestHost, path: string, content: string, message: string): Promise<void> => {
  const url = `/repos/alice/site/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
  const { status } = await forge.as('alice').put(url, {
    json: { message, content: Buffer.from(content).toString('base64'), branch: 'main' },
  });
  if (status !== 201) throw new Error(`PUT ${url} answered ${status}`);
};

void t.test('files, folders and history', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const browser = forge.browser();
  const empty = await browser.open('/alice/site');
  t.match(empty.html, /git clone http:\/\/[^\s]*\/alice\/site\.git/, 'an empty repository says how to begin');
  t.match(empty.html, /git add README\.md[^]*href="\/-\/settings\/tokens\/new"/, 'and how git signs in');
  await write(forge, 'README.md', '# Read me\n', 'Explain it');
  await write(forge, 'src/a b/ü#?.ts', 'const one = 1;\nconst two = 2;\n', 'Add a file');

  const front = (await browser.open('/alice/site')).html;
  t.match(front, /<a href="\/alice\/site\/-\/tree\/main\/src"><bdi>src<\/bdi><\/a>/);
  t.match(front, /<h2[^>]*>Read me/);
  t.match(front, /value="http:\/\/[^"]*\/alice\/site\.git"/);
  const folder = (await browser.open('/alice/site/-/tree/main/src/a%20b')).html;
  const [, href = ''] = /href="(\/alice\/site\/-\/blob\/[^"]*)"/.exec(folder) ?? [];
  t.equal(href, '/alice/site/-/blob/main/src/a%20b/%C3%BC%23%3F.ts');
  const file = (await browser.open(href)).html;
  t.match(file, /id="L2"/);
  t.match(file, /<code><span class="tk">const<\/span> two = /);
  t.notMatch(file, /id="L3"/);
  const [, permanent = ''] = /href="([^"]*)"\s*data-key="y"/.exec(file) ?? [];
  t.match(permanent, /^\/alice\/site\/-\/blob\/[0-9a-f]{40}\/src\/a%20b\//, 'the permanent link names the commit');
  t.match((await browser.open(permanent)).html, /two = <span class="tn">2<\/span>/);

  const commits = (await browser.open('/alice/site/-/commits/main')).html;
  t.match(commits, /Add a file[\s\S]*Explain it/);
  t.notMatch((await browser.open('/alice/site/-/commits/main/README.md')).html, /Add a file/);
  const [, commit = ''] = /href="(\/alice\/site\/-\/commit\/[0-9a-f]{40})"/.exec(commits) ?? [];
  t.match((await browser.open(commit)).html, /1 file changed[^]*const one = 1;/);
  t.match((await browser.open('/alice/site/-/branches')).html, /main<\/bdi>[\s\S]*default/);
  t.match((await browser.open('/alice/site/-/tags')).html, /There is no tag yet/);
  t.match(await browser.open('/alice/site.git'), { status: 200, path: '/alice/site' });
  for (const missing of ['tree/main/none', 'tree/none', 'blob/main/none', 'commits/none', 'commit/0000000'])
    t.equal((await browser.open(`/alice/site/-/${missing}`)).status, 404, missing);
});

void t.test('files, folders and commits have bounds', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  await write(forge, 'lines', '\n'.repeat(10_001), 'Many lines');
  await write(forge, 'bytes', 'x'.repeat(512 * 1024 + 1), 'Many bytes');
  const browser = forge.browser();
  for (const name of ['lines', 'bytes']) {
    const { html } = await browser.open(`/alice/site/-/blob/main/${name}`);
    t.match(html, /The file is too large to be shown/, name);
    t.match(html, new RegExp(`href="/alice/site/-/raw/main/${name}`));
  }
  const { html: commits } = await browser.open('/alice/site/-/commits/main/lines');
  const [, commit = ''] = /href="(\/alice\/site\/-\/commit\/[0-9a-f]{40})"/.exec(commits) ?? [];
  const { html } = await browser.open(commit);
  t.match(html, /lines are not shown on this page/);
  t.ok(html.length < 20_000);
});

void t.test('refs with slashes: the longest that exists', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  await write(forge, 'topic/one', 'a file', 'First');
  const made = await forge
    .as('alice')
    .post('/repos/alice/site/branches', { json: { name: 'x/topic', base_ref: 'main' } });
  t.equal(made.status, 201);
  const browser = forge.browser();
  t.match((await browser.open('/alice/site/-/tree/x/topic')).html, /href="\/alice\/site\/-\/tree\/x\/topic\/topic"/);
  t.match((await browser.open('/alice/site/-/blob/x/topic/topic/one')).html, /<code>a file<\/code>/);
});

void t.test('names and texts of users are escaped on every page', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const name = hostile.replaceAll('/', '');
  await write(forge, `${name}/${name}`, `${hostile}\n`, hostile);
  await write(forge, 'README.md', hostile, hostile);
  await forge.as('alice').patch('/repos/alice/site', { json: { description: hostile } });
  const browser = forge.browser('alice');
  const encoded = encodeURIComponent(name);
  const { html: commits } = await browser.open('/alice/site/-/commits/main');
  const [, commit = ''] = /\/-\/commit\/([0-9a-f]{40})/.exec(commits) ?? [];
  for (const path of [
    '/',
    '/-/explore',
    '/alice/site',
    `/alice/site/-/tree/main/${encoded}`,
    `/alice/site/-/blob/main/${encoded}/${encoded}`,
    `/alice/site/-/commits/main/${encoded}`,
    `/alice/site/-/commit/${commit}`,
    '/alice/site/-/branches',
    `/alice/site/-/tree/${encoded}`,
  ]) {
    const { html, status } = await browser.open(path);
    t.equal(status, path.endsWith(`tree/${encoded}`) ? 404 : 200, path);
    // Markdown may contain images, without handlers.
    t.notMatch(html, /<img(?![^>"]*(?:"[^"]*"[^>"]*)* loading="lazy">)|\u{202e}/u, path);
  }
});

void t.test('pages of a repository are for its readers; for others it is missing', async (t) => {
  await using forge = await testHost([], {
    repositories: ['public', 'internal', 'private'].map((name) => ({
      path: `alice/${name}`,
      visibility: name as 'public',
    })),
  });
  const pages = ['', '/-/tree/main', '/-/blob/main/a', '/-/commits/main', '/-/commit/main', '/-/branches', '/-/tags'];
  const statuses = async (repository: string, open: (path: string) => Promise<number>): Promise<readonly number[]> =>
    Promise.all(pages.map((page) => open(`/alice/${repository}${page}`)));
  const by =
    (username?: string) =>
    async (path: string): Promise<number> =>
      (await forge.browser(username).open(path)).status;
  const missing = pages.map(() => 404);
  // A repository without commits has no file, no history and no commit.
  const readable = [200, 200, 404, 200, 404, 200, 200];
  t.strictSame(await statuses('none', by('alice')), missing);
  t.strictSame(await statuses('public', by()), readable);
  t.strictSame(await statuses('internal', by()), missing);
  t.strictSame(await statuses('internal', by('bob')), readable);
  t.strictSame(await statuses('private', by('bob')), missing);
  t.strictSame(await statuses('private', by('alice')), readable);
  const token = await forge
    .as('alice', { scopes: ['issue:read'] })
    .request('GET', new URL('/alice/private', forge.url));
  t.equal(token.status, 403, 'a token without the scope');
  const scoped = await forge
    .as('alice', { scopes: ['repo:read'] })
    .request('GET', new URL('/alice/private', forge.url));
  t.equal(scoped.status, 200);
});
