// Past events for a new handler while another process delivers, and when the registration is interrupted.
import { sql } from 'kysely';
import t from 'tap';
import type { PostgresStorage } from '#adapters/postgres/index';
import { on } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { gate } from '#test/contracts/checks';
import type {} from '#test/contracts/storage/events';
import { testData, testEngines } from '#test/contracts/storage/storage-engines';

const aggregate = 'past:1';
/** A handler of a new plugin that records the numbers of its events. */
function handler(plugin: string) {
  const seen: number[] = [];
  const subscription: OwnedSubscription = {
    plugin,
    subscription: on('contract.counted', {
      name: 'ring',
      delivery: 'durable',
      past: true,
      handle: async ({ payload }) => void seen.push(payload.n),
    }),
  };
  return { seen, subscription };
}

// A single process has the embedded database, so other processes cannot write to it meanwhile.
if (testEngines().includes('postgresql'))
  void t.test('past events on a server', { timeout: 120_000 }, async (t) => {
    const data = await testData(t, 'postgresql');
    const open = async (): Promise<PostgresStorage> => {
      const storage = await data.open();
      if (storage.engine === 'memory') throw new Error('not an SQL engine');
      return storage;
    };
    const emit = (storage: PostgresStorage, n: number) =>
      storage.unitOfWork.run(() =>
        storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n } }),
      );
    let emitted = 0;

    await t.test('each event is delivered once and in order, whether it was routed before or after', async (t) => {
      const running = await open();
      await running.deliver([], ['other']);
      const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(handler);
      const stop = gate();
      let stopped = false;
      void stop.passed.then(() => (stopped = true));
      const writing = (async () => {
        while (!stopped) {
          emitted += 1;
          await emit(running, emitted);
        }
      })();
      const opened: PostgresStorage[] = [];
      for (const { subscription } of all) {
        const storage = await open();
        await storage.deliver([subscription]);
        opened.push(storage);
      }
      stop.open();
      await writing;
      await running.drained();
      await running.close();
      const expected = Array.from({ length: emitted }, (_, index) => index + 1);
      // Only one process delivers at a time, so each takes over when the one before has closed.
      for (const [index, storage] of opened.entries()) {
        while (!(await storage.leads())) await new Promise((resolve) => setTimeout(resolve, 5));
        await storage.drained();
        t.strictSame(all[index]?.seen, expected);
        await storage.close();
      }
    });

    await t.test('a registration that is interrupted leaves nothing, and the next start repeats it', async (t) => {
      const [blocking, starting] = [await open(), await open()];
      const { seen, subscription } = handler('interrupted');
      const state = async () =>
        (await blocking.deliveries.subscriptions()).filter((one) => one.plugin === 'interrupted');
      await blocking.database
        .kysely()
        .transaction()
        .execute(async (transaction) => {
          await sql`lock table hexforge_delivery in access exclusive mode`.execute(transaction);
          const rejected = t.rejects(starting.deliver([subscription]));
          const waiting = async () =>
            (
              await sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()
                and wait_event_type = 'Lock'`.execute(transaction)
            ).rows;
          let found = await waiting();
          while (found.length === 0) found = await waiting();
          for (const { pid } of found) await sql`select pg_terminate_backend(${pid})`.execute(transaction);
          await rejected;
        });
      t.strictSame(await state(), []);
      await starting.close();
      const again = await open();
      await again.deliver([subscription]);
      t.match(await state(), [{ waiting: emitted }]);
      await blocking.close();
      await again.drained();
      t.equal(seen.length, emitted);
      await again.close();
    });
  });
