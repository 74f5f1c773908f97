// Places and a queue that callers share fairly.
import t from 'tap';
import { FairLimiter } from '#core/kernel/fair-limiter';

const fair = (places: number, queue: number) =>
  new FairLimiter({
    places,
    queue,
    refusal: (whose) => new Error(whose === undefined ? 'too many' : `too many of ${whose}`),
  });

void t.test('a limiter shared fairly', async (t) => {
  await t.test('50 at once never run more than the bound, and all come through in order', async (t) => {
    const limiter = fair(2, 100);
    let running = 0;
    let most = 0;
    const finished: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        limiter.run(async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          running -= 1;
          finished.push(index);
        }),
      ),
    );
    t.equal(most, 2);
    t.strictSame(
      finished,
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  await t.test('callers take turns, so that many calls of one hold up a single call of another by one', async (t) => {
    const limiter = fair(1, 100);
    const order: string[] = [];
    const call = (whose: string) => limiter.run(async () => void order.push(whose), whose);
    await Promise.all([...Array.from({ length: 20 }, () => call('flood')), call('a'), call('b')]);
    // The first runs at once; the second waits in front.
    t.strictSame(order.slice(0, 4), ['flood', 'flood', 'a', 'b']);
    t.equal(order.length, 22);
  });

  await t.test('those who have waited for too long are refused, and nobody else', async (t) => {
    const limiter = fair(1, 100);
    const release = await limiter.acquire('holder');
    const told = (whose: string, since?: number) =>
      limiter.acquire(whose, undefined, since).then(
        (done) => {
          done();
          return `${whose} came in`;
        },
        (error: Error) => `${whose}: ${error.message}`,
      );
    const all = [told('a', 1), told('a', 5), told('b', 2), told('c')];
    t.equal(limiter.waiting, 4);
    limiter.refuseBefore(5, () => new Error('too late'));
    t.equal(limiter.waiting, 2);
    release();
    t.strictSame(await Promise.all(all), ['a: too late', 'a came in', 'b: too late', 'c came in']);
  });

  await t.test('where too many wait, the latest of whoever has most waiting is refused', async (t) => {
    const limiter = fair(1, 10);
    const refused: string[] = [];
    const calls = [...Array.from({ length: 12 }, () => 'flood'), 'a', 'a', 'b'].map((whose) =>
      limiter
        .run(async () => whose, whose)
        .catch((error: Error) => {
          refused.push(`${whose}: ${error.message}`);
          return undefined;
        }),
    );
    const answered = await Promise.all(calls);
    t.strictSame(
      refused,
      Array.from({ length: 4 }, () => 'flood: too many of flood'),
    );
    t.strictSame(
      ['flood', 'a', 'b'].map((whose) => answered.filter((answer) => answer === whose).length),
      [8, 2, 1],
    );
  });

  await t.test('a failure passes its place on, and too long a queue is refused', async (t) => {
    const limiter = fair(1, 1);
    const first = limiter.run(async () => {
      throw new Error('no');
    });
    const second = limiter.run(async () => 'second');
    await t.rejects(
      limiter.run(async () => 'third'),
      { message: 'too many' },
    );
    await t.rejects(first, { message: 'no' });
    t.equal(await second, 'second');
    t.equal(await limiter.run(async () => 'free again'), 'free again');
  });
});
