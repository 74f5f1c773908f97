// The rate counter in Redis: its contract suite on a real server, and its behavior while Redis is down.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { connect, redisRateCounter } from '#adapters/redis/index';
import type { Budget } from '#core/kernel/rate';
import type { Log } from '#core/kernel/services/log';
import { rateCounterChecks } from '#test/contracts/rate-counter';
import { startRedis } from '../../../tools/peers/redis-server.ts';

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const budget: Budget = { limit: 100, windowSeconds: 3600, window: 'fixed' };

void t.test('the rate counter in Redis', async (t) => {
  const server = await startRedis();
  t.teardown(() => server.stop());
  const opened = async () => {
    const connection = connect({ url: server.url, log: silent });
    t.teardown(() => connection.close());
    await connection.open();
    return { connection, counter: redisRateCounter(connection) };
  };
  const { connection, counter } = await opened();
  const until = async (ready: boolean): Promise<void> => {
    for (let look = 0; look < 200 && connection.ready() !== ready; look += 1) await sleep(25);
    t.equal(connection.ready(), ready);
  };

  for (const { name, run } of rateCounterChecks) await t.test(name, () => run(counter));

  await t.test('several processes share a budget exactly', async (t) => {
    const other = await opened();
    const now = new Date();
    const counts = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        (index % 2 === 0 ? counter : other.counter).take('shared:one', budget, now),
      ),
    );
    t.equal(counts.filter(({ exceeded }) => !exceeded).length, 100);
  });

  await t.test('long keys are distinguished', async (t) => {
    const long = `names:${'a'.repeat(100_000)}`;
    await counter.take(long, budget, new Date(), 3);
    t.equal((await counter.peek(long, budget, new Date())).remaining, 97);
    t.equal((await counter.peek(`${long}b`, budget, new Date())).remaining, 100);
  });

  await t.test('a script that Redis has lost is loaded again', async (t) => {
    await server.stop();
    await until(false);
    await server.start();
    await until(true);
    t.equal((await counter.take('again:one', budget, new Date())).remaining, 99);
  });

  await t.test('while Redis is down or does not answer, this process counts alone and reports it', async (t) => {
    for (const [away, back] of [
      [() => server.stop(), () => server.start()],
      [async () => server.freeze(), async () => server.resume()],
    ] as const) {
      const key = `away:${String(Math.random())}`;
      await counter.take(key, budget, new Date(), 10);
      await away();
      const first = await counter.take(key, budget, new Date());
      t.equal(first.remaining, 99, 'from the start');
      await until(false);
      t.match(connection.complaint(), /Redis does not answer/);
      t.notMatch(connection.complaint(), /127\.0\.0\.1/);
      await back();
      await until(true);
      t.equal(connection.complaint(), undefined);
    }
  });
});
