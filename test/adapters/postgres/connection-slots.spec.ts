// Fair queuing for database connections: requests of one caller wait behind its own.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import t from 'tap';
import { currentCaller } from '#adapters/system/current-caller';
import { ConnectionSlots } from '#adapters/postgres/connection/connection-slots';
import { Unavailable } from '#core/kernel/errors';
import { testData, testEngines } from '#test/contracts/storage/storage-engines';

void t.test('one caller with many statements does not delay the statements of another', async (t) => {
  for (const engine of testEngines()) {
    if (engine === 'memory') continue;
    await t.test(engine, { timeout: 120_000 }, async (t) => {
      const callers = currentCaller();
      const storage = await (await testData(t, engine)).open({ caller: () => callers.key() });
      if (storage.engine === 'memory') throw new Error('not an SQL engine');
      const ask = () => sql`select 1`.execute(storage.database.kysely());
      const order: string[] = [];
      const asked = (caller: string) =>
        callers.run(caller, async () => {
          await ask();
          order.push(caller);
        });
      // All connections are open already.
      await Promise.all(Array.from({ length: 100 }, ask));
      const burst = Array.from({ length: 200 }, () => asked('user:many'));
      await asked('user:one');
      const before = order.length - 1;
      await Promise.all(burst);
      t.equal(order.length, 201);
      t.ok(before < 60, `${before} of 200 came first`);
    });
  }
});

void t.test('a connection slot', async (t) => {
  await t.test('that is not free within the time limit is a 503 with Retry-After', async (t) => {
    const turns = new ConnectionSlots({ connections: 1, share: 1, timeLimit: 50, caller: () => 'user:1' });
    await turns.take();
    // The waiting itself keeps no process alive.
    const [error] = await Promise.all([turns.take().catch((thrown: unknown) => thrown), pause(100)]);
    if (!(error instanceof Unavailable)) throw error;
    t.equal(error.message, 'Too many requests wait for the database');
    t.equal(error.retryAfter, 5);
  });

  await t.test('is available to another caller while one caller has its share', async (t) => {
    let caller = 'user:many';
    const turns = new ConnectionSlots({ connections: 3, share: 2, timeLimit: 10_000, caller: () => caller });
    const [end] = [await turns.take(), await turns.take()];
    let third = false;
    const waiting = turns.take().then(() => (third = true));
    caller = 'user:one';
    await turns.take();
    t.notOk(third);
    end();
    t.ok(await waiting);
  });

  await t.test(
    '12. is given by usage, so a caller with short requests is served before one with long ones',
    async (t) => {
      let [caller, now] = ['user:many', 0];
      const turns = new ConnectionSlots({
        connections: 1,
        share: 1,
        timeLimit: 10_000,
        caller: () => caller,
        now: () => now,
      });
      const order: string[] = [];
      const ask = async (whose: string, milliseconds: number): Promise<void> => {
        caller = whose;
        const end = await turns.take();
        order.push(whose);
        now += milliseconds;
        end();
      };
      const holding = await turns.take();
      const many = [ask('user:many', 30), ask('user:many', 30), ask('user:many', 30)];
      const one = (async () => {
        for (let count = 0; count < 3; count += 1) {
          await ask('user:one', 1);
          // Like the time between two statements of a request.
          for (let step = 0; step < 50; step += 1) await Promise.resolve();
        }
      })();
      now += 30;
      holding();
      await Promise.all([...many, one]);
      t.strictSame(order.slice(0, 3), ['user:one', 'user:one', 'user:one']);
    },
  );

  await t.test('is rejected if the caller has too many requests in the queue', async (t) => {
    const patient = new ConnectionSlots({ connections: 1, share: 1, timeLimit: 10_000, caller: () => 'user:1' });
    const end = await patient.take();
    const waiting = Array.from({ length: 5000 }, async () => (await patient.take())());
    await t.rejects(patient.take(), { message: 'Too many requests of yours wait for the database' });
    end();
    t.equal((await Promise.all(waiting)).length, 5000);
  });
});
