// The parts of a search text, the line that is shown, and the forms in which texts are compared.
import t from 'tap';
import { bestLine } from '#core/search/query/best-line';
import { folded, isIndexable } from '#core/search/query/folded';
import { pathWeight, stemOf } from '#core/search/query/path-weight';
import { documentWords, fileTerms, parseSearchText, searchBounds, symbolName } from '#core/search/query/search-text';
import { wordsIn } from '#core/search/query/words';
import { refusal } from '../forge.ts';

const mebibyte = 1024 * 1024;

void t.test('a search text has words, phrases and filters', async (t) => {
  const parsed = (text: string): readonly (readonly string[])[] => {
    const { terms, languages, paths, repositories } = parseSearchText(text);
    return [terms, languages, paths, repositories];
  };
  t.strictSame(parsed('one Two'), [['one', 'Two'], [], [], []]);
  t.strictSame(parsed('"one  two" "a \\"b\\" \\\\c" "open end'), [['one two', 'a "b" \\c', 'open end'], [], [], []]);
  t.strictSame(parsed('lang:TS language:Go path:Src/ repo:Ada/Site x'), [
    ['x'],
    ['typescript', 'go'],
    ['src/'],
    ['ada/site'],
  ]);
  t.strictSame(parsed('path:"a b" path:'), [['path:'], [], ['a b'], []], 'a filter without a value is a word');
  t.strictSame(parsed('http://x a:b Lang:go lang:"" constructor:y'), [
    ['http://x', 'a:b', 'Lang:go', 'constructor:y'],
    [],
    [],
    [],
  ]);
  t.strictSame(parsed('lang:constructor lang:__proto__')[1], ['constructor', '__proto__']);
  t.strictSame(parsed('a\u0000b \ud800c')[0], ['a', 'b', '\ufffdc']);
});

void t.test('a search text is bounded', async (t) => {
  for (const text of ['', ' \n\t', '\u0000', 'a'.repeat(searchBounds.query + 1), '😀'.repeat(searchBounds.query + 1)])
    t.throws(() => parseSearchText(text), refusal('validation_failed'), text.slice(0, 9));
  t.equal(parseSearchText('a '.repeat(400)).terms.length, searchBounds.terms);
  t.equal(parseSearchText('path:a '.repeat(100)).paths.length, searchBounds.terms);
  t.equal(parseSearchText('a'.repeat(searchBounds.query)).terms[0]?.length, searchBounds.term);
  t.equal(parseSearchText(`${'a'.repeat(255)}😀`).terms[0], `${'a'.repeat(255)}\ufffd`, 'no half of a pair');
  for (const text of ['"', '"\\', '\\"', '"\\\n', 'a:"', '""""'.repeat(200), '"\\'.repeat(500), 'a:'.repeat(500)])
    t.ok(parseSearchText(text).terms.length <= searchBounds.terms, text.slice(0, 9));
});

void t.test('terms of files, words of documents, and names', async (t) => {
  const text = parseSearchText('Parse if "a b" parse 漢 !! x1');
  t.strictSame(fileTerms(text, []), { terms: ['parse'], short: ['if', 'a b', '漢', '!!', 'x1'] });
  t.strictSame(documentWords(text), ['Parse', 'if', 'a b', 'parse', '漢', 'x1']);
  t.equal(symbolName(parseSearchText('Parse Config')), 'parseconfig');
  t.equal(symbolName(parseSearchText('lang:go')), undefined);
  t.strictSame(wordsIn('don’t stop_it 漢字かな é1'), ['don', 't', 'stop', 'it', '漢', '字', 'か', 'な', 'é1']);
  t.strictSame(
    [isIndexable('a.b'), isIndexable('abc'), isIndexable('a-bcd'), isIndexable('漢字か')],
    [false, true, true, true],
  );
});

void t.test('folding keeps lines, and many combining marks do not hold it up', async (t) => {
  t.equal(folded('ÄE\u0301\nX\0Y'), 'äé\nx y');
  t.equal(folded('A'.repeat(mebibyte)).length, mebibyte);
  const marks = folded(`a${'\u0301\u0327'.repeat(200_000)}\nb`);
  t.equal(marks.split('\n').length, 2);
  t.ok(marks.length >= 400_000);
  t.equal(folded('e\u0301'.repeat(1000)), 'é'.repeat(1000), 'ordinary texts are composed');
});

void t.test('the best line is a definition, then a whole word, then the first', async (t) => {
  const text = 'call(parse)\nparser\n  function parse() {\n}\nparse and more\n';
  t.strictSame(bestLine(text, ['parse']), {
    line: 3,
    firstLine: 2,
    snippet: 'parser\n  function parse() {\n}',
    quality: 20,
  });
  t.equal(bestLine(text, ['parse', 'more'])?.line, 5, 'more terms');
  t.equal(bestLine(text, ['parse'], { definedAt: 5 })?.line, 5, 'the line that the index knows');
  t.equal(bestLine(text, ['parse'], { definedAt: 4 })?.line, 3, 'unless the term is not in it');
  t.equal(bestLine(text, ['absent']), undefined);
  t.strictSame(bestLine('parse', ['parse']), { line: 1, firstLine: 1, snippet: 'parse', quality: 15 });
  t.strictSame(bestLine('a\r\nparse\r\nb', ['parse'])?.snippet, 'a\nparse\nb');
  t.equal(bestLine('', ['x']), undefined);
  t.strictSame(bestLine('x\n\n', ['x'])?.snippet, 'x\n');
  for (const line of ['struct Foo::parse', 'def self.parse', 'public static void parse', 'let *parse', 'const  parse'])
    t.equal(bestLine(`parse\n${line}`, ['parse'])?.line, 2, line);
  for (const line of ['outlet parse', 'let (parse', `let ${'a '.repeat(60)}parse`])
    t.equal(bestLine(`parse\n${line}`, ['parse'])?.line, 1, line);
  const long = bestLine(`${'x'.repeat(1000)}parse${'y'.repeat(1000)}`, ['parse']);
  t.match(long?.snippet, /^…x{50}parsey{145}…$/);
  const many = bestLine(`${'\n'.repeat(60_000)}parse`, ['parse']);
  t.equal(many, undefined, 'lines beyond those that are indexed are not looked at');
});

void t.test('lines that are made to be slow have the same answers', async (t) => {
  const repeated = (line: string): string => line.repeat(mebibyte / line.length);
  for (const [line, quality] of [
    [`fn${' '.repeat(95)}(term\n`, 15],
    [`${'fn '.repeat(32)}(term\n`, 15],
    [`${'fn '.repeat(32)}term\n`, 20],
    [`term${' '.repeat(3900)}y\n`, 15],
    ['term\n', 15],
  ] as const)
    t.equal(bestLine(repeated(line), ['term'])?.quality, quality, line.slice(0, 12));
  t.equal(bestLine('\n'.repeat(mebibyte), ['term']), undefined);
});

void t.test('the weight of a path, and its stem', async (t) => {
  t.ok(pathWeight('a.ts') > pathWeight('src/a.ts') && pathWeight('src/a.ts') > pathWeight('test/a.ts'));
  for (const path of ['vendor/x/a.go', 'a.test.ts', 'a_spec.rb', 'src/Node_Modules/b/c.js'])
    t.ok(pathWeight(path) < pathWeight(`lib/lib/${'b'.repeat(30)}.ts`), path);
  t.ok(pathWeight(`${'d/'.repeat(900)}a`) >= 0);
  t.strictSame(['a/b.test.ts', 'Makefile', '.env', 'a/', 'x.'].map(stemOf), ['b.test', 'Makefile', '.env', '', 'x']);
});
