// What a program writes little at a time.
import { Buffer } from 'node:buffer';
import t from 'tap';
import { gathered } from '#adapters/git-native/process/byte-stream';

/** A first piece of one byte, then pieces of `large`; notes when it was asked for each. */
function program(large: number): AsyncIterableIterator<Uint8Array> & { readonly asked: number[] } {
  const asked: number[] = [];
  const stream = {
    asked,
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      asked.push(performance.now());
      return { done: asked.length > 20, value: Buffer.alloc(asked.length === 1 ? 1 : large) };
    },
  };
  return stream as AsyncIterableIterator<Uint8Array> & { readonly asked: number[] };
}

const times = async (large: number): Promise<number[]> => {
  const stream = program(large);
  for await (const piece of gathered(stream)) void piece;
  return stream.asked.slice(1).map((at, index) => at - (stream.asked[index] ?? 0));
};

void t.test('12. after a small piece there is time for more of it, and after a large one none is lost', async (t) => {
  t.ok((await times(1)).every((waited) => waited >= 0.9));
  // The first is small here too.
  const [first = 0, ...others] = await times(64 * 1024);
  t.ok(first >= 0.9);
  t.ok(Math.min(...others) < 0.9);
});
