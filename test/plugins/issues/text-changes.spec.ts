// Tests the changed lines between two versions of a text.
import t from 'tap';
import { changedHunks } from '#plugins/issues/pages/text-changes';

const text = (...lines: readonly string[]): string => lines.join('\n');
const shown = (before: string, after: string): readonly string[] =>
  changedHunks(before, after).flatMap(({ lines }) => lines.map(({ op, content }) => op + content));

/** The text after all hunks, from the text before them. */
function applied(before: string, after: string): string {
  const lines = before === '' ? [] : before.split('\n');
  for (const hunk of changedHunks(before, after).toReversed()) {
    const fresh = hunk.lines.filter(({ op }) => op !== '-').map(({ content }) => content);
    const old = hunk.lines.filter(({ op }) => op !== '+');
    const at = hunk.oldLines === 0 ? (hunk.newStart || 1) - 1 : hunk.oldStart - 1;
    if (old.some(({ content, oldNo }) => lines[oldNo - 1] !== content)) throw new Error('a line is not of the text');
    lines.splice(at, hunk.oldLines, ...fresh);
  }
  return lines.join('\n');
}

void t.test('a changed line has the lines around it', (t) => {
  t.strictSame(shown('a', 'a'), []);
  t.strictSame(shown('a', 'b'), ['-a', '+b']);
  t.strictSame(shown('', 'a'), ['+a']);
  t.strictSame(shown('a', ''), ['-a']);
  const before = text(...'abcdefghij');
  t.strictSame(shown(before, before.replace('e', 'E')), [' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h']);
  t.strictSame(changedHunks(before, before.replace('a', 'A').replace('j', 'J')), [
    {
      oldStart: 1,
      oldLines: 4,
      newStart: 1,
      newLines: 4,
      lines: [
        { op: '-', content: 'a', oldNo: 1, newNo: 0 },
        { op: '+', content: 'A', oldNo: 0, newNo: 1 },
        { op: ' ', content: 'b', oldNo: 2, newNo: 2 },
        { op: ' ', content: 'c', oldNo: 3, newNo: 3 },
        { op: ' ', content: 'd', oldNo: 4, newNo: 4 },
      ],
    },
    {
      oldStart: 7,
      oldLines: 4,
      newStart: 7,
      newLines: 4,
      lines: [
        { op: ' ', content: 'g', oldNo: 7, newNo: 7 },
        { op: ' ', content: 'h', oldNo: 8, newNo: 8 },
        { op: ' ', content: 'i', oldNo: 9, newNo: 9 },
        { op: '-', content: 'j', oldNo: 10, newNo: 0 },
        { op: '+', content: 'J', oldNo: 0, newNo: 10 },
      ],
    },
  ]);
  t.strictSame(shown(text('a', 'b', 'c'), text('b', 'x', 'c', 'd')), ['-a', ' b', '+x', ' c', '+d'], 'few edits');
  t.end();
});

void t.test('the hunks make the later text of the earlier one', (t) => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round += 1) {
    const letters = (): string => text(...Array.from({ length: random(14) }, () => 'abc'[random(3)] ?? ''));
    const [before, after] = [letters(), letters()];
    t.equal(applied(before, after), after, `${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  }
  t.end();
});

void t.test('beyond the bounds all lines between the common ones are changed, in time', (t) => {
  const many = (letter: string, count: number): string =>
    text('first', ...Array.from({ length: count }, (_, at) => `${letter} ${at % 7}`), 'last');
  const begun = performance.now();
  for (const count of [1000, 30_000]) {
    const hunks = changedHunks(many('a', count), many('b', count));
    t.equal(hunks.length, 1);
    t.match(hunks[0], { oldLines: count + 2, newLines: count + 2 });
  }
  t.equal(applied(many('a', 2000), many('b', 3)), many('b', 3));
  t.ok(performance.now() - begun < 5000);
  t.end();
});
