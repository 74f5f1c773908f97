// How the reader of a program's output waits after small pieces.
import { Buffer } from 'node:buffer';
import t from 'tap';
import { gathered } from '#adapters/git-native/process/byte-stream';

/**
 * A program writes one piece of one byte and three of `bytes` bytes. Returns for each whether the reader waited after
 * it.
 */
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

void t.test('12. the reader waits for more after a small piece, and does not wait after a large one', async (t) => {
  t.strictSame(await waitedAfter(1), [true, true, true, true]);
  t.strictSame(await waitedAfter(64 * 1024), [true, false, false, false]);
});
