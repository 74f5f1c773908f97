// Fair sharing of git's slots between callers.
import t from 'tap';
import { Limiter } from '#adapters/git-native/process/limiter';

/** A limiter that is used for the given caller key, and a record of who got a slot. */
function shared(slots: number, queue: number) {
  let caller: string | undefined;
  const limiter = new Limiter('computations', { slots, queue, caller: () => caller });
  const inside: { readonly key: string | undefined; readonly release: () => void }[] = [];
  const ask = (key: string | undefined, signal?: AbortSignal): Promise<void> => {
    caller = key;
    return limiter.acquire(signal).then((release) => void inside.push({ key, release }));
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    ask,
    turn,
    inside,
    names: () => inside.map(({ key }) => key),
    leave: async (key: string | undefined) => {
      const index = inside.findIndex((place) => place.key === key);
      inside.splice(index, 1)[0]?.release();
      await turn();
    },
  };
}

void t.test('one caller gets half of the slots, so that the next caller gets one at once', async (t) => {
  const { ask, turn, names, leave } = shared(4, 64);
  const many = Array.from({ length: 8 }, () => ask('address:1'));
  await turn();
  t.same(names(), ['address:1', 'address:1'], 'two of four');
  await ask('user:a');
  t.same(names(), ['address:1', 'address:1', 'user:a'], 'before six queued requests');
  for (let left = 8; left > 0; left -= 1) await leave('address:1');
  await Promise.all(many);
});

void t.test('callers with many requests leave one slot free for a new caller', async (t) => {
  const { ask, turn, names, leave } = shared(8, 64);
  const held = (key: string): number => names().filter((name) => name === key).length;
  const many = ['address:1', 'address:2', 'address:3'].flatMap((key) => Array.from({ length: 8 }, () => ask(key)));
  await turn();
  t.same(['address:1', 'address:2', 'address:3'].map(held), [4, 2, 1]);
  await ask('user:a');
  t.equal(names().length, 8);
  for (const key of ['address:1', 'address:1', 'address:1']) await leave(key);
  t.same(
    ['address:1', 'address:2', 'address:3'].map(held),
    [2, 2, 2],
    'released slots are given to the caller that has fewer',
  );
  t.equal(names().length, 7, 'one slot is kept free');
  while (names().length > 0) await leave(names()[0]);
  await Promise.all(many);
});

void t.test('queued requests get slots by fair queuing, whatever their number per caller', async (t) => {
  const { ask, turn, inside, names, leave } = shared(2, 64);
  const all = ['address:1', 'address:2', 'address:1', 'address:1', 'address:1', 'address:3', 'address:3'].map((key) =>
    ask(key),
  );
  await turn();
  t.same(names(), ['address:1', 'address:2']);
  await leave('address:2');
  t.same(names(), ['address:1', 'address:3'], 'address 1 has its share');
  await leave('address:1');
  t.same(names(), ['address:3', 'address:1']);
  await leave('address:3');
  t.same(names(), ['address:1', 'address:3']);
  while (inside.length > 0) await leave(inside[0]?.key);
  await Promise.all(all);
});

void t.test(
  'a caller whose share of the queue is full is rejected with a reason and a retry time; others are not',
  async (t) => {
    const { ask, turn, names } = shared(1, 8);
    const all = [ask('address:1'), ask('address:1'), ask('address:1')];
    await turn();
    await t.rejects(ask('address:1'), {
      name: 'Unavailable',
      message: 'Too many git computations of your address are waiting',
      detail: 'At most 2 of one caller wait at a time; try again in 10 seconds',
      retryAfter: 10,
    });
    all.push(ask('user:a'), ask('user:a'));
    await t.rejects(ask('user:a'), { message: 'Too many git computations of your account are waiting' });
    t.same(names(), ['address:1']);
    t.equal(all.length, 5);
  },
);

void t.test('in a full queue, the caller with most requests loses one to a new caller', async (t) => {
  const { ask, turn, names, leave } = shared(1, 4);
  const first = ask('address:1');
  await turn();
  const own = Promise.allSettled([ask(undefined), ask(undefined), ask(undefined), ask(undefined)]);
  const newcomer = ask('user:a');
  await leave('address:1');
  t.equal(names().length, 1);
  for (const key of [undefined, 'user:a', undefined, undefined]) {
    t.same(names(), [key]);
    await leave(key);
  }
  await Promise.all([first, newcomer]);
  t.match(
    (await own).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
});

void t.test('an aborted request leaves the queue without delaying others', async (t) => {
  const { ask, turn, names, leave } = shared(1, 8);
  void ask('address:1');
  await turn();
  const gone = new AbortController();
  const waiting = ask('address:2', gone.signal);
  const next = ask('address:3');
  gone.abort(new Error('gone'));
  await t.rejects(waiting, /gone/);
  await leave('address:1');
  await next;
  t.same(names(), ['address:3']);
});

void t.test("the server's own work has no share but waits in the queue", async (t) => {
  const { ask, turn, names, leave } = shared(2, 8);
  const all = [ask(undefined), ask(undefined), ask('user:a'), ask(undefined)];
  await turn();
  t.same(names(), [undefined, undefined]);
  await leave(undefined);
  t.same(names(), [undefined, 'user:a']);
  await leave('user:a');
  await Promise.all(all);
  t.same(names(), [undefined, undefined]);
});
