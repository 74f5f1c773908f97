// Trimming: both ends, and no more work for a text that holds many runs of what is trimmed.
import t from 'tap';
import { trim, trimEnd, trimStart } from '#core/kernel/trim';

const newline = (character: string): boolean => character === '\n';

void t.test('what is at the ends goes, what is inside stays', async (t) => {
  t.equal(trim('\n\na\n\nb\n', newline), 'a\n\nb');
  t.equal(trimStart('\na\n', newline), 'a\n');
  t.equal(trimEnd('\na\n', newline), '\na');
  t.equal(trim('\n\n', newline), '');
  t.equal(trim('', newline), '');
});

void t.test('each character is looked at once, however long the runs inside are', async (t) => {
  let looks = 0;
  const counting = (character: string): boolean => {
    looks += 1;
    return newline(character);
  };
  const text = `a${'\n'.repeat(100_000)}b`;
  t.equal(trim(text, counting), text);
  t.equal(looks, 2);
});
