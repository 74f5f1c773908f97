// The thread of the renderer: deadline, queue, kept results, and a new start after it was ended.
import t from 'tap';
import { renderer, type MarkdownPlace } from '#adapters/markup/index';
import { MarkupThread } from '#adapters/markup/thread';

const place: MarkdownPlace = { breaks: false, file: false, ids: 'user-content-', origin: 'https://forge.test' };
/** Takes seconds to render. */
const slow = `*a_ ${'*a_ '.repeat(120_000)}`;
const times = { start: 60_000, task: 20_000, wall: 60_000, wait: 60_000 };

void t.test('a late text is given up, and the next one is rendered by a new thread', async (t) => {
  const reasons: string[] = [];
  const texts = renderer({
    caller: () => undefined,
    failed: (reason) => reasons.push(reason),
    times: { ...times, task: 50, wall: 5000 },
  });
  t.teardown(() => texts.close());
  t.equal(await texts.markdown(slow, place), undefined);
  t.equal(reasons.length, 1);
  t.equal(await texts.markdown(slow, place), undefined);
  t.equal(reasons.length, 1, 'a text that failed is not rendered again at once');
  const patient = renderer({ caller: () => undefined, times });
  t.teardown(() => patient.close());
  t.match(await patient.markdown('*a*', place), { segments: ['<p><em>a</em></p>\n'], references: [] });
});

void t.test('a thread that was ended starts again', async (t) => {
  const thread = new MarkupThread({ ...times, idle: 60_000 });
  t.teardown(() => thread.end());
  t.equal(thread.running, false, 'nothing is loaded before the first text');
  await thread.run({ kind: 'code', text: 'a', language: '' });
  await thread.end();
  t.equal(thread.running, false);
  t.strictSame(await thread.run({ kind: 'code', text: '<a>\nb', language: '' }), ['&lt;a&gt;', 'b']);
});

void t.test('results are kept, and the same text is rendered once', async (t) => {
  const texts = renderer({ caller: () => undefined, times });
  t.teardown(() => texts.close());
  const [one, other] = await Promise.all([
    texts.code('let a', 'javascript', 'oid'),
    texts.code('let a', 'javascript', 'oid'),
  ]);
  t.equal(one, other);
  t.equal(await texts.code('let a', 'javascript', 'oid'), one);
  t.not(await texts.code('let b', 'javascript'), one);
  t.equal(await texts.code('x'.repeat(512 * 1024 + 1), 'javascript'), undefined, 'a large file is plain');
});

void t.test('one caller cannot fill the queue for others', async (t) => {
  let caller = 'one';
  const texts = renderer({ caller: () => caller, times });
  t.teardown(() => texts.close());
  const many = Array.from({ length: 40 }, (_, index) => texts.markdown(`a ${String(index)}`, place));
  caller = 'another';
  t.not(await texts.markdown('mine', place), undefined);
  const refused = (await Promise.all(many)).filter((one) => one === undefined);
  t.ok(refused.length > 0 && refused.length < 40, `${String(refused.length)} texts are plain`);
});
