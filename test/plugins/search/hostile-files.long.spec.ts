// Files that are made to stop the indexing: other files of the same push are found, and the search answers.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { checkout, eventually, filesOf, pathsOf, people, search, setDocs } from '../../spec/search/world.ts';

const mebibyte = 1024 * 1024;
const long = (text: string, length = mebibyte): string => text.repeat(Math.floor(length / text.length));
const bytes = (...parts: readonly (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** Forty files; those with a marker that are found are in `found`. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'nested/brackets.js': long('('),
  'nested/arrays.js': long('['),
  'nested/objects.json': long('{"a":'),
  'nested/braces.c': long('{'),
  'nested/generics.ts': `type A = ${long('Array<', 60_000)}`,
  'nested/blocks.rb': long('begin\n', 200_000),
  'nested/quotes.py': long('"""', 300_000),
  'nested/comments.java': long('/* ', 300_000),
  'nested/templates.ts': long('`${', 300_000),
  'nested/if.go': `package a\nfunc f() {${long('if a {', 300_000)}`,
  'nested/parens.rs': `fn f() { ${long('(|| ', 300_000)}`,
  'nested/macro.c': long('#if A\n', 300_000),
  'nested/heredoc.sh': long('cat <<A\n', 300_000),
  'nested/tags.html': long('<b>', 300_000),
  'line/10-mib.txt': long('x', 10 * mebibyte),
  'line/one-character.txt': long('a'),
  'line/blanks.txt': long(' '),
  'line/newlines.txt': long('\n'),
  'line/returns.txt': long('\r'),
  'line/tabs.ts': long('\t\n'),
  'line/definitions.txt': long(`fn ${' '.repeat(95)}(squid\n`),
  'bytes/invalid.txt': bytes(long('\u0000').slice(0, 0), [0xff, 0xfe, 0x80, 0xc3, 0x28], ' squid-bytes\n'),
  'bytes/nul.txt': bytes('squid', [0], 'squid'),
  'bytes/late-nul.txt': bytes(long('squid-late\n', 9000), [0]),
  'bytes/bom.txt': bytes([0xef, 0xbb, 0xbf], 'squid-bom\n'),
  'bytes/utf16le.txt': bytes([0xff, 0xfe], [...Buffer.from('squid', 'utf16le')]),
  'bytes/surrogates.txt': bytes([0xed, 0xa0, 0x80], ' squid-surrogate\n'),
  'bytes/combining.txt': `squid-marks\n${long(`a${long('\u0301\u0327', 1900)}\n\n\n\n`, 400_000)}`,
  'bytes/emoji.txt': `squid-emoji ${long('👩‍👩‍👧 ', 1200)}\n`,
  'bytes/controls.txt': `squid-controls ${Array.from({ length: 31 }, (_, at) => String.fromCharCode(at + 1)).join('')}\n`,
  'markdown/front.md': `---\n${long('a: b\n', 200_000)}`,
  'markdown/headings.md': `squid-headings\n${long('# a\n', 40_000)}`,
  'markdown/links.md': `squid-links\n${long(`${long('[', 400)}\n`, 30_000)}${long(`${long('](', 400)}\n`, 30_000)}`,
  'markdown/quotes.md': `squid-quotes\n${long(`${long('> ', 400)}\n`, 60_000)}`,
  'markdown/tags.md': `squid-tags\n${long(`${long('<', 400)}\n`, 60_000)}`,
  'data/1-mib.json': `{${long('"a": 1,\n', mebibyte - 20)}"b": 2}`,
  'data/minified.js': long('var a=b;', 200_000),
  'data/words.txt': Array.from({ length: 60_000 }, (_, at) => `word${at}`).join('\n'),
  'data/many-symbols.ts': Array.from({ length: 5000 }, (_, at) => `export const squidward${at} = 1;`).join('\n'),
  'data/one-name.ts': `export const ${long('n', 100_000)} = 1;\n`,
};

const odd: readonly string[] = [
  'odd/ leading and trailing ',
  'odd/new\nline.txt',
  'odd/tab\t.txt',
  'odd/back\\slash.txt',
  'odd/quote".txt',
  "odd/apostrophe'.txt",
  'odd/percent%41_.txt',
  'odd/#hash?query&amp;.txt',
  'odd/<script>alert(1)</script>.txt'.replaceAll('/s', '∕s'),
  'odd/\u202egnp.txt',
  'odd/-rf',
  'odd/:(glob)**',
  'odd/\u0001\u001b[31m.txt',
  'odd/\ud83d\ude00\u0301.txt',
  `odd/${'n'.repeat(250)}`,
  `odd/${'d/'.repeat(500)}deep`,
];

void t.test('files that are hard to read', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { alice, forge } = world;
  t.teardown(() => setDocs(forge, ''));
  const { push } = await checkout(t, world, 'hard');
  await setDocs(forge, 'alice/hard');
  await push({ ...files, 'zz/last.txt': 'squid-last\n', 'aa/first.txt': 'squid-first\n' });
  await eventually(
    () => search(alice, 'squid-last'),
    ({ code }) => code.total === 1,
    120,
  );
  const { code, docs } = await search(alice, 'squid', { types: 'code,docs', limit: '100' });
  t.strictSame(pathsOf(code).toSorted(), [
    'aa/first.txt',
    'bytes/bom.txt',
    'bytes/combining.txt',
    'bytes/controls.txt',
    'bytes/emoji.txt',
    'bytes/invalid.txt',
    'bytes/late-nul.txt',
    'bytes/surrogates.txt',
    'data/many-symbols.ts',
    'line/definitions.txt',
    'markdown/headings.md',
    'markdown/links.md',
    'markdown/quotes.md',
    'markdown/tags.md',
    'zz/last.txt',
  ]);
  t.equal(docs.total, 4);
  t.equal((await search(alice, 'squidward')).symbols.total, 1000, 'totals are counted up to 1,000');
  const ready = (await forge.anonymous.get('/readyz')).body as { details: { search: { failing: number } } };
  t.equal(ready.details.search.failing, 0);
});

void t.test('paths with every odd character, and a folder of 5,000 files', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { alice } = world;
  const { work, push } = await checkout(t, world, 'odd');
  await push(Object.fromEntries(odd.map((path) => [path, 'octopus\n'])));
  const { code } = await filesOf(alice, 'octopus', ...odd);
  t.equal(code.total, odd.length);
  for (const path of odd.slice(0, 8)) {
    const q = `octopus path:"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', ' ')}"`;
    t.equal((await search(alice, q)).code.total, path.includes('\n') || path.includes('\t') ? 0 : 1, q);
  }
  await push(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`many/${at}.txt`, `octopus number${at}\n`])));
  await eventually(
    () => search(alice, 'number4999'),
    (found) => found.code.total === 1,
    120,
  );
  t.equal((await search(alice, 'octopus')).code.total, 1000, 'counted up to 1,000');
  await work.git('rm', '-r', '--quiet', 'many');
  await work.git('commit', '--quiet', '--message', 'Remove');
  await push();
  await filesOf(alice, 'octopus', ...odd);
});
