// Migrations on both SQL engines: once, in order, whole or not at all, frozen.
import t from 'tap';
import type { Test } from 'tap';
import { StorageRefused, type MigrationSet, type PostgresStorage } from '#adapters/postgres/index';
import { testData, testEngines } from '#test/contracts/storage-engines';

const set = (...migrations: MigrationSet['migrations']): MigrationSet => ({ plugin: 'sample', migrations });
const first = { name: '001-things', up: ['create table sample_thing (id integer primary key)'] };
const second = {
  name: '002-colour',
  up: ['alter table sample_thing add column colour text', "insert into sample_thing (id, colour) values (1, 'red')"],
};

async function eachSqlEngine(
  t: Test,
  body: (t: Test, open: () => Promise<PostgresStorage>) => Promise<void>,
): Promise<void> {
  for (const engine of testEngines()) {
    if (engine === 'memory') continue;
    await t.test(engine, { timeout: 60_000 }, async (subtest) => {
      const data = await testData(subtest, engine);
      await body(subtest, async () => {
        const storage = await data.open();
        if (storage.engine === 'memory') throw new Error('not an SQL engine');
        return storage;
      });
    });
  }
}

void t.test('migrations', { timeout: 120_000 }, (t) =>
  eachSqlEngine(t, async (t, open) => {
    const storage = await open();
    const things = () =>
      storage.database
        .kysely<{ sample_thing: { id: number; colour: string } }>()
        .selectFrom('sample_thing')
        .selectAll()
        .execute();

    await t.test('pending names what is missing, in order, and changes nothing', async (t) => {
      t.strictSame(await storage.pending([set(first, second)]), [
        { plugin: 'sample', name: '001-things' },
        { plugin: 'sample', name: '002-colour' },
      ]);
      await t.rejects(things(), { name: 'DatabaseFault', code: '42P01' });
    });

    await t.test('each is applied once', async (t) => {
      t.strictSame(await storage.migrate([set(first)]), [{ plugin: 'sample', name: '001-things' }]);
      t.strictSame(await storage.migrate([set(first, second)]), [{ plugin: 'sample', name: '002-colour' }]);
      t.strictSame(await storage.migrate([set(first, second)]), []);
      t.strictSame(await storage.pending([set(first, second)]), []);
      t.strictSame(await things(), [{ id: 1, colour: 'red' }]);
    });

    await t.test('two runs at once apply it once', async (t) => {
      const third = { name: '003-shape', up: ['alter table sample_thing add column shape text'] };
      const both = await Promise.all([
        storage.migrate([set(first, second, third)]),
        storage.migrate([set(first, second, third)]),
      ]);
      t.strictSame(both.flat(), [{ plugin: 'sample', name: '003-shape' }]);
      await storage.database
        .kysely<{ hexforge_migration: { name: string } }>()
        .deleteFrom('hexforge_migration')
        .where('name', '=', '003-shape')
        .execute();
    });

    await t.test('one that fails leaves nothing of itself and names itself', async (t) => {
      const broken = {
        name: '004-broken',
        up: ['create table sample_rest (id integer)', 'create table sample_thing (id integer)'],
      };
      await t.rejects(storage.migrate([set(first, second, broken)]), {
        name: 'StorageRefused',
        message: /^The migration "004-broken" of plugin "sample" failed and was rolled back/,
      });
      await t.rejects(
        storage.database.kysely<{ sample_rest: object }>().selectFrom('sample_rest').selectAll().execute(),
        { code: '42P01' },
      );
    });

    await t.test('an applied one that was changed is refused by name; white space is no change', async (t) => {
      await t.rejects(
        storage.migrate([set({ ...first, up: ['create table sample_thing (id bigint primary key)'] }, second)]),
        new StorageRefused(
          'The migration "001-things" of plugin "sample" was changed after it had been applied',
          'Restore its text as it was released and put the change into a new migration',
        ),
      );
      t.strictSame(
        await storage.pending([
          set({ ...first, up: ['create table sample_thing\n  (id integer primary key)'] }, second),
        ]),
        [],
      );
    });

    await t.test(
      'an applied one that is not known here was written by a newer version; a plugin that is off is not looked at',
      async (t) => {
        await t.rejects(storage.pending([set(first)]), {
          name: 'StorageRefused',
          message:
            'The database was written by a newer version of plugin "sample": its migration "002-colour" is not known here',
        });
        t.strictSame(await storage.pending([]), []);
      },
    );
  }),
);
