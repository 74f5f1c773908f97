// The contract suite of labels and milestones on every engine.
import { defineEntity, on, p, rawSql, rows } from 'hexforge/plugin';
import t from 'tap';
import { openMemory, type MemoryStorage } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { Rows } from '#core/kernel/storage/rows';
import type { Label } from '#core/planning/index';
import { planningUseCases } from '#core/planning/use-cases';
import identity from '#plugins/identity/plugin';
import planning from '#plugins/planning/plugin';
import { LabelTable, MilestoneTable, stores } from '#plugins/planning/tables';
import repositories from '#plugins/repositories/plugin';
import { contract, firstFailure, type Made } from '../../contracts/checks.ts';
import { planningChecks, type Carrier, type PlanningUnderTest } from '../../contracts/stores/planning.ts';
import { eachEngine, quietLog, setOf, testEngines, type TestData } from '../../contracts/storage/storage-engines.ts';

const CarrierTable = defineEntity({
  name: 'CarrierTable',
  tableName: 'test_carrier',
  properties: { id: p.uuid().primary(), labelId: p.uuid() },
});
const carrierRows = rows<Carrier>(CarrierTable);
const carrying = {
  plugin: 'test',
  tables: ['test_carrier'],
  migrations: [
    { name: '001-carriers', up: ['create table test_carrier (id uuid primary key, label_id uuid not null)'] },
  ],
};

type Parts = Pick<PlanningUnderTest, 'stores' | 'carriers' | 'addRepository' | 'deleteRepository'>;

async function under(
  storage: MemoryStorage | PostgresStorage,
  { stores: { labels, milestones }, carriers, ...repositories }: Parts,
): Promise<PlanningUnderTest> {
  const { unitOfWork, events } = storage;
  await storage.deliver([
    {
      plugin: 'test',
      subscription: on('label.deleted', {
        name: 'detach',
        delivery: 'durable',
        handle: ({ payload: { id: labelId } }) => unitOfWork.run(() => carriers.deleteMany({ where: { labelId } })),
      }),
    },
  ]);
  return {
    ...repositories,
    stores: { labels, milestones },
    carriers,
    unitOfWork,
    useCases: planningUseCases({ labels, milestones, unitOfWork, events, ids: systemIds, counters: () => [] }),
    uuid: () => systemIds.uuid(),
    drained: () => storage.drained(),
  };
}

async function onMemory(broken: (labels: Rows<Label>) => object = () => ({})): Promise<Made<PlanningUnderTest>> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const table = storage.database.table<{ readonly id: string }>('repositories_repository', { key: 'id' });
  const labels = stores.labels.memory(storage.database);
  return {
    provider: await under(storage, {
      stores: {
        labels: { ...labels, ...broken(labels) },
        milestones: stores.milestones.memory(storage.database),
      },
      carriers: carrierRows.memory(storage.database),
      async addRepository() {
        const id = systemIds.uuid();
        table.insert({ id });
        return id;
      },
      async deleteRepository(id) {
        table.delete(id);
      },
    }),
    dispose: () => storage.close(),
  };
}

async function onSql(data: TestData): Promise<PlanningUnderTest> {
  const storage = (await data.open({
    entities: [LabelTable, MilestoneTable, CarrierTable],
    migrations: [setOf(identity), setOf(repositories), setOf(planning), carrying],
  })) as PostgresStorage;
  const { database } = storage;
  const db = () => database.kysely<Record<never, never>>();
  const owner = systemIds.uuid();
  await rawSql`insert into identity_user (id, username, username_key, email, email_key, display_name, display_name_key, bio, avatar_url, is_admin, status, email_verified, password_hash, created_at)
    values (${owner}, 'ada', 'ada', 'a@example.com', 'a@example.com', '', '', '', '', false, 'active', true, 'x', now())`.execute(
    db(),
  );
  return under(storage, {
    stores: { labels: stores.labels.sql(database), milestones: stores.milestones.sql(database) },
    carriers: carrierRows.sql(database),
    async addRepository() {
      const id = systemIds.uuid();
      await rawSql`insert into repositories_repository (id, owner_id, name, name_key, description, visibility, default_branch, issue_code, created_at, updated_at)
        values (${id}, ${owner}, ${id}, ${id}, '', 'private', 'main', '', now(), now())`.execute(db());
      return id;
    },
    async deleteRepository(id) {
      await rawSql`delete from repositories_repository where id = ${id}`.execute(db());
    },
  });
}

void t.test('the contract suite of labels finds mutants', async (t) => {
  const breaks: Readonly<Record<string, (labels: Rows<Label>) => Partial<Rows<Label>>>> = {
    'a lost write': () => ({ insert: async (row) => row }),
    'names that differ in case': (labels) => ({ insert: (row) => labels.insert({ ...row, nameKey: row.name }) }),
    'nothing is deleted': (labels) => ({ delete: (where) => labels.findOne(where) }),
    'nothing is found': () => ({ find: async () => [] }),
  };
  for (const [name, broken] of Object.entries(breaks))
    t.type(await firstFailure(planningChecks, () => onMemory(broken), 2000), 'string', name);
});

void t.test('labels and milestones', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, planningChecks, () => onMemory());
    const provider = await onSql(data);
    return contract(t, engine, planningChecks, async () => ({ provider, dispose: async () => undefined }));
  }),
);

void t.test('keys of names from earlier versions are normalized, except where two become equal', (t) =>
  eachEngine(
    t,
    async (t, _, data) => {
      const storage = (await data.open({
        entities: [],
        migrations: [setOf(identity), setOf(repositories), setOf(planning)],
      })) as PostgresStorage;
      const db = storage.database.kysely<Record<never, never>>();
      const [owner, repository] = [systemIds.uuid(), systemIds.uuid()];
      await rawSql`insert into identity_user (id, username, username_key, email, email_key, display_name, display_name_key, bio, avatar_url, is_admin, status, email_verified, password_hash, created_at)
      values (${owner}, 'ada', 'ada', 'a@example.com', 'a@example.com', '', '', '', '', false, 'active', true, 'x', now())`.execute(
        db,
      );
      await rawSql`insert into repositories_repository (id, owner_id, name, name_key, description, visibility, default_branch, issue_code, created_at, updated_at)
      values (${repository}, ${owner}, 'a', 'a', '', 'private', 'main', '', now(), now())`.execute(db);
      const names = ['gru\u0308n', 'ro\u0308t', 'r\u00f6t', 'a\u0323\u0301', 'a\u0301\u0323', 'blue'];
      for (const name of names)
        await rawSql`insert into planning_label (id, repository_id, name, name_key, color)
        values (${systemIds.uuid()}, ${repository}, ${name}, ${name}, '112233')`.execute(db);
      const step = planning.migrations?.at(-1)?.up[0] ?? '';
      for (let times = 0; times < 2; times += 1) await rawSql.raw(step).execute(db);
      const { rows: found } = await rawSql<{
        name: string;
        key: string;
      }>`select name, name_key as key from planning_label`.execute(db);
      const keys = new Map(found.map(({ name, key }) => [name, key]));
      t.strictSame(
        names.slice(0, 3).map((name) => keys.get(name)),
        ['gr\u00fcn', 'ro\u0308t', 'r\u00f6t'],
      );
      const dotted = names.slice(3, 5).map((name) => keys.get(name));
      t.equal(new Set(dotted).size, 2, 'the two are still different');
      t.ok(dotted.includes('\u1ea1\u0301'));
      t.equal(keys.get('blue'), 'blue');
    },
    testEngines().filter((engine) => engine !== 'memory'),
  ),
);
