// Trimming at both ends in time that does not depend on the runs inside.
import t from 'tap';
import { trim, trimEnd, trimStart } from '#core/kernel/trim';

const newline = (character: string): boolean => character === '\n';

void t.test('removes matching characters at the ends, not inside', async (t) => {
  t.equal(trim('\n\na\n\nb\n', newline), 'a\n\nb');
  t.equal(trimStart('\na\n', newline), 'a\n');
  t.equal(trimEnd('\na\n', newline), '\na');
  t.equal(trim('\n\n', newline), '');
  t.equal(trim('', newline), '');
});

void t.test('reads each character at the ends once, however long the runs inside are', async (t) => {
  let looks = 0;
  const counting = (character: string): boolean => {
    looks += 1;
    return newline(character);
  };
  const text = `a${'\n'.repeat(100_000)}b`;
  t.equal(trim(text, counting), text);
  t.equal(looks, 2);
});
