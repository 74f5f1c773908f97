// The limit of concurrent requests per caller while the event loop is busy.
import { setTimeout as pause } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { RequestQueues, type Kind } from '#adapters/http/overload/request-queues';

const long = 60_000;
const bounds = { turn: { change: long, read: long }, timeLimit: long, alone: long } as const;

const asks = (turns: RequestQueues, caller: string): Promise<void> => turns.run(caller, undefined, async () => {});

/**
 * Starts `count` requests of a caller that end when their function in `begun` is called.
 * @param beside callers that made a request before
 */
function requests(
  turns: RequestQueues,
  caller: string,
  count: number,
  { beside = ['somebody', caller], kind = 'change' }: { beside?: readonly string[]; kind?: Kind } = {},
) {
  for (const each of beside) void asks(turns, each);
  const begun: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    turns.run(caller, kind, () => new Promise<void>((resolve) => begun.push(resolve))),
  );
  return { begun, all: Promise.all(all) };
}

void t.test('the limit of concurrent requests per caller', async (t) => {
  await t.test('while the event loop is busy, each caller runs one change at a time', async (t) => {
    const turns = new RequestQueues(() => true, bounds);
    const many = requests(turns, 'many', 5);
    const other = requests(turns, 'other', 1);
    await pause(5);
    t.strictSame([many.begun.length, other.begun.length], [1, 1]);
    for (let ended = 0; ended < 5; ended += 1) {
      many.begun[ended]?.();
      await pause(1);
      t.equal(many.begun.length, Math.min(ended + 2, 5));
    }
    other.begun[0]?.();
    await Promise.all([many.all, other.all]);
  });

  await t.test('a caller runs two reads at a time, independent of its changes', async (t) => {
    const turns = new RequestQueues(() => true, bounds);
    const changes = requests(turns, 'many', 2);
    const reads = requests(turns, 'many', 5, { kind: 'read' });
    const other = requests(turns, 'other', 1, { kind: 'read' });
    await pause(5);
    t.strictSame([changes.begun.length, reads.begun.length, other.begun.length], [1, 2, 1]);
    for (let ended = 0; ended < 5; ended += 1) {
      reads.begun[ended]?.();
      await pause(1);
      t.equal(reads.begun.length, Math.min(ended + 3, 5));
    }
    for (let ended = 0; ended < 2; ended += 1) {
      changes.begun[ended]?.();
      await pause(1);
    }
    other.begun[0]?.();
    await Promise.all([changes.all, reads.all, other.all]);
  });

  await t.test('requests without a kind are not limited', async (t) => {
    const turns = new RequestQueues(() => true, bounds);
    await asks(turns, 'somebody');
    let begun = 0;
    const never = new Promise<void>(() => undefined);
    for (let each = 0; each < 9; each += 1) void turns.run('many', undefined, () => ((begun += 1), never));
    await pause(1);
    t.equal(begun, 9);
  });

  await t.test('while the event loop is idle, all requests start at once', async (t) => {
    const { begun, all } = requests(new RequestQueues(() => false), 'many', 50);
    await pause(1);
    t.equal(begun.length, 50);
    for (const end of begun) end();
    await all;
  });

  await t.test('requests of a caller without other callers start at once', async (t) => {
    const turns = new RequestQueues(() => true, { ...bounds, alone: 20 });
    const never = requests(turns, 'alone', 5, { beside: ['alone'] });
    await pause(1);
    t.equal(never.begun.length, 5, 'no other caller has made a request');
    await asks(turns, 'somebody');
    await pause(25);
    const since = requests(turns, 'alone', 5, { beside: [] });
    await pause(1);
    t.equal(since.begun.length, 5, 'no other caller has made a request recently');
    await asks(turns, 'somebody');
    const beside = requests(turns, 'alone', 5, { beside: [] });
    await pause(1);
    t.equal(beside.begun.length, 1, 'another caller has just made a request');
    for (const end of [...never.begun, ...since.begun]) end();
    for (let ended = 0; ended < 5; ended += 1) {
      beside.begun[ended]?.();
      await pause(1);
    }
    await Promise.all([never.all, since.all, beside.all]);
  });

  await t.test('a slow request does not delay the next one beyond its slot time', async (t) => {
    const { begun, all } = requests(
      new RequestQueues(() => true, { ...bounds, turn: { change: 10, read: 10 } }),
      'many',
      3,
    );
    while (begun.length < 3) await pause(1);
    t.equal(begun.length, 3);
    for (const end of begun) end();
    await all;
  });

  await t.test('no request is rejected: a request starts after the time limit or if the queue is full', async (t) => {
    const turns = new RequestQueues(() => true, { ...bounds, timeLimit: 20 });
    const { begun, all } = requests(turns, 'many', 1500);
    await pause(5);
    t.ok(begun.length >= 499, `${begun.length} started because the queue is full`);
    while (begun.length < 1500) await pause(1);
    for (const end of begun) end();
    await all;
  });

  await t.test('a request that fails releases its slot', async (t) => {
    const turns = new RequestQueues(() => true, bounds);
    const failing = turns.run('many', 'change', () => Promise.reject(new Error('no')));
    const next = turns.run('many', 'change', async () => 'done');
    await t.rejects(failing, { message: 'no' });
    t.equal(await next, 'done');
  });

  await t.test('the event loop is busy if it worked for most of the last interval', async (t) => {
    // Other specs may still be loading.
    for (let share = 1; share > 0.5;) {
      const since = performance.eventLoopUtilization();
      await pause(120);
      share = performance.eventLoopUtilization(since).utilization;
    }
    const turns = new RequestQueues();
    await pause(120);
    const idle = requests(turns, 'many', 3);
    await pause(1);
    t.equal(idle.begun.length, 3);
    for (let round = 0; round < 30; round += 1) {
      for (const end = performance.now() + 10; performance.now() < end;);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const busy = requests(turns, 'many', 3);
    await pause(1);
    t.equal(busy.begun.length, 1);
    for (const end of idle.begun) end();
    for (let ended = 0; ended < 3; ended += 1) {
      busy.begun[ended]?.();
      await pause(1);
    }
    await Promise.all([idle.all, busy.all]);
  });
});
