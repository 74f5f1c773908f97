// Highlighted code: lines, classes, and every grammar.
import t from 'tap';
import { grammarOf, grammars } from '#adapters/markup/grammars';
import { highlighted, loaded, plainLines } from '#adapters/markup/highlight';

const shown = async (text: string, language: string): Promise<readonly string[] | undefined> => {
  await loaded(language);
  return highlighted(text, language);
};

void t.test('an element never reaches over a line', async (t) => {
  t.strictSame(await shown('/* a\n b */ let c', 'TypeScript'), [
    '<span class="tc">/* a</span>',
    '<span class="tc"> b */</span> <span class="tk">let</span> c',
  ]);
  t.strictSame(await shown('"\r\n"\r\n', 'javascript'), [
    '<span class="ts">&quot;</span>',
    '<span class="ts">&quot;</span>',
    '',
  ]);
});

void t.test('long lines are plain, and the others are not', async (t) => {
  const [long, short] = (await shown(`${'"a" '.repeat(600)}\n"a"`, 'javascript')) ?? [];
  t.notMatch(long, /<span/);
  t.equal(short, '<span class="ts">&quot;a&quot;</span>');
});

void t.test('characters that reverse text become visible', async (t) => {
  t.strictSame(await shown('a\u{202e}b\u{0}', 'c'), ['a\u{fffd}b\u{fffd}']);
  t.strictSame(plainLines('<\u{202e}'), ['&lt;\u{fffd}']);
});

void t.test('every grammar loads, by each of its names', async (t) => {
  for (const [name, { also = '' }] of Object.entries(grammars)) {
    t.not(await shown('a "b" 1', name), undefined, name);
    for (const other of also.split(' ').filter(Boolean)) t.equal(grammarOf(other.toUpperCase()), name, other);
  }
  t.equal(await shown('a', 'constructor'), undefined);
});
