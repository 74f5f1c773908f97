// Tests the symbols of a file in its side column, and the page that leads to the definition of a name.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import { defines, files, idOf, indexed } from './world.ts';

async function filled(): Promise<TestHost> {
  const forge = await testHost([], {
    repositories: [
      { path: 'alice/site', visibility: 'public' },
      { path: 'alice/tools', visibility: 'public' },
      { path: 'bob/secret', visibility: 'private' },
    ],
  });
  await files(forge, 'alice/site', { 'src/parse.ts': 'a\nb\n', 'src/run.py': 'a\n', 'notes.md': '# Notes\n' });
  await files(forge, 'alice/tools', { 'tool.go': 'a\n' });
  await files(forge, 'bob/secret', { 'hidden.ts': 'a\n' });
  await indexed(forge);
  const site = await idOf(forge, 'alice/site');
  await defines(forge, site, 'src/parse.ts', [
    { name: 'parseConfig', line: 2 },
    { name: 'run', line: 1 },
    { name: '<b>&', line: 2, kind: 'constant' },
  ]);
  await defines(forge, site, 'src/run.py', [{ name: 'run', line: 1 }], 'python');
  await defines(forge, site, 'src/other.ts', [
    { name: 'twice', line: 1 },
    { name: 'twice', line: 7 },
  ]);
  await defines(forge, await idOf(forge, 'alice/tools'), 'tool.go', [{ name: 'Shared', line: 3 }], 'go');
  await defines(forge, await idOf(forge, 'bob/secret'), 'hidden.ts', [{ name: 'Shared', line: 4 }]);
  return forge;
}

const hits = (html: string): readonly string[] =>
  [...html.matchAll(/href="(\/[^"#]*\/-\/blob\/[^"]*)"/g)].map(([, href = '']) => href);

void t.test('a file of the default branch lists its definitions in the side column', async (t) => {
  await using forge = await filled();
  const reader = forge.browser();
  const { html } = await reader.open('/alice/site/-/blob/main/src/parse.ts');
  const aside = /<aside>[^]*<\/aside>/.exec(html)?.[0] ?? '';
  t.match(aside, /<h2>Symbols<\/h2>/);
  t.match(aside, /href="#L2"\s*><code><bdi>parseConfig<\/bdi><\/code><\/a\s*><span class="muted">function/);
  t.match(aside, /&lt;b&gt;&amp;/);
  t.match(aside, /name="from" value="src\/parse\.ts"/);
  t.notMatch((await reader.open('/alice/site/-/blob/main/notes.md')).html, /Symbols/, 'a file without definitions');
  await forge.as('alice').post('/repos/alice/site/branches', { json: { name: 'topic', base_ref: 'main' } });
  const other = (await reader.open('/alice/site/-/blob/topic/src/parse.ts')).html;
  t.match(other, /data-definitions/, 'definitions can be found from other branches');
  t.notMatch(other, /href="#L2"\s*><code>/);
});

void t.test('the definitions of a long file are bounded', async (t) => {
  await using forge = await filled();
  const many = Array.from({ length: 2000 }, (_, line) => ({ name: `symbol${line}`, line: line + 1 }));
  await defines(forge, await idOf(forge, 'alice/site'), 'src/parse.ts', many);
  const { html } = await forge.browser().open('/alice/site/-/blob/main/src/parse.ts');
  t.equal(html.match(/<li>\s*<a href="#L\d+"/g)?.length, 250);
  t.match(html, /The first 250 of 2,?000/);
});

void t.test('a name leads to its definition, or to a list of several', async (t) => {
  await using forge = await filled();
  const browser = forge.browser('alice');
  const file = await browser.open('/alice/site/-/blob/main/src/parse.ts');
  const index = file.forms.findIndex(({ action }) => action === '/alice/site/-/definition');
  const find = (name: string) => browser.submit(file, { name }, index);
  const redirect = async (query: string) =>
    browser.request('GET', new URL(`/alice/site/-/definition?${query}`, forge.url));
  const sent = await redirect('name=parseConfig');
  t.match(
    { status: sent.status, to: sent.headers['location'] },
    { status: 303, to: '/alice/site/-/blob/main/src/parse.ts#L2' },
  );
  t.match((await find('parseConfig')).path, /^\/alice\/site\/-\/blob\/main\/src\/parse\.ts/);
  t.equal((await redirect('name=PARSECONFIG')).headers['location'], '/alice/site/-/blob/main/src/parse.ts#L2');
  t.match((await redirect('name=run&from=src/parse.ts')).headers['location'], /parse\.ts#L1$/, 'of the same language');
  await defines(forge, await idOf(forge, 'alice/site'), 'src/run.ts', [{ name: 'run', line: 9 }]);
  t.match((await redirect('name=run&from=src/run.ts')).headers['location'], /run\.ts#L9$/, 'of the file itself');
  t.match((await redirect('name=run&from=a.py')).headers['location'], /run\.py#L1$/);
  t.strictSame(hits(String((await redirect('name=run')).body)).toSorted(), [
    '/alice/site/-/blob/main/src/parse.ts#L1',
    '/alice/site/-/blob/main/src/run.py#L1',
    '/alice/site/-/blob/main/src/run.ts#L9',
  ]);
  t.equal(hits((await find('twice')).html).length, 2);
});

void t.test('definitions of other repositories are listed if the reader may read them', async (t) => {
  await using forge = await filled();
  const open = async (name: string, user?: string) =>
    (await forge.browser(user).open(`/alice/site/-/definition?name=${encodeURIComponent(name)}`)).html;
  t.strictSame(hits(await open('Shared')), ['/alice/tools/-/blob/main/tool.go#L3'], 'anonymous');
  t.strictSame(hits(await open('Shared', 'bob')).length, 2);
  t.match(await open('Shared'), /In other repositories/);
});

void t.test('a name without a definition is no error', async (t) => {
  await using forge = await filled();
  const alice = forge.browser('alice');
  const hostile = `"'><img src=x onerror=alert(1)>`;
  const none = await alice.open(
    `/alice/site/-/definition?name=${encodeURIComponent(hostile)}&from=${encodeURIComponent(hostile)}`,
  );
  t.equal(none.status, 200);
  t.match(none.html, /No definition of this name is known[^]*href="\/-\/search\?q=/);
  t.notMatch(none.html, /<img/);
  t.match((await alice.open('/alice/site/-/definition')).html, /Find a definition/);
  t.equal((await alice.open(`/alice/site/-/definition?name=${'a'.repeat(3000)}`)).status, 200);
  t.equal((await forge.browser('alice').open('/bob/secret/-/definition?name=Shared')).status, 404);
});
