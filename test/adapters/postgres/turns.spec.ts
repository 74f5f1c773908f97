// Turns at the connections of the database: what one caller asks waits behind itself.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import t from 'tap';
import { currentCaller } from '#adapters/memory/index';
import { Turns } from '#adapters/postgres/turns';
import { Unavailable } from '#core/kernel/errors';
import { eachEngine } from '#test/contracts/storage-engines';

void t.test('one caller who asks much at once', { timeout: 120_000 }, async (t) => {
  await eachEngine(t, async (t, _engine, data) => {
    const callers = currentCaller();
    const storage = await data.open({ caller: () => callers.key() });
    if (storage.engine === 'memory') return;
    const order: string[] = [];
    const asked = (caller: string, query = sql`select 1`) =>
      callers.run(caller, async () => {
        await query.execute(storage.database.kysely());
        order.push(caller);
      });

    await t.test('keeps another waiting for those before it alone, and both are answered', async (t) => {
      // Every connection is there already.
      await Promise.all(
        Array.from({ length: 20 }, () => sql`select pg_sleep(0.05)`.execute(storage.database.kysely())),
      );
      const burst = Array.from({ length: 200 }, () => asked('user:many'));
      await asked('user:one');
      const before = order.length - 1;
      await Promise.all(burst);
      t.equal(order.length, 201);
      t.ok(before < 30, `${before} of 200 came first`);
    });

    if (storage.engine === 'postgresql')
      await t.test('does not take every connection', async (t) => {
        order.length = 0;
        const slow = Array.from({ length: 30 }, () => asked('user:many', sql`select pg_sleep(0.5)`));
        await asked('user:one');
        t.strictSame(order, ['user:one']);
        await Promise.all(slow);
      });
  });
});

void t.test('a turn', async (t) => {
  await t.test('that does not come in time is a 503 that says when to ask again', async (t) => {
    const turns = new Turns({ connections: 1, share: 1, patience: 50, caller: () => 'user:1' });
    await turns.take();
    // The wait alone keeps no process going.
    const [error] = await Promise.all([turns.take().catch((thrown: unknown) => thrown), pause(100)]);
    if (!(error instanceof Unavailable)) throw error;
    t.equal(error.message, 'Too many requests wait for the database');
    t.equal(error.retryAfter, 5);
  });

  await t.test('is refused where too many of the same caller wait', async (t) => {
    const patient = new Turns({ connections: 1, share: 1, patience: 10_000, caller: () => 'user:1' });
    const end = await patient.take();
    const waiting = Array.from({ length: 5000 }, async () => (await patient.take())());
    await t.rejects(patient.take(), { message: 'Too many requests of yours wait for the database' });
    end();
    t.equal((await Promise.all(waiting)).length, 5000);
  });
});
