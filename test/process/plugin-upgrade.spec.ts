// Tests of an operator who upgrades a plugin: the server is killed during a migration, the migration fails, or two
// servers start at once; and of the purge of a plugin.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command, hexforge } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { databaseUnderTest } from '#test/support/database';
import { createDatabase, query } from '#test/support/servers/postgres';
import { nothingBut } from '#test/support/plugin-list';

/** The options of tests that start whole servers. */
const patient = { timeout: 120_000 } as const;
const standard = nothingBut();
const first = { name: '001', up: ['create table bell_ring (id integer)', 'insert into bell_ring values (1)'] };
const second = (...more: readonly string[]) => ({
  name: '002',
  up: ['alter table bell_ring add column tone text', "update bell_ring set tone = 'low'", ...more],
});

/** The plugin, which announces the rows of its table at its start. */
const source = (migrations: readonly object[]): string => `export default {
  name: 'bell', version: '1.0.0', api: '^0.2.0', onFailure: 'isolate', tables: ['bell_ring'],
  migrations: ${JSON.stringify(migrations)},
  stores: { rings: { sql: (db) => () => db.em().execute('select * from bell_ring'), memory: () => async () => [] } },
  start: async (_, { stores, instance }) => instance.announce('rings: ' + JSON.stringify(await stores.rings())),
};`;

async function installed(t: Test) {
  const cwd = await temporaryFolder(t);
  const environment: Record<string, string> = {
    PORT: '0',
    HEXFORGE_CONFIG: join(cwd, 'hexforge.yaml'),
    HEXFORGE_PLUGINS: standard,
  };
  let url: string | undefined;
  if (databaseUnderTest() === 'postgresql') {
    const database = await createDatabase();
    t.teardown(() => database.drop());
    url = environment['DATABASE_URL'] = database.url;
  } else await layCluster(join(cwd, 'data'));
  writeFileSync(join(cwd, 'hexforge.yaml'), 'plugins:\n  bell:\n    path: ./bell.mjs\n');
  const serve = (...migrations: readonly object[]): Command => {
    writeFileSync(join(cwd, 'bell.mjs'), source(migrations));
    return new Command(t, ['serve'], { cwd, environment });
  };
  return { cwd, environment, url, serve };
}

const asleep = "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";

async function stopped(command: Command): Promise<readonly string[]> {
  await command.listening();
  command.signal('SIGTERM');
  await command.ended();
  return command.lines.filter((line) => line.startsWith('rings: '));
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await pause(50);
}

void t.test('upgrades of a plugin', { timeout: 240_000 }, async (t) => {
  const { cwd, environment, url, serve } = await installed(t);
  const old = ['rings: [{"id":1}]'];
  t.strictSame(await stopped(serve(first)), old);

  await t.test('kill -9 during a migration keeps the old schema', patient, async (t) => {
    const killed = serve(first, second('select pg_sleep(600)'));
    await until(() => killed.stderr.includes('applying migrations'));
    if (url === undefined) await pause(500);
    else await until(async () => (await query(url, asleep)).length === 1);
    t.notMatch(killed.stdout, /listening/);
    killed.signal('SIGKILL');
    t.equal(await killed.ended(), 'SIGKILL');
  });

  await t.test(
    'a failing second statement keeps schema and data, and the forge runs without the plugin',
    patient,
    async (t) => {
      const failing = serve(first, second('insert into bell_ring (absent) values (1)'));
      t.strictSame(await stopped(failing), []);
      // A column "tone" left by the killed migration would fail in an earlier statement, with another message.
      t.match(
        failing.stderr,
        /The migration \\"002\\" of plugin \\"bell\\" failed and was rolled back: column \\"absent\\" of relation \\"bell_ring\\" does not exist/,
      );
      t.match(failing.stderr, /plugin failed and is isolated/);
      t.strictSame(await stopped(serve(first)), old);
    },
  );

  await t.test(
    'the next start applies the migration; of two concurrent servers exactly one does',
    patient,
    async (t) => {
      const servers = [serve(first, second()), ...(url === undefined ? [] : [serve(first, second())])];
      const said = await Promise.all(servers.map(stopped));
      t.strictSame(new Set(said.flat()), new Set(['rings: [{"id":1,"tone":"low"}]']));
      t.equal(said.length, servers.length);
      const applied = servers.flatMap(({ stderr }) =>
        stderr.split('\n').filter((line) => line.includes('migration applied')),
      );
      t.equal(applied.length, 1);
    },
  );

  await t.test(
    'a purge lists what it deletes, and also deletes the data of a plugin whose module does not exist',
    patient,
    async (t) => {
      const run = (...words: readonly string[]) => hexforge(t, words, { cwd, environment });
      const listed = readFileSync(join(cwd, 'hexforge.yaml'));
      writeFileSync(join(cwd, 'hexforge.yaml'), '');
      const shown =
        'table    bell_ring           1 row\nrecords  hexforge_migration  2 rows\nrecords  hexforge_table      1 row\n';
      t.match(await run('plugins', 'purge', 'bell'), {
        code: 64,
        stdout: shown,
        stderr: /no terminal to ask on.*--yes/,
      });
      t.match(await run('plugins', 'purge', 'bell', '--yes'), {
        code: 0,
        stdout: `${shown}What plugin "bell" had stored is gone\n`,
      });
      writeFileSync(join(cwd, 'hexforge.yaml'), listed);
      t.match(await run('migrate'), { code: 0, stdout: 'applied bell 001\n' }, 'all migrations are applied again');
    },
  );
});
