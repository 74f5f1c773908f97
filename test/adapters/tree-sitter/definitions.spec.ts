// Definitions of every language: fixtures with typical constructs, whose lines name what they define.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { treeSitterSymbols } from '#adapters/tree-sitter/index';
import { languageOf } from '#core/repositories/git/languages';
import { type SymbolDefinition, symbolKinds } from '#core/search/model/symbol';
import { silent } from './silent.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const languages = 'c cpp csharp go java javascript jsx kotlin php python ruby rust tsx typescript'.split(' ');
/** Ends the code of a line. After it stand the definitions of the line, in order, as `kind name`. */
const mark = ' ⇒ ';

const reader = treeSitterSymbols({ log: silent });
t.teardown(() => reader.stop());

function fixture(language: string): { readonly text: string; readonly expected: readonly SymbolDefinition[] } {
  const lines = readFileSync(join(fixtures, `${language}.txt`), 'utf8')
    .split('\n')
    .map((line) => line.split(mark));
  return {
    text: lines.map(([code]) => code).join('\n'),
    expected: lines.flatMap(([code = '', defined], index) =>
      (defined?.split(', ') ?? []).map((one) => {
        const [kind, ...name] = one.split(' ');
        return { name: name.join(' '), kind, line: index + 1, signature: code.trim() } as SymbolDefinition;
      }),
    ),
  };
}

for (const language of languages)
  void t.test(`definitions of ${language}`, async (t) => {
    const { text, expected } = fixture(language);
    t.ok(expected.length >= 5, 'the fixture names definitions');
    for (const { kind } of expected) t.ok(symbolKinds.includes(kind), kind);
    const found = await reader.read({ language, path: `a.${language}`, text });
    t.strictSame(found, expected);
    const crlf = await reader.read({ language, path: `a.${language}`, text: text.replaceAll('\n', '\r\n') });
    // In C, a backslash continues a line only directly before its end.
    t.strictSame(crlf, expected, 'the same with CRLF');
  });

void t.test('there is a fixture for each language, and a language for each file that has a grammar', async (t) => {
  t.strictSame(
    readdirSync(fixtures).sort(),
    [...languages].sort().map((language) => `${language}.txt`),
  );
  const files = 'a.c a.h a.cc a.cs a.go a.java a.js a.mjs a.jsx a.kt a.kts a.php a.py a.rb a.rs a.tsx a.ts';
  for (const path of files.split(' ')) t.ok(languages.includes(languageOf(path)), path);
});

void t.test('a header with lines of C++ is read as C++', async (t) => {
  const read = async (path: string, text: string): Promise<readonly string[]> =>
    (await reader.read({ language: languageOf(path), path, text })).map(({ kind, name }) => `${kind} ${name}`);
  t.strictSame(await read('a.h', 'class Shape {\n public:\n  void draw();\n};'), ['class Shape', 'method draw']);
  t.strictSame(await read('a.h', 'struct class { int new; };'), ['struct class', 'field new']);
});
