// Batches of issues whose associations are read together.
import t from 'tap';
import { batchesOf } from '#plugins/issues/associations/batches';

void t.test('a batch has a limited number of associations, whatever the number of issues', async (t) => {
  const counts = (...of: readonly number[]) => new Map(of.map((count, index) => [`i${index}`, count]));
  t.strictSame(batchesOf(counts(), 10), []);
  t.strictSame(batchesOf(counts(4, 4, 4, 2, 10, 11, 1), 10), [['i0', 'i1'], ['i2', 'i3'], ['i4'], ['i5'], ['i6']]);
  t.strictSame(batchesOf(counts(5, 5, 0, 1), 10), [['i0', 'i1', 'i2'], ['i3']]);
});
