// What a program writes little at a time.
import { Buffer } from 'node:buffer';
import t from 'tap';
import { gathered } from '#adapters/git-native/process/byte-stream';

/** Of a program's pieces, the first of one byte and the others of `bytes`: which the reader waited after. */
async function waitedAfter(bytes: number): Promise<boolean[]> {
  const waited: boolean[] = [];
  async function* program(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < 4; piece += 1) {
      let over = false;
      const timer = setTimeout(() => (over = true), 1);
      yield Buffer.alloc(piece === 0 ? 1 : bytes);
      clearTimeout(timer);
      waited.push(over);
    }
  }
  for await (const piece of gathered(program())) void piece;
  return waited;
}

void t.test('12. after a small piece there is time for more of it, and after a large one none is lost', async (t) => {
  t.strictSame(await waitedAfter(1), [true, true, true, true]);
  t.strictSame(await waitedAfter(64 * 1024), [true, false, false, false]);
});
