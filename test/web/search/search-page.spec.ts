// Tests the page of the site-wide search: sections, marks, links, empty states, and hostile texts.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { defines, files, idOf, indexed } from './world.ts';

const task = '00000000-0000-4000-8000-000000000003';
const hostile = `"'><img src=x onerror=alert(1)>\u{202e}`;

/** The visible text of a part of HTML. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const headings = (html: string): readonly string[] =>
  [...html.matchAll(/<h2>([^]*?)<\/h2>/g)].map(([, text = '']) => textOf(text));
const currentTabs = (html: string): readonly string[] =>
  [
    ...(/<nav class="tabs" aria-label="Sections">[^]*?<\/nav>/.exec(html)?.[0] ?? '').matchAll(/<li>([^]*?)<\/li>/g),
  ].map(([, text = '']) => textOf(text));

async function filled(): Promise<TestHost> {
  const forge = await testHost([], {
    repositories: [
      { path: 'alice/site', visibility: 'public' },
      { path: 'bob/secret', visibility: 'private' },
    ],
  });
  await files(forge, 'alice/site', {
    'src/parse.ts':
      'const a = 1;\nexport function parseConfig(text: string) {\n  return <b>text</b> && PARSECONFIG;\n}\n',
    'docs/guide.md': '# The parseConfig guide\n\nCall parseConfig first.\n',
    'weird & odd.txt': 'parseConfig <script>alert(1)</script>\n',
  });
  await files(forge, 'bob/secret', { 'hidden.ts': 'parseConfig\n' });
  const alice = forge.as('alice');
  for (const title of [`Broken parseConfig ${hostile}`, 'Another parseConfig'])
    await alice.post('/repos/alice/site/issues', { json: { title, description: hostile, issue_type_id: task } });
  await forge.as('admin').put('/admin/settings/search.docs.repositories', { json: { value: 'alice/site' } });
  await indexed(forge);
  return forge;
}

void t.test('all sections are beside each other, with counts, marks and links to lines', async (t) => {
  await using forge = await filled();
  const { html, status } = await forge.browser('alice').open('/-/search?q=PARSEconfig');
  t.equal(status, 200);
  t.strictSame(headings(html), ['Symbols 1', 'Code 3', 'Issues 2', 'Documentation 1']);
  t.strictSame(currentTabs(html), ['All', 'Code 3', 'Symbols 1', 'Issues 2', 'Merge requests 0', 'Documentation 1']);
  t.match(html, /href="\/alice\/site\/-\/blob\/main\/src\/parse\.ts#L2"[^>]*data-line="2"/);
  t.match(html, /export function <mark>parseConfig<\/mark>\(text: string\)/);
  t.match(html, /return &lt;b&gt;text&lt;\/b&gt; &amp;&amp; <mark>PARSECONFIG<\/mark>/, 'in any case');
  t.match(html, /href="\/alice\/site\/-\/blob\/main\/weird%20%26%20odd\.txt#L1"/);
  t.match(html, /<mark>parseConfig<\/mark> &lt;script&gt;/);
  t.match(html, /href="\/alice\/site\/-\/issues\/1"[^]*Broken <mark>parseConfig<\/mark> &quot;&#39;&gt;&lt;img/);
  t.match(html, /<span class="pill good">Open<\/span>/);
  t.match(html, /The <mark>parseConfig<\/mark> guide/);
  t.notMatch(html, /bob\/secret|<img src=x|\u{202e}/u);
  t.match((await forge.browser('bob').open('/-/search?q=parseConfig')).html, /bob\/secret/);
});

void t.test('definitions are before files if one has the name that is searched for', async (t) => {
  await using forge = await filled();
  await defines(forge, await idOf(forge, 'alice/site'), 'src/parse.ts', [
    { name: 'parseConfig', line: 2, signature: 'export function parseConfig(text: <b>)' },
    { name: 'parseConfigs', line: 9 },
  ]);
  const alice = forge.browser('alice');
  const { html } = await alice.open('/-/search?q=parseConfig');
  t.equal(headings(html)[0], 'Symbols 2');
  t.match(html, /href="\/alice\/site\/-\/blob\/main\/src\/parse\.ts#L2"\s*><code><mark>parseConfig<\/mark><\/code>/);
  t.match(html, /<mark>parseConfig<\/mark>\(text: &lt;b&gt;\)/);
  t.equal(headings((await alice.open('/-/search?q=parseConf')).html)[0], 'Code 3', 'a part of a name');
});

void t.test('a regular expression finds lines, of which the literal text is marked', async (t) => {
  await using forge = await filled();
  const query = encodeURIComponent(String.raw`/parse\w+\(text/`);
  const { html } = await forge.browser('alice').open(`/-/search?q=${query}`);
  t.strictSame(currentTabs(html).slice(0, 2), ['All', 'Code 1']);
  t.match(html, /export function <mark>parse<\/mark>Config<mark>\(text<\/mark>/);
  const other = await forge.browser('alice').open(`/-/search?q=${query}&types=issues`);
  t.equal(currentTabs(other.html)[1], 'Code 1', 'counted as well');
});

void t.test('one section shows more on demand, in its own order, and keeps the counts of the others', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  for (let number = 1; number <= 22; number += 1)
    await alice.post('/repos/alice/site/issues', { json: { title: `Zeppelin ${number}`, issue_type_id: task } });
  forge.clock.advance(60_000);
  await alice.patch('/repos/alice/site/issues/3', { json: { title: 'Zeppelin 3 flies' } });
  await files(forge, 'alice/site', { 'a.txt': 'zeppelin\n' });
  await indexed(forge);
  const browser = forge.browser('alice');
  const numbers = (html: string) => [...html.matchAll(/\/issues\/(\d+)"/g)].map(([, number]) => Number(number));
  const all = await browser.open('/-/search?q=zeppelin');
  t.equal(numbers(all.html).length, 5);
  t.match(all.html, /href="\/-\/search\?q=zeppelin&amp;types=issues">All 22 issues/);
  const first = await browser.open('/-/search?q=zeppelin&types=issues');
  t.strictSame(currentTabs(first.html), [
    'All',
    'Code 1',
    'Symbols 0',
    'Issues 22',
    'Merge requests 0',
    'Documentation 0',
  ]);
  t.equal(numbers(first.html).length, 20);
  const [, more = ''] = /href="([^"]*)"[^>]*>\s*Show more/.exec(first.html) ?? [];
  const second = await browser.open(more.replaceAll('&amp;', '&'));
  t.equal(numbers(second.html).length, 22);
  t.notMatch(second.html, /Show more/);
  const recent = await browser.open('/-/search?q=zeppelin&types=issues&sort=recent');
  t.equal(numbers(recent.html)[0], 3);
  const again = await browser.submit(recent, { q: 'flies' });
  t.match(again.path, /^\/-\/search\?q=flies&types=issues&sort=recent$/, 'the box keeps section and order');
});

void t.test('an empty answer names the next step', async (t) => {
  await using forge = await filled();
  const alice = forge.browser('alice');
  const said = async (query: string) => textOf((await alice.open(`/-/search${query}`)).html);
  t.match(await said(''), /Search code, definitions, issues and more.*lang:go.*1 MiB/);
  t.match(await said('?q=nothinghere'), /No file matches.*lang:go/);
  t.match(await said('?q=ab&types=code'), /Code is found by words of at least three letters or digits/);
  t.match(await said('?q=repo:alice/site'), /There is no word to search for/);
  t.match(await said('?q=nothinghere&types=docs'), /search\.docs\.repositories/);
  for (const [query, why] of [
    ['a'.repeat(1001), /The search text is too long/],
    ['/par(se/', /The regular expression cannot be used/],
    ['/[a-z]+<b>/', /The regular expression is too general/],
  ] as const) {
    const page = await alice.open(`/-/search?q=${encodeURIComponent(query)}`);
    t.match(page, { status: 400, html: why });
    t.match(page.html, /<input\s+name="q"/, 'with the box');
    t.notMatch(page.html, /<b>\/"/);
  }
  t.match(await alice.open('/-/search?q=parseConfig&types=nothing&limit=x&sort=y&page=1'), { status: 200 });
});

void t.test('the box of a repository searches that repository', async (t) => {
  await using forge = await filled();
  await files(forge, 'bob/secret', { 'other.ts': 'parseConfig\n' });
  await indexed(forge);
  const bob = forge.browser('bob');
  const front = await bob.open('/bob/secret');
  t.match(front.html, /<input type="hidden" name="repo" value="bob\/secret" form="frame-search" \/>/);
  const found = await bob.open('/-/search?repo=bob%2Fsecret&q=parseConfig');
  t.match(found.html, /value="repo:bob\/secret parseConfig"/);
  t.match(found.html, /href="\/bob\/secret\/-\/blob/);
  t.notMatch(found.html, /alice\/site/);
  t.notMatch(found.html, /frame-search/, 'the page has its own box');
  t.match(
    (await bob.open(`/-/search?q=a&repo=${encodeURIComponent('a"b\\c d')}`)).html,
    /value="repo:&quot;a\\&quot;b\\\\c d&quot; a"/,
  );
});

void t.test('a search without its back end reports that', async (t) => {
  await using forge = await testHost([], {
    environment: { HEXFORGE_PLUGINS: '-search-sql' },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const { html, status } = await forge.browser('alice').open('/-/search?q=anything');
  t.equal(status, 200);
  t.match(html, /The search does not answer right now/);
  t.strictSame(currentTabs(html), ['All', 'Code', 'Symbols', 'Issues', 'Merge requests', 'Documentation']);
});

void t.test('a visitor is led to the sign-in page and back', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const visitor = forge.browser();
  const front = await visitor.open('/alice/site');
  t.match(front.html, /form="frame-search"/);
  t.notMatch(front.html, /data-suggestions/, 'nothing is suggested without an account');
  const index = front.forms.findIndex(({ action }) => action === '/-/search');
  const answer = await visitor.submit(front, { q: 'words', repo: 'alice/site' }, index);
  t.match(decodeURIComponent(answer.path), /^\/-\/sign-in\?return_to=\/-\/search\?q=words&repo=alice/);
  t.notMatch(answer.html, /frame-search/, 'the page of a single form has no box');
});

void t.test('suggestions are for the signed-in user, by the cookie of the session', async (t) => {
  await using forge = await filled();
  const ask = async (browser: ReturnType<TestHost['browser']>, query: string) =>
    browser.request('GET', new URL(`/-/search/suggestions?${query}`, forge.url));
  const alice = forge.browser('alice');
  const page = await alice.open('/alice/site');
  t.match(page.html, /data-suggestions="\/-\/search\/suggestions"/);
  const answer = await ask(alice, 'q=parseConfig&limit=8');
  const { suggestions } = answer.body as { readonly suggestions: readonly object[] };
  t.match(suggestions, [
    { type: 'symbol', text: 'parseConfig', path: '/alice/site/-/blob/main/src/parse.ts#L2' },
    { type: 'file', text: 'src/parse.ts', path: '/alice/site/-/blob/main/src/parse.ts#L2' },
    { type: 'file', text: 'weird & odd.txt', path: '/alice/site/-/blob/main/weird%20%26%20odd.txt#L1' },
    { type: 'file', text: 'docs/guide.md' },
  ]);
  t.strictSame((await ask(alice, 'q=parseConfig&repo=bob/secret')).body, { suggestions: [] });
  t.equal((await ask(alice, 'q=')).status, 400);
  t.equal((await ask(forge.browser(), 'q=parse')).status, 401);
});

void t.test('without the plugin there is no box, no panel and no page', async (t) => {
  await using forge = await testHost([], {
    environment: { HEXFORGE_PLUGINS: '-search' },
    repositories: [{ path: 'alice/site', visibility: 'public' }],
  });
  await files(forge, 'alice/site', { 'src/parse.ts': 'export const parse = 1;\n' });
  const alice = forge.browser('alice');
  for (const path of ['/', '/alice/site', '/alice/site/-/blob/main/src/parse.ts'])
    t.notMatch((await alice.open(path)).html, /class="search|suggestions|Symbols|definition/, path);
  for (const path of [
    '/-/search?q=parse',
    '/-/search/suggestions?q=parse',
    '/alice/site/-/definition',
    '/-/admin/search',
  ])
    t.equal((await forge.browser('admin').open(path)).status, 404, path);
});
