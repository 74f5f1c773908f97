// Waiting for a result with a time limit.
import t from 'tap';
import { awake } from '#test/support/awake';
import { within } from '#core/kernel/limits/within';

void t.test('a result or an error within the time limit is passed on', async (t) => {
  t.equal(await within(undefined, async () => 1), 1);
  await t.rejects(
    within(undefined, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
});

void t.test('work beyond the time limit continues, and its failure is ignored', async (t) => {
  const { promise, reject } = Promise.withResolvers<number>();
  let inner: AbortSignal | undefined;
  const client = new AbortController();
  const work = (signal: AbortSignal): Promise<number> => {
    inner = signal;
    return promise;
  };
  t.equal(await awake(within(client.signal, work, 5)), undefined);
  client.abort(new Error('the answer was sent'));
  t.equal(inner?.aborted, false, 'the work continues after its caller has gone');
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

void t.test('a client that aborts within the time limit aborts the work', async (t) => {
  const client = new AbortController();
  const waiting = within(client.signal, (signal) => {
    client.abort(new Error('gone'));
    return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve(1);
  });
  await t.rejects(waiting, /gone/);
  await t.rejects(
    within(client.signal, async () => t.fail('the work was started')),
    /gone/,
  );
});
