// Purging the data of a plugin, on both SQL engines.
import t from 'tap';
import type { MigrationSet, PostgresStorage } from '#adapters/postgres/index';
import { eachSqlEngine, migrated, testData, testEngines } from '#test/contracts/storage/storage-engines';

const bell: MigrationSet = {
  plugin: 'bell',
  tables: ['bell_ring', 'bell_public_ring'],
  migrations: [
    {
      name: '001',
      up: [
        "create type bell_tone as enum ('low', 'high')",
        'create table bell_ring (id integer primary key, tone bell_tone)',
        'create view bell_public_ring as select id from bell_ring',
        "create function bell_count(tone bell_tone) returns bigint language sql as 'select count(*) from bell_ring'",
        'create sequence bell_number',
        "insert into bell_ring values (1, 'low'), (2, 'high')",
      ],
    },
  ],
};
const tower: MigrationSet = {
  plugin: 'bell-tower',
  tables: ['bell_tower_step'],
  references: ['bell_ring'],
  migrations: [
    {
      name: '001',
      up: [
        'create table bell_tower_step (id integer, ring integer references bell_ring)',
        'create type bell_tower_x as (y text)',
      ],
    },
  ],
};

const named = async (storage: PostgresStorage, prefix: string): Promise<unknown> =>
  storage.database.em().execute(
    `select relname from pg_class where relnamespace = current_schema()::regnamespace and relname like '${prefix}%' and relkind <> 'i'
      union select typname from pg_type where typnamespace = current_schema()::regnamespace and typname like '${prefix}%' and typtype = 'e'
      union select proname from pg_proc where pronamespace = current_schema()::regnamespace and proname like '${prefix}%' order by 1`,
  );

void t.test('a purge removes the tables and records of the plugin, and nothing else', { timeout: 120_000 }, (t) =>
  eachSqlEngine(t, async (t, storage) => {
    await migrated(storage, [
      bell,
      { ...tower, references: [], migrations: [{ name: '001', up: ['create table bell_tower_step (id integer)'] }] },
    ]);
    await storage.database
      .em()
      .execute(
        "insert into hexforge_delivery (plugin, subscription, position, chain) values ('bell', 'a', 1, 'b'), ('other', 'a', 1, 'b')",
      );
    const expected = {
      objects: [
        { kind: 'view', name: 'bell_public_ring' },
        { kind: 'table', name: 'bell_ring', rows: 2 },
        { kind: 'function', name: 'bell_count(tone bell_tone)' },
        { kind: 'type', name: 'bell_tone' },
        { kind: 'sequence', name: 'bell_number' },
      ],
      records: [
        { table: 'hexforge_delivery', rows: 1 },
        { table: 'hexforge_migration', rows: 1 },
        { table: 'hexforge_table', rows: 2 },
      ],
      held: [],
    };
    t.strictSame(await storage.purge.plugins(), ['bell', 'bell-tower', 'other']);
    t.strictSame(await storage.purge.remains('bell', []), expected, 'shown');
    t.strictSame(await storage.purge.remains('bell', []), expected, 'unchanged by remains');
    t.strictSame(await storage.purge.purge('bell', []), expected);
    t.same(await named(storage, 'bell_'), [{ relname: 'bell_tower_step' }]);
    t.same(await storage.database.em().execute('select plugin from hexforge_delivery'), [{ plugin: 'other' }]);
    t.strictSame(await storage.purge.plugins(), ['bell-tower', 'other']);
    t.strictSame(
      await migrated(storage, [bell]),
      [{ plugin: 'bell', steps: ['001'] }],
      'a new installation starts from nothing',
    );
    t.same(await storage.database.em().execute('select count(*)::int as rows from bell_ring'), [{ rows: 2 }]);
  }),
);

void t.test('a purge finds the events and rows of a plugin without tables', (t) =>
  eachSqlEngine(t, async (t, storage) => {
    const box = 'create table box_thing (id integer, hexforge_plugin text)';
    await migrated(storage, [{ plugin: 'box', tables: ['box_thing'], migrations: [{ name: '001', up: [box] }] }]);
    const run = (statement: string) => storage.database.em().execute(statement);
    await run("insert into hexforge_subscription (plugin, name, type) values ('chat', 'tell', 'push')");
    await run("insert into box_thing values (1, 'sign'), (2, 'other'), (3, null)");
    t.strictSame(await storage.purge.plugins(), ['box', 'chat', 'other', 'sign']);
    t.strictSame((await storage.purge.purge('chat', [])).records, [{ table: 'hexforge_subscription', rows: 1 }]);
    t.strictSame(await storage.purge.purge('sign', []), {
      objects: [],
      records: [{ table: 'box_thing', rows: 1 }],
      held: [],
    });
    t.same(await run('select id from box_thing order by id'), [{ id: 2 }, { id: 3 }]);
    t.strictSame(await storage.purge.plugins(), ['box', 'other']);
    t.strictSame((await storage.purge.purge('box', [])).objects, [{ kind: 'table', name: 'box_thing', rows: 2 }]);
  }),
);

void t.test('a purge is refused while a table or view of another plugin references the data, and names it', (t) =>
  eachSqlEngine(t, async (t, storage) => {
    await migrated(storage, [bell, tower]);
    await storage.database.em().execute('create view somebody as select id from bell_ring');
    t.strictSame((await storage.purge.remains('bell', [])).held, [
      'the view "somebody", which is no plugin\'s here',
      'the foreign key "bell_tower_step_ring_fkey" of "bell_tower_step" of plugin "bell-tower"',
    ]);
    await t.rejects(storage.purge.purge('bell', []), {
      name: 'StorageRefused',
      message:
        /^The data of plugin "bell" is still used: it would take with it the view "somebody".*of plugin "bell-tower"$/,
    });
    t.same(await storage.database.em().execute('select count(*)::int as rows from bell_ring'), [{ rows: 2 }]);
    await storage.database.em().execute('drop view somebody');
    await storage.purge.purge('bell-tower', []);
    t.strictSame((await storage.purge.purge('bell', [])).held, []);
    await t.rejects(storage.purge.purge('hexforge', []), { message: '"hexforge" is the forge itself' });
  }),
);

// The embedded database is used by one process only.
if (testEngines().includes('postgresql'))
  void t.test('a purge is rejected while a server runs on the database', async (t) => {
    const data = await testData(t, 'postgresql');
    const storage = (await data.open({ migrations: [bell] })) as PostgresStorage;
    const server = (await data.open({ migrations: [bell] })) as PostgresStorage;
    await server.deliver([]);
    await server.drained();
    await t.rejects(storage.purge.purge('bell', []), {
      message: 'A server runs on this database, and plugins are purged while none does',
    });
    await server.close();
    t.strictSame((await storage.purge.purge('bell', [])).held, []);
  });
