// Contents of blobs as chunks.
import t from 'tap';
import { chunksOf } from '#adapters/git-native/objects/contents';
import { countingTurns } from '#test/support/clients/turns';

void t.test('a large blob is split into small chunks with an event loop iteration between any two', async (t) => {
  const content = Buffer.alloc(8 * 1024 ** 2 + 1, 'x\n');
  const { result: pieces, turns } = await countingTurns(() => Array.fromAsync(chunksOf(content)));
  t.ok(Buffer.concat(pieces).equals(content));
  t.ok(
    pieces.every(({ length }) => length <= 64 * 1024),
    'small chunks',
  );
  t.ok(turns >= pieces.length - 1, `${turns} event loop iterations for ${pieces.length} chunks`);
});

void t.test('an empty blob has no chunks', async (t) => {
  t.same(await Array.fromAsync(chunksOf(Buffer.alloc(0))), []);
});
