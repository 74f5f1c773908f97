// The contract suite of `Rows` on every engine.
import { defineEntity, p, rawSql, rows } from 'hexforge/plugin';
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { Rows } from '#core/kernel/storage/rows';
import { contract, firstFailure, type Made } from '../../contracts/checks.ts';
import { rowsChecks, type RowsUnderTest, type Thing } from '../../contracts/stores/rows.ts';
import { eachEngine, quietLog } from '../../contracts/storage/storage-engines.ts';
import { statementRecorder } from '../../support/statements.ts';

const ThingTable = defineEntity({
  name: 'ThingTable',
  tableName: 'test_thing',
  properties: {
    id: p.uuid().primary(),
    ownerId: p.uuid(),
    nameKey: p.text(),
    rank: p.integer(),
    tags: p.array(),
    closedAt: p.datetime().nullable(),
  },
});
const migration = {
  name: '001-things',
  up: [
    `create table test_thing (
      id uuid primary key, owner_id uuid not null, name_key text not null, rank integer not null,
      tags text[] not null, closed_at timestamptz, constraint test_thing_name unique (owner_id, name_key)
    )`,
  ],
};
const things = rows<Thing>(ThingTable, { uniques: { test_thing_name: ['ownerId', 'nameKey'] } });

function onMemory(): Made<RowsUnderTest> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  return {
    provider: { rows: things.memory(storage.database), unitOfWork: storage.unitOfWork },
    dispose: () => storage.close(),
  };
}

void t.test('the contract suite finds each mutant', async (t) => {
  const breaks: Readonly<Record<string, (rows: Rows<Thing>) => Partial<Rows<Thing>>>> = {
    'a lost write': (all) => ({ update: (where) => all.findOne(where) }),
    'a filter forgotten': (all) => ({ findOne: ({ id }) => all.findOne(id === undefined ? {} : { id }) }),
    'an addition that replaces': (all) => ({
      addMany: async (rows) => (await Promise.all(rows.map((row) => all.put(row)))).length,
    }),
    'a put that only adds': (all) => ({ put: async (row) => void (await all.addMany([row])) }),
    'a replacement that only adds': (all) => ({ replace: (_, rows) => all.insertMany(rows) }),
    'no limit': (all) => ({ find: ({ limit: _, ...query }, how) => all.find(query, how) }),
    'no offset': (all) => ({ find: ({ offset: _, ...query }, how) => all.find(query, how) }),
    'a deletion of others': (all) => ({ delete: ({ id }) => all.delete(id === undefined ? {} : { id }) }),
    'no order': (all) => ({ find: ({ where }) => all.find({ where, orderBy: ['id'] }) }),
    'no bound': (all) => ({ page: (query, page) => all.page(query, { ...page, perPage: 100 }) }),
    'a batch of everything': (all) => ({ find: ({ among: _, ...query }) => all.find(query) }),
    'a range of everything': (all) => ({ find: ({ ranges: _, ...query }, how) => all.find(query, how) }),
    'a page of all ranges': (all) => ({ page: ({ ranges: _, ...query }, page) => all.page(query, page) }),
    'a page of everything': (all) => ({ page: ({ among: _, ...query }, page) => all.page(query, page) }),
    'a batch of nothing is all': (all) => ({
      find: ({ among, ...query }, how) =>
        all.find(
          Object.values(among ?? {}).some(({ length }) => length === 0) ? query : { ...query, ...(among && { among }) },
          how,
        ),
    }),
    'a count of everything': (all) => ({ count: () => all.count({}) }),
    'no uniqueness': (all) => ({ insert: (row) => all.insert(row).catch(() => row) }),
    'the row as it was': (all) => ({
      update: async (where, patch) => {
        const before = await all.findOne(where);
        await all.update(where, patch);
        return before;
      },
    }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const made = onMemory();
      return {
        ...made,
        provider: { ...made.provider, rows: { ...made.provider.rows, ...broken(made.provider.rows) } },
      };
    };
    t.type(await firstFailure(rowsChecks, make, 2000), 'string', name);
  }
});

void t.test('rows of one table', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, rowsChecks, async () => onMemory());
    const recorded = statementRecorder();
    const storage = (await data.open({
      entities: [ThingTable],
      migrations: [{ plugin: 'test', tables: ['test_thing'], migrations: [migration] }],
    })) as PostgresStorage;
    await contract(t, engine, rowsChecks, async () => {
      await rawSql`truncate test_thing`.execute(storage.database.kysely<Record<never, never>>());
      return {
        provider: { rows: things.sql(storage.database), unitOfWork: storage.unitOfWork },
        dispose: async () => undefined,
      };
    });

    await t.test('a row is written by its id with one statement', async (t) => {
      const all = things.sql(storage.database);
      const sent = async (work: () => Promise<unknown>): Promise<readonly (string | undefined)[]> =>
        (await recorded(() => storage.unitOfWork.run(work)))
          .filter(({ sql }) => sql.includes('test_thing'))
          .map(({ sql }) => sql.split(' ')[0]);
      const [id, ownerId] = [systemIds.uuid(), systemIds.uuid()];
      const one: Thing = { id, ownerId, nameKey: 'one', rank: 1, tags: [], closedAt: null };
      t.strictSame(await sent(() => all.insert(one)), ['insert']);
      t.strictSame(
        await sent(() => all.update({ id, rank: 1 }, { rank: 2 })),
        ['update'],
        'a known id needs no select',
      );
      t.strictSame(await sent(() => all.update({ ownerId }, { rank: 3 })), ['select', 'update']);
      t.strictSame(await sent(() => all.delete({ id, rank: 3 })), ['delete']);
      t.equal(await all.count({ ownerId }), 0);
    });
  }),
);
