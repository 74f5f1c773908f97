// Lengths of texts in code points.
import t from 'tap';
import { characters, isLonger } from '#core/kernel/characters';

void t.test('a character is a code point', (t) => {
  for (const [text, count] of [
    ['', 0],
    ['abc', 3],
    ['😀', 1],
    ['a😀b😀', 4],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
    ['\ud83d\ud83d\ude00', 2],
    ['e\u0301', 2],
  ] as const) {
    t.equal(characters(text), count);
    t.equal(characters(text), [...text].length);
    t.strictSame([isLonger(text, count), count > 0 && isLonger(text, count - 1)], [false, count > 0]);
  }
  t.end();
});
