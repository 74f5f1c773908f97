// Tests how the changes of a file are prepared to be shown: without changes of whitespace, and with all lines.
import t from 'tap';
import { html, type Html } from '#adapters/http/descriptor/html';
import type { RequestChanges } from '#core/merges/use-cases';
import { readHunks, type DiffHunk } from '#core/repositories/index';
import { allLines, highlighted, withoutWhitespace } from '#plugins/merges/pages/changes/shown-files';

const texts = (hunks: readonly DiffHunk[]): readonly string[] =>
  hunks.flatMap(({ lines }) => lines.map(({ op, content, oldNo, newNo }) => `${op}${content}|${oldNo}|${newNo}`));

void t.test('a change of whitespace is context; a change of other characters stays', async (t) => {
  const hunks = readHunks('@@ -1,3 +1,3 @@\n-a b\n-c\n-d\n+ab\n+x\n+\td\n');
  t.strictSame(texts(withoutWhitespace(hunks)), [' ab|1|1', '-c|2|0', '+x|0|2', ' \td|3|3']);
});

void t.test('a hunk with changes of whitespace alone is left out', async (t) => {
  t.strictSame(withoutWhitespace(readHunks('@@ -1,2 +1,2 @@\n a\n-b\n+  b\n')), []);
});

void t.test('a change of different lengths is kept', async (t) => {
  const hunks = readHunks('@@ -1 +1,2 @@\n-a\n+ a\n+b\n');
  t.strictSame(withoutWhitespace(hunks), hunks);
});

void t.test('all lines: those between hunks are context with both numbers', async (t) => {
  const hunks = readHunks('@@ -2 +2,2 @@\n-b\n+B\n+bb\n@@ -4,1 +4,0 @@\n-d\n');
  t.strictSame(texts(allLines(hunks, 'a\nB\nbb\nc\ne\n')), [
    ' a|1|1',
    '-b|2|0',
    '+B|0|2',
    '+bb|0|3',
    ' c|3|4',
    '-d|4|0',
    ' e|5|5',
  ]);
  t.equal(allLines(hunks, undefined), hunks, 'without the text of the file');
  t.equal(allLines(hunks, '\n'.repeat(10_000)), hunks, 'a file of more than 10,000 lines');
});

void t.test('files are highlighted a few at a time, because the queue of a caller is short', async (t) => {
  let [running, most, calls] = [0, 0, 0];
  const markup = {
    markdown: async () => [],
    linked: async () => [],
    code: async (text: string): Promise<readonly Html[]> => {
      calls += 1;
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return [html`${text}`];
    },
  };
  const files = Array.from({ length: 40 }, (_, index) => {
    const path = index === 0 ? 'a.unknown' : `f${index}.ts`;
    const file = { oldPath: path, newPath: path };
    return { file, old: { oid: `1${index}`, text: 'old' }, new: { oid: `2${index}`, text: 'new' } };
  });
  const looks = await highlighted(markup, { files } as unknown as RequestChanges, new AbortController().signal);
  t.equal(looks.size, 40);
  t.strictSame([...looks.values()].at(-1), { old: [html`old`], new: [html`new`] });
  t.equal(calls, 78, 'a text without a language is not sent');
  t.ok(most <= 8, `${String(most)} texts at a time`);
});
