// Contents of blobs as they are handed out.
import t from 'tap';
import { chunksOf } from '#adapters/git-native/objects/contents';
import { countingTurns } from '#test/support/turns';

void t.test('a large blob is handed out in small pieces, with a turn of the loop between any two', async (t) => {
  const content = Buffer.alloc(8 * 1024 ** 2 + 1, 'x\n');
  const { result: pieces, turns } = await countingTurns(() => Array.fromAsync(chunksOf(content)));
  t.ok(Buffer.concat(pieces).equals(content));
  t.ok(
    pieces.every(({ length }) => length <= 64 * 1024),
    'small ones',
  );
  t.ok(turns >= pieces.length - 1, `${turns} turns for ${pieces.length} pieces`);
});

void t.test('an empty blob has none', async (t) => {
  t.same(await Array.fromAsync(chunksOf(Buffer.alloc(0))), []);
});
