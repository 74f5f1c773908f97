// Migrations on both SQL engines: applied once, in order, completely or not at all, and unchanged afterwards.
import { sql } from 'kysely';
import t from 'tap';
import { StorageRefused, type MigrationSet } from '#adapters/postgres/index';
import { missing } from '#adapters/postgres/migrations/migration-records';
import { eachSqlEngine, migrated } from '#test/contracts/storage/storage-engines';

const set = (...migrations: MigrationSet['migrations']): MigrationSet => ({
  plugin: 'sample',
  migrations,
  tables: ['sample_thing'],
});
const others = { plugin: 'other', migrations: [{ name: '001', up: ['create table other_thing (id integer)'] }] };
const other = { ...others, tables: ['other_thing'] };
const first = { name: '001-things', up: ['create table sample_thing (id integer primary key)'] };
const second = {
  name: '002-colour',
  up: ['alter table sample_thing add column colour text', "insert into sample_thing (id, colour) values (1, 'red')"],
};

void t.test("the forge's own migrations are not those of a plugin that can be disabled", async (t) => {
  const own = (sha256: string) => ({ applied: new Map([['hexforge', new Map([['001', sha256]])]]), tables: new Map() });
  t.throws(
    () => missing({ plugin: 'hexforge', migrations: [] }, own('x')),
    new StorageRefused(
      'The database was written by a newer version of Hexforge: its migration "001" is not known here',
      'Start the version that wrote it, or restore a backup from before the upgrade',
    ),
  );
  t.throws(
    () => missing({ plugin: 'hexforge', migrations: [{ name: '001', up: [] }] }, own('x')),
    new StorageRefused('The migration "001" of Hexforge was changed after it had been applied', 'Reinstall Hexforge'),
  );
});

void t.test('migrations', { timeout: 120_000 }, (t) =>
  eachSqlEngine(t, async (t, storage) => {
    const things = () =>
      storage.database
        .kysely<{ sample_thing: { id: number; colour: string } }>()
        .selectFrom('sample_thing')
        .selectAll()
        .execute();

    await t.test('pending lists the missing migrations in order, and changes nothing', async (t) => {
      t.strictSame(await storage.pending([set(first, second)]), [
        { plugin: 'sample', steps: ['001-things', '002-colour'] },
      ]);
      await t.rejects(things(), { name: 'DatabaseFault', code: '42P01' });
    });

    await t.test('each migration is applied once', async (t) => {
      t.strictSame(await storage.migrate([set(first)]), [{ plugin: 'sample', steps: ['001-things'] }]);
      t.strictSame(await storage.migrate([set(first, second)]), [{ plugin: 'sample', steps: ['002-colour'] }]);
      t.strictSame(await storage.migrate([set(first, second)]), []);
      t.strictSame(await storage.pending([set(first, second)]), []);
      t.strictSame(await things(), [{ id: 1, colour: 'red' }]);
    });

    await t.test('two concurrent runs apply a migration once', async (t) => {
      const third = { name: '003-shape', up: ['alter table sample_thing add column shape text'] };
      const both = await Promise.all([
        storage.migrate([set(first, second, third)]),
        storage.migrate([set(first, second, third)]),
      ]);
      t.strictSame(both.flat(), [{ plugin: 'sample', steps: ['003-shape'] }]);
      await storage.database
        .kysely<{ hexforge_migration: { name: string } }>()
        .deleteFrom('hexforge_migration')
        .where('name', '=', '003-shape')
        .execute();
    });

    await t.test('an upgrade whose last statement fails is rolled back; other plugins are migrated', async (t) => {
      const good = { name: '004-good', up: ['create table sample_rest (id integer)', 'delete from sample_thing'] };
      const broken = { name: '005-broken', up: ['create table sample_third (id integer)', 'drop table sample_absent'] };
      const [refused, applied, ...more] = await storage.migrate([set(first, second, good, broken), other]);
      t.match(refused, {
        plugin: 'sample',
        steps: [],
        refused: {
          name: 'StorageRefused',
          message:
            'The migration "005-broken" of plugin "sample" failed and was rolled back: table "sample_absent" does not exist',
          remedy:
            'What the plugin keeps is as it was before; report the failure to its author, and until then disable the plugin with HEXFORGE_PLUGINS=-sample',
        },
      });
      t.strictSame(applied, { plugin: 'other', steps: ['001'] });
      t.strictSame(more, []);
      t.match(await things(), [{ id: 1, colour: 'red' }]);
      await t.rejects(
        storage.database.kysely<{ sample_rest: object }>().selectFrom('sample_rest').selectAll().execute(),
        { code: '42P01' },
      );
      t.strictSame(
        (await storage.pending([set(first, second, good)])).map(({ steps }) => steps),
        [['004-good']],
      );
    });

    await t.test('a plugin that depends on a rejected plugin is not migrated', async (t) => {
      const broken = { name: '004-broken', up: ['drop table sample_absent'] };
      const tower = { name: '001', up: ['create table tower_step (id integer)'] };
      const set2 = { plugin: 'tower', tables: ['tower_step'], migrations: [tower], after: ['sample'] };
      const outcomes = await storage.migrate([set(first, second, broken), set2]);
      t.strictSame(
        outcomes.map(({ plugin }) => plugin),
        ['sample'],
      );
    });

    await t.test('when a vital plugin is rejected, no later plugin is migrated', async (t) => {
      const tower = { name: '001', up: ['create table tower_step (id integer)'] };
      const later = { plugin: 'tower', tables: ['tower_step'], migrations: [tower] };
      const broken = { name: '004-broken', up: ['drop table sample_absent'] };
      const plugins = async (...sets: readonly MigrationSet[]) =>
        (await storage.migrate(sets)).map(({ plugin, steps }) => [plugin, ...steps]);
      t.strictSame(await plugins({ ...set(first, second, broken), vital: true }, later), [['sample']]);
      // A newer version is detected before any migration.
      t.strictSame(await plugins(later, { ...set(first), vital: true }), [['sample']]);
      t.match(await storage.pending([later]), [{ plugin: 'tower', steps: ['001'] }]);
    });

    await t.test('the comparison query is planned once, not per plugin', async (t) => {
      const sets = Array.from({ length: 10 }, (_, n) => ({
        plugin: `plain${n}`,
        migrations: [{ name: '001', up: [] }],
      }));
      t.equal((await storage.migrate(sets)).length, sets.length);
      const prepared = sql<{
        n: string;
      }>`select name as n from pg_prepared_statements where statement like '%pg_rewrite%'`;
      t.equal((await prepared.execute(storage.database.kysely())).rows.length, 1);
    });

    await t.test('an applied migration that was changed is rejected by name; white space does not count', async (t) => {
      await t.rejects(
        migrated(storage, [set({ ...first, up: ['create table sample_thing (id bigint primary key)'] }, second)]),
        new StorageRefused(
          'The migration "001-things" of plugin "sample" was changed after it had been applied',
          'Restore its text as it was released and put the change into a new migration; until its author has done so, disable the plugin with HEXFORGE_PLUGINS=-sample',
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
      'an applied migration that is unknown was written by a newer version, and rejects only its plugin',
      async (t) => {
        const fresh = { plugin: 'fresh', migrations: [{ name: '001', up: [] }] };
        t.match(await storage.migrate([set(first), fresh]), [
          {
            plugin: 'sample',
            refused: {
              message:
                'The database was written by a newer version of plugin "sample": its migration "002-colour" is not known here',
            },
          },
          { plugin: 'fresh', steps: ['001'] },
        ]);
        t.match(await storage.pending([set(first)]), [{ plugin: 'sample', refused: { name: 'StorageRefused' } }]);
        t.strictSame(await storage.pending([]), []);
      },
    );
  }),
);
