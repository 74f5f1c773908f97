// A concurrency limit and a queue that callers share fairly.
import t from 'tap';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';

const fair = (slots: number, queue: number, now?: () => number) =>
  new FairLimiter({
    slots,
    queue,
    ...(now !== undefined && { now }),
    refusal: (whose) => new Error(whose === undefined ? 'too many' : `too many of ${whose}`),
  });

void t.test('a limiter with fair queuing', async (t) => {
  await t.test('50 concurrent runs never exceed the limit, and all complete in order', async (t) => {
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

  await t.test('fair queuing: many calls of one caller delay another caller by at most one', async (t) => {
    const limiter = fair(1, 100);
    const order: string[] = [];
    const call = (whose: string) => limiter.run(async () => void order.push(whose), whose);
    await Promise.all([...Array.from({ length: 20 }, () => call('flood')), call('a'), call('b')]);
    // The first runs at once.
    t.strictSame(order.slice(0, 4), ['flood', 'a', 'b', 'flood']);
    t.equal(order.length, 22);
  });

  await t.test('with a clock, callers get equal time: many short calls alternate with a long one', async (t) => {
    let milliseconds = 0;
    const limiter = fair(1, 1000, () => milliseconds);
    const order: string[] = [];
    const call = (whose: string, takes: number) =>
      limiter.run(async () => {
        order.push(whose);
        milliseconds += takes;
      }, whose);
    await Promise.all([
      ...Array.from({ length: 3 }, () => call('long', 10)),
      ...Array.from({ length: 50 }, () => call('short', 1)),
    ]);
    const short = (count: number) => Array.from({ length: count }, () => 'short');
    t.strictSame(order, ['long', ...short(6), 'long', ...short(5), 'long', ...short(39)]);
  });

  await t.test('a caller that used a lot still gets a slot while others keep coming', async (t) => {
    let milliseconds = 0;
    const limiter = fair(1, 1000, () => milliseconds);
    const first = await limiter.acquire('long');
    let letIn = false;
    const again = limiter.acquire('long').then((release) => {
      letIn = true;
      release();
    });
    let others = 0;
    const stream = async (): Promise<void> => {
      for (; !letIn && others < 5000; others += 1)
        await limiter.run(async () => void (milliseconds += 1), `new ${others}`);
    };
    const all = [stream(), stream()];
    milliseconds = 10_000;
    first();
    await Promise.all([again, ...all]);
    t.ok(others < 200, `${others} others`);
  });

  await t.test('only requests that have waited too long are rejected', async (t) => {
    let milliseconds = 0;
    const limiter = fair(1, 100, () => milliseconds);
    const release = await limiter.acquire('holder');
    const told = (whose: string, moment: number) => {
      milliseconds = moment;
      return limiter.acquire(whose).then(
        (done) => {
          done();
          return `${whose} came in`;
        },
        (error: Error) => `${whose}: ${error.message}`,
      );
    };
    const all = [told('a', 1), told('a', 5), told('b', 2), told('c', 9)];
    t.equal(limiter.waiting, 4);
    limiter.refuseBefore(5, () => new Error('too late'));
    t.equal(limiter.waiting, 2);
    release();
    t.strictSame(await Promise.all(all), ['a: too late', 'a came in', 'b: too late', 'c came in']);
  });

  await t.test('in a full queue, the latest request of the caller with most requests is rejected', async (t) => {
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

  await t.test('a failed run releases its slot, and a request to a full queue is rejected', async (t) => {
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
