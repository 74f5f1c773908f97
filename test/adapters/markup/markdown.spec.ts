// Rendered Markdown: elements, links, images and references, without a thread.
import t from 'tap';
import { renderedMarkdown } from '#adapters/markup/markdown';
import type { MarkdownPlace } from '#adapters/markup/tasks';

const place: MarkdownPlace = {
  breaks: false,
  file: true,
  ids: 'user-content-',
  origin: 'https://forge.test',
  repository: { path: '/ada/site', ref: 'x/topic', folder: 'docs/a b' },
};
const rendered = async (text: string, other: Partial<MarkdownPlace> = {}): Promise<string> => {
  const { segments, references } = await renderedMarkdown(text, { ...place, ...other });
  return segments
    .map(
      (segment, index) => segment + (references[index] ? `{${references[index].sign}${references[index].value}}` : ''),
    )
    .join('')
    .trim();
};

void t.test('CommonMark and GFM', async (t) => {
  for (const [text, expected] of [
    ['**a** ~~b~~ `c`', '<p><strong>a</strong> <s>b</s> <code>c</code></p>'],
    ['- [x] a\n- [ ] b', /<li class="task"><input type="checkbox" disabled aria-label="Done" checked> a<\/li>/],
    ['|a|b|\n|:-:|--:|\n|1|2|', /<th class="center">a<\/th>\s*<th class="right">b<\/th>/],
    [
      'https://a.test b.test c@d.test',
      /<a href="https:\/\/a\.test\/" rel="nofollow noreferrer">[^<]*<\/a> b\.test <a href="mailto:/,
    ],
    ['a[^1]\n\n[^1]: b', /<a href="#user-content-fn1" id="user-content-fnref1">1<\/a>[^]*<li id="user-content-fn1">/],
    ['> [!NOTE]\n> a', /<blockquote class="callout note">\s*<p class="callout-title">Note<\/p>\s*<p>a<\/p>/],
    ['> [!other]\n> a', /<blockquote>\s*<p>\[!other\]\s*a<\/p>/],
    ['```js\nlet a\n```', /<pre><code><span class="tk">let<\/span> a\s*<\/code><\/pre>/],
    ['```nothing\n<b>\n```', '<pre><code>&lt;b&gt;\n</code></pre>'],
    ['---\na: b\n---\nc', '<p>c</p>'],
    [
      '<details><summary>a</summary>\n\n*b*\n\n</details>',
      /<details><summary>a<\/summary>\s*<p><em>b<\/em><\/p>\s*<\/details>/,
    ],
    [
      '<kbd align=right class="button tk" id=x title=y>a</kbd>',
      '<p><kbd title="y" id="user-content-x" class="tk right">a</kbd></p>',
    ],
  ] as const)
    if (typeof expected === 'string') t.equal(await rendered(text), expected, text);
    else t.match(await rendered(text), expected, text);
  t.equal(await rendered('a\nb', { breaks: true }), '<p>a<br>\nb</p>');
  t.match(await rendered('---\na: b\n---\nc', { file: false }), /a: b/, 'only files have front matter');
});

void t.test('headings begin at the second level and have ids that do not clash', async (t) => {
  t.match(
    await rendered('# A *b* `c`!\n# A b c\n###### d'),
    /<h2 id="user-content-a-b-c">A <em>b<\/em> <code>c<\/code>!<a href="#user-content-a-b-c" class="anchor"[^]*<h2 id="user-content-a-b-c-1">[^]*<h6/,
  );
  t.match(await rendered('# A', { file: false }), /^<h2>A<\/h2>$/);
  t.match(await rendered('[a](#b)', { ids: 'user-content-2-' }), /href="#user-content-2-b"/);
});

void t.test('relative links and images lead into the repository', async (t) => {
  for (const [text, path] of [
    ['[a](b.md)', '/ada/site/-/blob/x/topic/docs/a%20b/b.md'],
    ['[a](../b.md#c)', '/ada/site/-/blob/x/topic/docs/b.md#user-content-c'],
    ['[a](b.ts#L3)', '/ada/site/-/blob/x/topic/docs/a%20b/b.ts#L3'],
    ['[a](/b)', '/ada/site/-/blob/x/topic/b'],
    ['[a](../../../../..)', '/ada/site/-/blob/x/topic/'],
    ['[a](..%2f..%2f..%2fb)', '/ada/site/-/blob/x/topic/docs/a%20b/..%2f..%2f..%2fb'],
    ['![a](b.png)', '/ada/site/-/raw/x/topic/docs/a%20b/b.png'],
    ['<img src="/b.png?raw=true">', '/ada/site/-/raw/x/topic/b.png'],
  ] as const)
    t.equal(/(?:href|src)="([^"]*)"/.exec(await rendered(text))?.[1], path, text);
  t.equal(await rendered('[a](b)', { repository: undefined }), '<p>a</p>');
});

void t.test('of the pages of this instance only files are images', async (t) => {
  const raw = 'https://forge.test/ada/site/-/raw/main/b.png';
  t.match(await rendered(`![a](${raw}?c#d)`), /<img src="https:\/\/forge\.test\/ada\/site\/-\/raw\/main\/b\.png/);
  for (const other of ['-/sign-out?x=/-/raw/', '-/sign-out#/-/raw/', 'ada/site/-/find/main/-/raw/b', '-/raw'])
    t.notMatch(await rendered(`![a](https://forge.test/${other})`), /<img/, other);
});

void t.test('links and images of other hosts', async (t) => {
  t.equal(await rendered('[a](https://forge.test/b)'), '<p><a href="https://forge.test/b">a</a></p>', 'our own');
  t.equal(
    await rendered('![a](https://x.test/b.png)'),
    '<p><a href="https://x.test/b.png" rel="nofollow noreferrer">a</a></p>',
  );
  t.equal(
    await rendered('[![a](https://x.test/b.png)](https://y.test)'),
    '<p><a href="https://y.test/" rel="nofollow noreferrer">a</a></p>',
  );
  t.equal(
    await rendered('![a](https://forge.test/-/sign-out)'),
    '<p><a href="https://forge.test/-/sign-out" rel="nofollow noreferrer">a</a></p>',
  );
  t.equal(await rendered('![a](data:image/png;base64,x)'), '<p>a</p>');
  for (const text of ['[a](//x.test)', '<a href="/\\x.test">a</a>', '<a href="/&#9;/x.test">a</a>'])
    t.match(
      await rendered(text),
      /^<p>(?:<a href="https:\/\/x\.test\/" rel="nofollow noreferrer">a<\/a>|a)<\/p>$/,
      text,
    );
  for (const text of ['[a](ftp://x.test)', '[a](file:///x)', '[a](https://u:p@x.test)', '<a href="blob:x">a</a>'])
    t.equal(await rendered(text), '<p>a</p>', text);
});

void t.test('references are cut out of text, and of nothing else', async (t) => {
  t.equal(await rendered('#1 (!2) @ada, a1b2c3d and @a-b.'), '<p>{#1} ({!2}) {@ada}, {a1b2c3d} and {@a-b}.</p>');
  for (const text of [
    'a#1',
    '#0',
    '`#1`',
    '[#1](/x)',
    '&#35;a',
    'x@ada.test',
    '#1a',
    'effaced',
    '20260501',
    '/@x',
    '<kbd>@x</kbd>',
  ])
    t.notMatch(await rendered(text), /\{/, text);
  t.equal(await rendered('#1 !2 a1b2c3d @ada', { repository: undefined }), '<p>#1 !2 a1b2c3d {@ada}</p>');
  t.match(await rendered('**#1**'), /<strong>\{#1\}<\/strong>/);
});

void t.test('deep and long texts have bounded results', async (t) => {
  t.ok((await rendered('<div>'.repeat(5000))).split('<div>').length <= 101);
  await t.rejects(
    renderedMarkdown(`[a]: /${'x'.repeat(4000)} "${'y'.repeat(4000)}"\n\n${'[a] '.repeat(2000)}`, place),
    /too large/,
  );
  const { references } = await renderedMarkdown('#1 '.repeat(3000), place);
  t.ok(references.length <= 1000);
});
