// Stores on both SQL engines: row types, foreign keys, deadlines, and transactions that wait for each other.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import t from 'tap';
import { Conflict, StillReferenced, Unavailable } from '#core/kernel/errors';
import { gate } from '#test/contracts/checks';
import { ledgerEntities, ledgerMigrations, sqlLedger } from '#test/contracts/storage/ledger';
import { testData, testEngines } from '#test/contracts/storage/storage-engines';
import '#test/contracts/storage/events';

interface Tables {
  ledger_card: { id: string; account_id: string };
  ledger_account: { id: string };
  ledger_note: { id: string; text: string };
}

for (const engine of testEngines()) {
  if (engine === 'memory') continue;
  void t.test(`SQL stores on ${engine}`, { timeout: 60_000 }, async (t) => {
    const data = await testData(t, engine);
    const storage = await data.open({ entities: ledgerEntities, migrations: ledgerMigrations, deadline: 400 });
    if (storage.engine === 'memory') throw new Error('not an SQL engine');
    const { database, unitOfWork } = storage;
    const rows = () => database.kysely<Tables>();
    const ledger = sqlLedger(database);

    await t.test('rows have the same types on every engine', async (t) => {
      const {
        rows: [row],
      } =
        await sql`select 1::bigint as small, 9007199254740993::bigint as large, count(*) as count, timestamptz '2026-01-02 03:04:05.678+05:30' as instant,
        date '2026-01-02' as day, array['a','b']::text[] as words, '{"a":[1]}'::jsonb as json, true as yes, 1.5::numeric as exact, null::timestamptz as never from (values (1), (2)) v`.execute(
          rows(),
        );
      t.strictSame(row, {
        small: 1,
        large: '9007199254740993',
        count: 2,
        instant: new Date('2026-01-01T21:34:05.678Z'),
        day: '2026-01-02',
        words: ['a', 'b'],
        json: { a: [1] },
        yes: true,
        exact: '1.5',
        never: null,
      });
    });

    await t.test(
      'a deletion prevented by other rows names their table, and a reference to a missing row is a conflict',
      async (t) => {
        const id = randomUUID();
        await unitOfWork.run(() => ledger.accounts.add({ id, name: id, balance: 0 }));
        await unitOfWork.run(async () => {
          await rows().insertInto('ledger_card').values({ id: randomUUID(), account_id: id }).execute();
        });
        for (const remove of [
          () => ledger.accounts.remove(id),
          async () => {
            await rows().deleteFrom('ledger_account').where('id', '=', id).execute();
          },
        ]) {
          await t.rejects(unitOfWork.run(remove), new StillReferenced('ledger_card'));
        }
        await t.rejects(
          unitOfWork.run(async () => {
            await rows().insertInto('ledger_card').values({ id: randomUUID(), account_id: randomUUID() }).execute();
          }),
          Conflict,
        );
      },
    );

    await t.test('a unit of work may emit more events than one statement has parameters', async (t) => {
      // With the usual deadline, because time does not matter here.
      const own = await (await testData(t, engine)).open();
      if (own.engine === 'memory') throw new Error('not an SQL engine');
      const aggregate = `many:${randomUUID()}`;
      await own.unitOfWork.run(async () => {
        for (let n = 0; n < 11_000; n += 1)
          await own.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n } });
      });
      const [row] = await own.database
        .kysely<{ hexforge_event: { aggregate: string } }>()
        .selectFrom('hexforge_event')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('aggregate', '=', aggregate)
        .execute();
      t.equal(row?.count, 11_000);
    });

    await t.test('errors contain no values', async (t) => {
      const secret = 'swordfish';
      const error: unknown = await database
        .em()
        .execute('insert into ledger_account (id, name, balance) values (?, ?, null)', [randomUUID(), secret])
        .catch((thrown: unknown) => thrown);
      t.ok(error instanceof Error);
      t.notMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), secret);
    });

    await t.test('concurrent queries in a unit of work use its connection', async (t) => {
      const id = randomUUID();
      const answers = await unitOfWork.run(async () => {
        await rows().insertInto('ledger_note').values({ id, text: 'mine' }).execute();
        return Promise.all(
          Array.from({ length: 5 }, () =>
            rows().selectFrom('ledger_note').select('text').where('id', '=', id).execute(),
          ),
        );
      });
      t.strictSame(
        answers.flat(),
        Array.from({ length: 5 }, () => ({ text: 'mine' })),
      );
    });

    await t.test('a read next to an open unit of work ends at the latest with it', async (t) => {
      const begun = gate();
      const decided = gate();
      const working = unitOfWork.run(async () => {
        await rows().insertInto('ledger_note').values({ id: randomUUID(), text: 'held' }).execute();
        begun.open();
        await decided.passed;
      });
      await begun.passed;
      const reading = ledger.journal.texts('nothing like it');
      decided.open();
      t.strictSame(await reading, []);
      await working;
    });

    await t.test('a unit of work that stays open too long is rolled back, and the next one runs', async (t) => {
      const never = gate();
      await t.rejects(
        unitOfWork.run(async () => {
          await ledger.journal.append(randomUUID(), 'too late');
          await never.passed;
        }),
        Unavailable,
      );
      t.strictSame(await ledger.journal.texts('too late'), []);
      await unitOfWork.run(() => ledger.journal.append(randomUUID(), 'in time'));
      t.strictSame(await ledger.journal.texts('in time'), ['in time']);
      never.open();
      await pause(0);
    });

    await t.test(
      'a unit of work aborted by the database is retried completely, and rejected after five attempts',
      async (t) => {
        for (const code of ['40P01', '40001'])
          for (const failures of [1, 4, 5]) {
            const aggregate = `given-up:${randomUUID()}`;
            let runs = 0;
            const worked = unitOfWork.run(async () => {
              runs += 1;
              await ledger.journal.append(randomUUID(), aggregate);
              await storage.events.emit<'contract.counted'>({
                type: 'contract.counted',
                aggregate,
                payload: { n: runs },
              });
              if (runs <= failures)
                await sql`do ${sql.lit(`begin raise exception using errcode = '${code}'; end`)}`.execute(rows());
              return runs;
            });
            if (failures < 5) t.equal(await worked, failures + 1);
            else await t.rejects(worked, { kind: 'unavailable', message: /another change/, retryAfter: 1 });
            t.equal((await ledger.journal.texts(aggregate)).length, failures < 5 ? 1 : 0, 'rows of one attempt only');
            const { payloads } = await database
              .kysely<{ hexforge_event: { aggregate: string } }>()
              .selectFrom('hexforge_event')
              .select(sql<readonly unknown[]>`coalesce(jsonb_agg(payload::jsonb), '[]')`.as('payloads'))
              .where('aggregate', '=', aggregate)
              .executeTakeFirstOrThrow();
            t.strictSame(payloads, failures < 5 ? [{ n: failures + 1 }] : [], 'events of one attempt only');
          }
      },
    );

    await t.test('two units of work that deadlock both complete', async (t) => {
      const own = await (await testData(t, engine)).open({ entities: ledgerEntities, migrations: ledgerMigrations });
      if (own.engine === 'memory') throw new Error('not an SQL engine');
      const { accounts } = sqlLedger(own.database);
      const ids = [randomUUID(), randomUUID()] as const;
      for (const id of ids) await own.unitOfWork.run(() => accounts.add({ id, name: id, balance: 0 }));
      const [first, second] = [gate(), gate()];
      /** With a single connection the other unit of work runs afterwards. */
      const meet = (other: Promise<unknown>) => Promise.race([other, pause(200)]);
      const add = (order: readonly string[], mine: ReturnType<typeof gate>, other: ReturnType<typeof gate>) =>
        own.unitOfWork.run(async () => {
          for (const id of order) {
            const one = await accounts.lock(id);
            await accounts.setBalance(id, (one?.balance ?? 0) + 1);
            mine.open();
            await meet(other.passed);
          }
        });
      await Promise.all([add(ids, first, second), add(ids.toReversed(), second, first)]);
      for (const id of ids) t.equal((await accounts.find(id))?.balance, 2);
    });

    await t.test('a closed storage rejects with Unavailable', async (t) => {
      await storage.close();
      await t.rejects(
        unitOfWork.run(async () => undefined),
        Unavailable,
      );
      await t.rejects(storage.check(), Unavailable);
      await storage.close();
    });
  });
}
