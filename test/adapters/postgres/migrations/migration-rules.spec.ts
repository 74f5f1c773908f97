// Limits on a plugin's migrations, on both SQL engines: a rejection names the plugin, and its changes are rolled back.
import t from 'tap';
import { statementOffence } from '#adapters/postgres/migrations/migration-rules';
import type { MigrationSet, PostgresStorage } from '#adapters/postgres/index';
import { eachSqlEngine, migrated } from '#test/contracts/storage/storage-engines';

const victim: MigrationSet = {
  plugin: 'victim',
  tables: ['victim_thing', 'victim_public_thing'],
  migrations: [
    {
      name: '001',
      up: [
        'create table victim_thing (id integer primary key, name text)',
        'create index victim_thing_name on victim_thing (name)',
        'create view victim_public_thing as select id from victim_thing',
        "create function victim_count() returns bigint language sql as 'select count(*) from victim_thing'",
        'insert into victim_thing values (1)',
      ],
    },
  ],
};
const tower: MigrationSet = {
  plugin: 'bell-tower',
  tables: ['bell_tower_step'],
  migrations: [{ name: '001', up: ['create table bell_tower_step (id integer primary key)'] }],
};

/** Its first migration creates what it declares; the second one is under test. */
const bell = (up: readonly string[], more: Partial<MigrationSet> = {}): MigrationSet => ({
  plugin: 'bell',
  tables: ['bell_ring'],
  migrations: [
    { name: '001', up: ['create table bell_ring (id integer primary key, at date)'] },
    { name: '002', up },
  ],
  ...more,
});
const unrung: MigrationSet = { ...bell([]), migrations: bell([]).migrations.slice(0, 1) };

const offences: Readonly<Record<string, readonly [statements: readonly string[], says: string]>> = {
  'a table of another name': [['create table rings (id integer)'], 'made the table "rings"'],
  'an undeclared table': [
    ['create table bell_extra (id integer)'],
    'made the table "bell_extra", which its "tables" do not list',
  ],
  "a name of another plugin's": [
    ['create table bell_tower_bell (id integer)'],
    'made the table "bell_tower_bell" of plugin "bell-tower"',
  ],
  "another's table dropped": [
    ['drop table victim_thing cascade'],
    'dropped the table "victim_thing" of plugin "victim"',
  ],
  "another's table renamed": [
    ['alter table victim_thing rename to bell_thing'],
    'dropped the table "victim_thing" of plugin "victim"',
  ],
  "a column added to another's table": [
    ['alter table victim_thing add column bell integer'],
    'made the column "bell" of "victim_thing" of plugin "victim"',
  ],
  "a column of another's table changed": [
    ['alter table victim_thing alter column name set default 1::text'],
    'changed the column "name" of "victim_thing" of plugin "victim"',
  ],
  "an index on another's table": [
    ['create index bell_index on victim_thing (id)'],
    'made the index "bell_index" of "victim_thing" of plugin "victim"',
  ],
  "another's index dropped": [
    ['drop index victim_thing_name'],
    'dropped the index "victim_thing_name" of "victim_thing" of plugin "victim"',
  ],
  "a constraint on another's table": [
    ['alter table victim_thing add constraint bell_check check (id > 0)'],
    'made the constraint "bell_check" of "victim_thing" of plugin "victim"',
  ],
  "a trigger on another's table": [
    [
      "create function bell_ring_it() returns trigger language plpgsql as 'begin return new; end'",
      'create trigger bell after insert on victim_thing for each row execute function bell_ring_it()',
    ],
    'made the trigger "bell" of "victim_thing" of plugin "victim"',
  ],
  "another's published view replaced": [
    ["create or replace view victim_public_thing as select id from victim_thing where name <> ''"],
    'changed the view "victim_public_thing" of plugin "victim"',
  ],
  "another's function replaced": [
    ["create or replace function victim_count() returns bigint language sql as 'select 0::bigint'"],
    'changed the function "victim_count()" of plugin "victim"',
  ],
  "the forge's own table dropped": [
    ['drop table hexforge_event'],
    'dropped the table "hexforge_event", the forge\'s own',
  ],
  'a function of another name': [
    ["create function ring() returns integer language sql as 'select 1'"],
    'made the function "ring()"',
  ],
  'a type of another name': [["create type tone as enum ('low', 'high')"], 'made the type "tone"'],
  'an index of another name': [['create index by_date on bell_ring (at)'], 'made the index "by_date" of "bell_ring"'],
  'a sequence of another name': [['create sequence numbers'], 'made the sequence "numbers"'],
  'a schema': [['create schema bell_data'], 'made the schema "bell_data"'],
  'a table in a schema of its own, made in a block': [
    ["do $$ begin execute 'create schema bell_data'; execute 'create table bell_data.bell_x ()'; end $$"],
    'made the schema "bell_data"',
  ],
  "a foreign key to another's table that it does not reference": [
    ['alter table bell_ring add column thing integer references victim_thing'],
    'pointed the foreign key "bell_ring_thing_fkey" at the table "victim_thing" of plugin "victim"',
  ],
  "a view of another's table that it does not reference": [
    ['create view bell_view as select id from victim_thing'],
    'pointed the view "bell_view" at the table "victim_thing" of plugin "victim"',
  ],
  'a search path, set in a block': [
    ["do $$ begin perform set_config('search_path', 'pg_catalog', true); end $$"],
    'changed the session setting "search_path"',
  ],
  'two statements in one string': [
    ['create table bell_a (id integer); commit; create table bell_b (id integer)'],
    'failed and was rolled back: cannot insert multiple commands into a prepared statement',
  ],
  'an index made concurrently': [
    ['create index concurrently bell_ring_at on bell_ring (at)'],
    'failed and was rolled back: CREATE INDEX CONCURRENTLY cannot run inside a transaction block',
  ],
  'a commit in a block': [
    ['do $$ begin commit; end $$'],
    'failed and was rolled back: invalid transaction termination',
  ],
  'a commit': [['create table bell_a (id integer)', 'commit'], 'holds "commit"'],
};

/** Everything that the plugin could have left in the database. */
const left = async (storage: PostgresStorage): Promise<unknown> => ({
  relations: await storage.database.em().execute(
    `select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = 'public' and relname ~ '^(bell_(?!tower)|rings|by_|numbers)'`,
  ),
  columns: await storage.database
    .em()
    .execute(
      "select attname from pg_attribute where attrelid = 'victim_thing'::regclass and attnum > 0 order by attnum",
    ),
  things: await storage.database.em().execute('select id from victim_thing'),
  path: await storage.database.em().execute('show search_path'),
  recorded: await storage.database.em().execute("select name from hexforge_migration where plugin = 'bell'"),
});

void t.test('a migration that oversteps the rights of its plugin is rolled back and named', { timeout: 120_000 }, (t) =>
  eachSqlEngine(t, async (t, storage) => {
    await migrated(storage, [victim, tower, unrung]);
    const before = await left(storage);
    for (const [name, [up, says]] of Object.entries(offences))
      await t.test(name, async (t) => {
        const [outcome, ...more] = await storage.migrate([victim, tower, bell(up)]);
        t.strictSame(more, []);
        const { message = '', remedy = '' } = outcome?.refused ?? {};
        t.equal(
          message.slice(0, says.length + 36),
          `The migration "002" of plugin "bell" ${says}`.slice(0, says.length + 36),
        );
        t.match(remedy, /What the plugin keeps is as it was before.* HEXFORGE_PLUGINS=-bell$/);
        t.strictSame(await left(storage), before);
      });
  }),
);

void t.test('of several migrations the failing one is named, and none is applied', (t) =>
  eachSqlEngine(t, async (t, storage) => {
    await migrated(storage, [victim]);
    const { migrations } = bell(['drop view victim_public_thing']);
    const later = { name: '003', up: ['alter table bell_ring add column last integer'] };
    t.match(await storage.migrate([victim, bell([], { migrations: [...migrations, later] })]), [
      {
        plugin: 'bell',
        steps: [],
        refused: {
          message: 'The migration "002" of plugin "bell" dropped the view "victim_public_thing" of plugin "victim"',
          remedy:
            'A plugin makes, changes and drops what is its own alone; of others it asks through ports. What the plugin keeps is as it was before; until its author has mended it, disable the plugin with HEXFORGE_PLUGINS=-bell',
        },
      },
    ]);
    t.same(await storage.database.em().execute("select to_regclass('bell_ring') as ring"), [{ ring: null }]);
    t.same(await storage.database.em().execute('select id from victim_public_thing'), [{ id: 1 }]);
  }),
);

void t.test('a plugin has exactly the tables that it declares', (t) =>
  eachSqlEngine(t, async (t, storage) => {
    const said = async (set: MigrationSet): Promise<string | undefined> =>
      (await storage.migrate([set]))[0]?.refused?.message;
    const absent = bell([], { tables: ['bell_ring', 'bell_absent'] });
    t.equal(await said(absent), 'Plugin "bell" declares the table "bell_absent", and none of its migrations makes it');
    t.equal(
      await said({ plugin: 'bell', migrations: [], tables: ['bell_ring'] }),
      'Plugin "bell" declares the table "bell_ring", and none of its migrations makes it',
    );
    await migrated(storage, [bell([])]);
    t.equal(await said(absent), 'Plugin "bell" declares the table "bell_absent", and none of its migrations makes it');
    t.equal(
      await said(bell([], { tables: [] })),
      'Plugin "bell" no longer declares the table "bell_ring", and none of its migrations drops it',
    );
    const drops = { name: '004', up: ['drop table bell_ring'] };
    const dropping = { ...bell([]), migrations: [...bell([]).migrations, drops] };
    t.equal(
      await said(dropping),
      'The migration "004" of plugin "bell" dropped the table "bell_ring", which its "tables" still list',
    );
    t.same(await storage.migrate([{ ...dropping, tables: [] }]), [{ plugin: 'bell', steps: ['004'] }]);
  }),
);

void t.test('a migration within the rights of its plugin is applied', (t) =>
  eachSqlEngine(t, async (t, storage) => {
    const up = [
      "-- of the bell\n /* and /* its */ tower */ create type bell_tone as enum ('low', 'high')",
      "set local lock_timeout = '5s'",
      'alter table bell_ring add column thing integer references victim_thing on delete cascade, add column tone bell_tone',
      'create index bell_ring_at on bell_ring (at)',
      'create table bell_old (id bigint generated always as identity, number serial)',
      'alter table bell_old rename to bell_new',
      'create temporary table scratch (id integer)',
      'insert into scratch values (1)',
      'insert into bell_ring (id) select id from scratch',
      'create view bell_view as select bell_ring.id from bell_ring join victim_public_thing using (id)',
      `create function bell_sum() returns integer language sql begin atomic select 1; select 2; end`,
      'create trigger bell before update on bell_ring for each row execute function suppress_redundant_updates_trigger()',
      'do $$ begin delete from bell_ring where false; end $$',
    ];
    const more = {
      tables: ['bell_ring', 'bell_new', 'bell_view'],
      references: ['victim_thing', 'victim_public_thing'],
    };
    await migrated(storage, [victim, bell(up, more)]);
    t.same(await storage.database.em().execute('select id from bell_ring'), [{ id: 1 }]);
    t.same(await storage.database.em().execute("select to_regclass('scratch') as scratch"), [{ scratch: null }]);
    t.same(await storage.database.em().execute("select name from hexforge_table where plugin = 'bell' order by name"), [
      { name: 'bell_new' },
      { name: 'bell_ring' },
      { name: 'bell_view' },
    ]);
  }),
);

void t.test(
  'a statement that ends the transaction, or changes the session beyond it, is rejected before anything runs',
  async (t) => {
    for (const statement of [
      'COMMIT',
      ' ;  commit',
      '/* a /* nested */ one */ rollback',
      '-- a line\nend',
      'begin',
      'start transaction',
      'savepoint a',
      'set search_path = x',
      'set session authorization x',
      'set role x',
      'set local role x',
      'set local search_path = x',
      'reset all',
      'alter system set work_mem = 1',
      'ALTER\n  SYSTEM reset all',
      "prepare transaction 'x'",
      'discard all',
      'listen x',
      'grant all on bell to x',
      "copy bell to '/tmp/x'",
      'vacuum',
      '',
    ])
      t.ok(statementOffence(statement), statement);
    for (const statement of [
      'select 1',
      '(select 1)',
      'with a as (select 1) insert into b select * from a',
      'SET LOCAL work_mem = 1',
    ])
      t.notOk(statementOffence(statement), statement);
    t.match(statementOffence('SET  ROLE x'), { what: 'holds "set role"' });
  },
);
