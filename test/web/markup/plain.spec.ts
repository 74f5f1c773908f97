// Tests the texts of users that are shown without formatting: all of them, and without holding the event loop.
import t from 'tap';
import type { Call } from '#core/kernel/caller';
import { markup } from '#plugins/web/markup/markup';
import { countingTurns } from '#test/support/clients/turns';

const call = {} as Call;
const plain = markup({
  renderer: { markdown: async () => undefined, code: async () => undefined },
  find: async () => new Map(),
  origin: 'http://localhost',
  now: () => 0,
});

void t.test('other requests are served while lines without highlighting are written', async (t) => {
  const { result, turns } = await countingTurns(() => plain.code('<\r\n'.repeat(500_000), 'C'));
  t.equal(result.length, 500_001);
  t.strictSame([result[0]?.text, result.at(-1)?.text], ['&lt;', '']);
  t.ok(turns > 5, `in ${String(turns)} turns`);
});

void t.test('other requests are served while texts beyond the limit of a page are written', async (t) => {
  const texts = Array.from({ length: 300 }, () => '<'.repeat(64 * 1024));
  const { result, turns } = await countingTurns(() => plain.markdown(texts, { call }));
  t.equal(result.length, 300);
  t.match(result[299]?.text, /^<pre class="text">&lt;&lt;/);
  t.ok(turns > 5, `in ${String(turns)} turns`);
});
