// Tests the pages on which code is read: rendered and highlighted files, raw bytes, blame, and finding a file.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');
const write = async (forge: TestHost, path: string, content: string | Uint8Array, message = 'Write'): Promise<void> => {
  const url = `/repos/alice/site/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
  const { body: old } = await forge.as('alice').get(url);
  const { sha } = old as { readonly sha?: string };
  const { status } = await forge.as('alice').put(url, {
    json: { message, content: base64(content), branch: 'main', ...(sha !== undefined && { sha }) },
  });
  if (status > 201) throw new Error(`PUT ${url} answered ${String(status)}`);
};
const site = (visibility: 'public' | 'private'): Promise<TestHost> =>
  testHost([], { repositories: [{ path: 'alice/site', visibility }] });

void t.test('README and files of Markdown are rendered', async (t) => {
  await using forge = await site('public');
  await write(forge, 'docs/readme.md', '# Guide\n\n[a](../b.md) ![c](c.png) #1 !1 @alice @nobody\n');
  await write(forge, 'src/README', 'plain <b>\n');
  const type = ((await forge.as('alice').get('/issue-types')).body as readonly { readonly id: string }[])[0];
  await forge.as('alice').post('/repos/alice/site/issues', { json: { title: 'Lea"ks', issue_type_id: type?.id } });
  const browser = forge.browser();
  for (const path of ['tree/main/docs', 'blob/main/docs/readme.md']) {
    const { html } = await browser.open(`/alice/site/-/${path}`);
    t.match(html, /<div class="markdown"><h2 id="user-content-guide">Guide/, path);
    t.match(html, /href="\/alice\/site\/-\/blob\/main\/b\.md"/, path);
    t.match(html, /src="\/alice\/site\/-\/raw\/main\/docs\/c\.png"/, path);
    t.match(html, /<a class="reference" href="\/alice\/site\/-\/issues\/1" title="Lea&quot;ks">#1<\/a> !1 /, path);
    t.match(html, /<a class="reference" href="\/alice" title="[^"]*">@alice<\/a> @nobody/, path);
  }
  const { html: source } = await browser.open('/alice/site/-/blob/main/docs/readme.md?plain=1');
  t.match(source, /id="L1"[^]*# Guide/);
  t.match((await browser.open('/alice/site/-/tree/main/src')).html, /<pre class="text">plain &lt;b&gt;/);
});

void t.test('code is highlighted, and characters that reverse text are visible', async (t) => {
  await using forge = await site('public');
  await write(forge, 'a.ts', 'const a = "\u{202e}<b>";\r\n');
  const { html } = await forge.browser('alice').open('/alice/site/-/blob/main/a.ts');
  t.match(html, /<span class="tk">const<\/span> a = <span class="ts">&quot;\u{fffd}&lt;b&gt;&quot;<\/span>;<\/code>/u);
  for (const [key, path] of [
    ['y', 'blob/[0-9a-f]{40}/a.ts'],
    ['t', 'find/main'],
    ['e', 'edit/main/a.ts'],
  ] as const)
    t.match(html, new RegExp(`href="/alice/site/-/${path}"\\s*data-key="${key}"`), key);
  for (const path of ['raw/main/a.ts', 'raw/main/a.ts\\?download=1', 'blame/main/a.ts', 'commits/main/a.ts'])
    t.match(html, new RegExp(`href="/alice/site/-/${path}"`));
  t.notMatch((await forge.browser().open('/alice/site/-/blob/main/a.ts')).html, /-\/edit\//, 'only for writers');
});

void t.test('files that are not text', async (t) => {
  await using forge = await site('public');
  await write(forge, 'a.png', Uint8Array.of(0x89, 0x50, 0));
  await write(forge, 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  await write(forge, 'a.pdf', '%PDF-1.4\0');
  await write(forge, 'empty', '');
  const shown = async (name: string): Promise<string> =>
    (await forge.browser().open(`/alice/site/-/blob/main/${name}`)).html;
  t.match(await shown('a.png'), /<img src="\/alice\/site\/-\/raw\/main\/a\.png" alt="a\.png" \/>/);
  t.match(await shown('a.svg'), /<img src="\/alice\/site\/-\/raw\/main\/a\.svg"/);
  t.notMatch(await shown('a.svg'), /alert/);
  t.match(await shown('a.pdf'), /A binary file is not shown[^]*\?download=1/);
  t.match(await shown('empty'), /The file is empty/);
});

void t.test('raw bytes never run in the origin of the forge', async (t) => {
  await using forge = await site('private');
  const files: Readonly<Record<string, readonly [string, string, boolean]>> = {
    'a.png': ['\u{89}PNG\0', 'image/png', false],
    'a.svg': ['<svg/>', 'image/svg+xml', true],
    'a.html': ['<script>alert(1)</script>', 'text/plain; charset=utf-8', false],
    'a.xml': ['<a/>', 'text/plain; charset=utf-8', false],
    'a.md': ['# a', 'text/plain; charset=utf-8', false],
    'a.js': ['alert(1)', 'text/plain; charset=utf-8', false],
    'a.pdf': ['%PDF\0', 'application/pdf', true],
    'a.bin': ['\0', 'application/octet-stream', true],
  };
  for (const [name, [content]] of Object.entries(files)) await write(forge, name, content);
  const browser = forge.browser('alice');
  await browser.open('/-/keys');
  for (const [name, [, type, download]] of Object.entries(files)) {
    const url = new URL(`/alice/site/-/raw/main/${name}`, forge.url);
    const { status, headers } = await browser.request('GET', url);
    t.equal(status, 200, name);
    t.equal(headers['content-type'], type, name);
    t.equal(headers['x-content-type-options'], 'nosniff', name);
    t.match(headers['content-security-policy'], /^sandbox; default-src 'none'/, name);
    t.equal(String(headers['content-disposition']).startsWith('attachment'), download, name);
    t.equal(headers['cross-origin-resource-policy'], 'same-origin', name);
    const { headers: asked } = await browser.request('GET', new URL(`${url.href}?download=1`));
    t.match(asked['content-disposition'], /^attachment/, name);
    t.equal((await forge.browser('bob').request('GET', url)).status, 404, name);
    t.equal((await forge.anonymous.request('GET', url)).status, 404, name);
  }
});

void t.test('blame groups lines by commit, and leads to the blame before one', async (t) => {
  await using forge = await site('public');
  await write(forge, 'a.ts', 'let a;\nlet b;\n', 'First');
  await write(forge, 'a.ts', 'let a;\nlet b;\nlet c;\n', 'Second');
  const browser = forge.browser();
  const { html } = await browser.open('/alice/site/-/blame/main/a.ts');
  t.match(html, /rowspan="2"[^]*id="L2"[^]*rowspan="1"[^]*<span class="tk">let<\/span> c/);
  const links = [...html.matchAll(/href="(\/alice\/site\/-\/blame\/[0-9a-f]{40}\/a\.ts\?before=1)"/g)];
  t.equal(links.length, 2);
  const before = await browser.open(links[1]?.[1] ?? '');
  t.match(before.path, /^\/alice\/site\/-\/blame\/[0-9a-f]{40}\/a\.ts$/);
  t.notMatch(before.html, /id="L3"/);
  t.match((await browser.open(links[0]?.[1] ?? '')).html, /did not exist before this commit/);
  for (const path of ['none', '..', '%2e%2e%2fa', 'a.ts%00'])
    t.ok([400, 404].includes((await browser.open(`/alice/site/-/blame/main/${path}`)).status), path);
});

void t.test('files are found by parts of their path', async (t) => {
  await using forge = await site('public');
  for (const path of ['src/bells/ring.ts', 'src/ring.md', 'bells.txt']) await write(forge, path, 'x');
  const found = async (q: string): Promise<readonly string[]> => {
    const { html } = await forge.browser().open(`/alice/site/-/find/main?q=${encodeURIComponent(q)}`);
    return [...html.matchAll(/href="\/alice\/site\/-\/blob\/main\/([^"]*)"/g)].map(([, path = '']) => path);
  };
  t.strictSame(await found('RING'), ['src/ring.md', 'src/bells/ring.ts']);
  t.strictSame(await found('bells'), ['bells.txt', 'src/bells/ring.ts'], 'names are before folders');
  t.strictSame(await found('ts bell'), ['src/bells/ring.ts']);
  t.equal((await found('')).length, 3);
  t.strictSame(await found('<b>'), []);
  t.equal((await forge.browser().open('/alice/site/-/find/none')).status, 404);
});

void t.test('symbolic links show their target, and submodules lead to http and https only', async (t) => {
  await using forge = await site('public');
  const work = await workTree(await stockGit(t), 'work');
  await work.commit('Files', {
    '.gitmodules': ['a', 'https://x.test/a.git', 'b', 'javascript:alert(1)', 'c', 'https://u:p@x.test/c']
      .join('\n')
      .replaceAll(/(\w)\n(.*)/g, '[submodule "$1"]\n\tpath = $1\n\turl = $2'),
  });
  await symlink('../../etc/passwd', join(work.folder, 'link.md'));
  await work.git('add', '--all');
  for (const path of ['a', 'b', 'c'])
    await work.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
  await work.git('commit', '--quiet', '--message', 'Links');
  await work.git('push', '--quiet', remote(forge.url, 'alice/site', await forge.user('alice')), 'main');
  const browser = forge.browser();
  const link = (await browser.open('/alice/site/-/blob/main/link.md')).html;
  t.match(link, /It points to <code>\.\.\/\.\.\/etc\/passwd<\/code>/);
  t.notMatch(link, /class="markdown"/);
  const front = (await browser.open('/alice/site')).html;
  t.match(front, /<a href="https:\/\/x\.test\/a\.git" rel="nofollow noreferrer"><bdi>a<\/bdi>/);
  t.notMatch(front, /javascript:|u:p@/);
  t.match((await browser.open('/alice/site/-/blob/main/a')).html, /href="https:\/\/x\.test\/a\.git"/);
  t.match((await browser.open('/alice/site/-/blob/main/b')).html, /of another repository/);
});
