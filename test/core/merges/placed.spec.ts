// Tests how the line of a comment is found at a later commit.
import t from 'tap';
import { lineAfter } from '#core/merges/discussion/placed';
import { readHunks } from '#core/repositories/index';

void t.test('a line moves with the lines that were added and removed before it', async (t) => {
  const hunks = readHunks(
    '@@ -2,3 +2,4 @@\n two\n-three\n+drei\n+more\n four\n@@ -10,0 +12,2 @@\n+a\n+b\n@@ -20 +23,0 @@\n-x\n',
  );
  for (const [before, after] of [
    [1, 1],
    [2, 2],
    [3, undefined],
    [4, 5],
    [9, 10],
    [10, 11],
    [11, 14],
    [19, 22],
    [20, undefined],
    [21, 23],
  ] as const)
    t.equal(lineAfter(hunks, before), after, `line ${before}`);
  t.equal(lineAfter([], 7), 7);
});
