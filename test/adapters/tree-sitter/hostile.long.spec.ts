// Hostile files: each ends, and the reader reads the next file.
import t from 'tap';
import { treeSitterSymbols } from '#adapters/tree-sitter/index';
import { defaultTimes } from '#adapters/tree-sitter/thread';
import { keptLog } from './silent.ts';

/** A definition in each language. */
const ordinary: Readonly<Record<string, string>> = {
  c: 'int ok(void) { return 1; }',
  cpp: 'class ok {};',
  csharp: 'class ok {}',
  go: 'package a\nfunc ok() {}',
  java: 'class ok {}',
  javascript: 'function ok() {}',
  kotlin: 'fun ok() {}',
  php: '<?php function ok() {}',
  python: 'def ok(): pass',
  ruby: 'def ok; end',
  rust: 'fn ok() {}',
  tsx: 'function ok() {}',
  typescript: 'function ok() {}',
};
const languages = Object.keys(ordinary);

const longest = 1024 * 1024;
/** Leaves room for a prefix and a suffix. */
const most = longest - 64;
const filled = (part: string, length = most): string => part.repeat(Math.floor(length / part.length));
const nested = (open: string, close: string, depth = 100_000): string => open.repeat(depth) + close.repeat(depth);

/** A pseudorandom sequence, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
}
function characters(length: number, highest: number): string {
  const next = random(highest);
  return Array.from({ length }, () => String.fromCharCode(Math.floor(next() * highest))).join('');
}
const tokens =
  '( ) [ ] { } < > " \' ` \\ / * # @ $ | ! ? : ; , . = \n 0 a class def fn if else end <<A #{ /* */ // ${ => -> ::'.split(
    / /,
  );
function soup(length: number): string {
  const next = random(7);
  return Array.from({ length }, () => tokens[Math.floor(next() * tokens.length)]).join(' ');
}

/** For every grammar. */
const everywhere: Readonly<Record<string, string>> = {
  'nested parentheses': `x = ${nested('(', ')')}`,
  'nested braces': nested('{', '}'),
  'nested brackets': `x = ${nested('[', ']')}`,
  'nested angles': `a${nested('<a', '>')}`,
  parentheses: filled('(', longest / 8),
  braces: filled('{', longest / 8),
  angles: filled('<', longest / 8),
  'double quotes': filled('"', longest / 8),
  backslashes: filled('\\', longest / 8),
  'a mix of tokens': soup(60_000),
  'random characters': characters(200_000, 0x10000),
};

/** Languages, a name, and the text. */
const single: readonly (readonly [string, string, string])[] = [
  ['typescript c kotlin', 'a megabyte of parentheses', filled('(')],
  ['javascript rust', 'a megabyte of braces', filled('{')],
  ['cpp csharp', 'a megabyte of angles', filled('<')],
  ['python ruby', 'a megabyte of quotes', filled('"')],
  ['go', 'a megabyte of backslashes', filled('\\')],
  ['typescript java', 'a megabyte of semicolons', filled(';')],
  ['javascript', 'many small statements', filled('a = 1;\n')],
  ['java csharp', 'many small classes', filled('class A { int b; }\n')],
  ['python', 'a very long name', filled('a')],
  ['go', 'a very long name of astral characters', filled('\u{1d4b3}')],
  ['typescript', 'half surrogates', filled('\u{d800}')],
  ['c', 'invalid UTF-8, decoded', filled('\u{fffd}a')],
  ['java', 'NUL characters', filled('class \0A {}')],
  ['rust', 'bytes', characters(500_000, 256)],
  ['c java javascript', 'an unterminated comment', `/*${filled(' a')}`],
  ['rust kotlin', 'nested unterminated comments', filled('/*')],
  ['python', 'an unterminated string', `a = """${filled('b\n')}`],
  ['typescript', 'nested templates', filled('`${')],
  ['tsx', 'nested elements', '<a>'.repeat(200_000)],
  ['jsx', 'nested attributes', filled('<a b={')],
  ['typescript', 'nested classes', nested('class A {', '}', 50_000)],
  ['javascript', 'nested functions', nested('function a(){', '}', 50_000)],
  ['javascript', 'nested arrows', `x = ${'a => '.repeat(200_000)}1`],
  ['typescript', 'conditional types', `type A = ${'B extends C ? D : '.repeat(50_000)}E`],
  ['c', 'else if', `void a() { ${'if (a) {} else '.repeat(50_000)}{} }`],
  ['java', 'casts', `class A { Object a = ${'(a)'.repeat(300_000)}b; }`],
  ['c', 'pointers', `int ${'*'.repeat(500_000)}a;`],
  ['c', 'pointers to functions', `int ${nested('(*', ')()')};`],
  ['c cpp', 'nested conditional sections', '#if A\n'.repeat(150_000)],
  ['c', 'macros with continued lines', filled('#define A \\\n')],
  ['cpp', 'nested templates of C++', `${'template<typename T> '.repeat(40_000)}struct A {};`],
  ['cpp', 'arguments of templates that may be comparisons', `int a = ${nested('f<', '>', 50_000)}(0);`],
  ['cpp', 'a raw string with a long delimiter', `auto a = R"${filled('a', 500_000)}(`],
  ['rust', 'a raw string with many signs', `fn a() { r${'#'.repeat(500_000)}" }`],
  ['rust', 'nested tokens of a macro', `a!${nested('(', ')', 300_000)}`],
  ['rust', 'tokens of a macro without names', `a!(${'+ '.repeat(400_000)})`],
  ['python', 'imports with many dots', `from ${'.'.repeat(800_000)} import a`],
  ['python', 'nested indentation', Array.from({ length: 1400 }, (_, at) => `${' '.repeat(at)}if a:`).join('\n')],
  ['python', 'nested format strings', `x = ${'f"{'.repeat(200_000)}`],
  ['python', 'decorators without definition', filled('@a\n')],
  ['ruby', 'heredocs in one line', filled('<<A ')],
  ['ruby', 'nested heredocs', 'x = <<A\n#{'.repeat(20_000)],
  ['ruby', 'nested literals', filled('%w(')],
  ['ruby', 'nested interpolations', filled('"#{')],
  ['ruby', 'nested blocks', 'a do |x|\n'.repeat(100_000)],
  ['php', 'many sections between text', filled('<?php ?><b>')],
  ['php', 'nested interpolations of PHP', `<?php ${filled('"{$a[" . ')}`],
  ['php', 'heredocs without end', `<?php ${filled('$a = <<<A\n')}`],
  ['csharp', 'nested interpolations of C#', filled('$"{')],
  ['csharp', 'a raw string of quotes', `class A { string a = ${'"'.repeat(900_000)}; }`],
  ['kotlin', 'nested lambdas', `val a = ${'{ '.repeat(200_000)}`],
  ['go', 'nested literals of Go', `package a\nvar x = ${'A{'.repeat(200_000)}`],
  ['java', 'nested annotations', filled('@A(')],
];

/** Each text in one or two of its languages; in all of them with HEXFORGE_TEST_HOSTILE=all. */
const everyLanguage = process.env['HEXFORGE_TEST_HOSTILE'] === 'all';

const files = [
  ...languages.flatMap((language, place) =>
    Object.entries(everywhere)
      .filter((_, at) => everyLanguage || (at + place) % 6 === 0)
      .map(([name, text]) => ({ language, name, text: inside(language, text) })),
  ),
  ...single.flatMap(([names, name, text]) =>
    names
      .split(' ')
      .slice(0, everyLanguage ? undefined : 1)
      .map((language) => ({ language, name, text })),
  ),
];

/** Outside of its tags, PHP is plain text. */
function inside(language: string, text: string): string {
  return language === 'php' ? `<?php ${text}` : text;
}

const { log, kept } = keptLog();
const reader = treeSitterSymbols({ log, times: { ...defaultTimes, start: 60_000, wall: 60_000 } });
t.teardown(() => reader.stop());

for (const language of new Set(files.map((file) => file.language)))
  void t.test(`hostile files of ${language}`, { timeout: 600_000 }, async (t) => {
    const like = language === 'jsx' ? 'javascript' : language;
    for (const { name, text } of files.filter((file) => file.language === language)) {
      t.ok(text.length <= longest, `${name} is not refused by its size alone`);
      const found = await reader.read({ language, path: name, text });
      t.ok(found.length <= 2000, name);
      const next = await reader.read({ language, path: 'next', text: ordinary[like] ?? '' });
      t.strictSame(
        next.map((one) => one.name),
        ['ok'],
        `the file after ${name}`,
      );
    }
  });

void t.test('a file of one line of ten megabytes is refused before it is read', async (t) => {
  t.strictSame(await reader.read({ language: 'javascript', path: 'a.js', text: filled('a;', 10 * longest) }), []);
});

void t.test('each end of the worker is counted and logged once, and no grammar is missing', async (t) => {
  const restarts = Object.values(reader.restarts).reduce((sum, count) => sum + count, 0);
  t.ok(files.length > 60);
  t.equal(kept.filter(({ message }) => message === 'A file made the reader of symbols restart').length, restarts);
  t.strictSame(
    kept.filter(({ message }) => message.startsWith('A grammar')),
    [],
  );
});
