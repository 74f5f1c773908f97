// Maintenance of the embedded database: checkpoints, vacuums, rejecting writes on a full disk, and restarts.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';
import { databaseFreeBytes } from '#adapters/postgres/embedded/free-space';
import { SupervisedThread, type SupervisorOptions } from '#adapters/postgres/embedded/supervisor';
import { Upkeep } from '#adapters/postgres/embedded/upkeep';
import { translated } from '#adapters/postgres/statements/errors';
import { liftBound } from '#adapters/postgres/statements/stalled-connections';
import type { Log } from '#core/kernel/services/log';
import { quietLog, testEngines } from '#test/contracts/storage/storage-engines';
import { layCluster } from '#test/support/servers/cluster';

const mebibyte = 1024 ** 2;

const absent = { name: 'Unavailable', message: 'The database does not answer' };

void t.test('checkpoints, vacuums and rejected writes', async (t) => {
  const rig = () => {
    const world = {
      now: 0,
      free: 1000 * mebibyte,
      bytes: 0,
      written: 0,
      done: [] as string[],
      told: [] as boolean[],
      looks: 0,
      due: [] as { readonly statements: readonly string[]; readonly need: number; readonly bytes: number }[],
    };
    const upkeep = new Upkeep({
      directory: '/nowhere',
      free: () => world.free,
      now: () => world.now,
      written: () => world.written,
      changed: (refusing) => void world.told.push(refusing),
      vacuuming: () => undefined,
      execute: async (sql) => {
        if (sql.includes('pg_class')) return world.due;
        if (sql.startsWith('select')) {
          world.looks++;
          return [{ bytes: world.bytes }];
        }
        if (sql === 'broken') throw new Error(sql);
        world.done.push(sql);
        if (sql === 'checkpoint') world.bytes = 100;
        return [];
      },
    });
    const at = async (now: number, change: Partial<typeof world> = {}, quiet = false): Promise<readonly string[]> => {
      Object.assign(world, change, { now });
      if ('bytes' in change) world.written++;
      await upkeep.before();
      await upkeep.after(quiet);
      return world.done.splice(0);
    };
    return { at, upkeep, world };
  };

  await t.test('checkpoints by size, with at most four checks per second', async (t) => {
    const { at } = rig();
    t.strictSame(await at(200, { bytes: 16 * mebibyte }), [], 'not checked yet');
    t.strictSame(await at(300), ['checkpoint']);
    t.strictSame(await at(600), []);
    t.strictSame(await at(900, { bytes: 16 * mebibyte - 1 }), []);
  });

  await t.test('checkpoints earlier while idle, and no check if nothing was written', async (t) => {
    const { at, world } = rig();
    t.strictSame(await at(300, { bytes: 4 * mebibyte }), []);
    t.strictSame(await at(600), []);
    t.equal(world.looks, 1);
    t.strictSame(await at(900, {}, true), ['checkpoint']);
    t.equal(world.looks, 1);
  });

  await t.test('checkpoints by time, but only if something was written', async (t) => {
    const { at } = rig();
    t.strictSame(await at(299_000, { bytes: 20_000 }), []);
    t.strictSame(await at(301_000), ['checkpoint']);
    t.strictSame(await at(900_000), [], 'what the checkpoint itself wrote does not count');
  });

  await t.test('rejects writes below 64 MiB of free space, and accepts them again at 80', async (t) => {
    const { at, upkeep, world } = rig();
    t.strictSame(await at(1000, { free: 64 * mebibyte }), []);
    t.strictSame(await at(2000, { free: 64 * mebibyte - 1 }), ['checkpoint', 'set default_transaction_read_only = on']);
    t.ok(upkeep.refusing);
    t.strictSame(await at(3000, { free: 79 * mebibyte }), []);
    t.strictSame(await at(4000, { free: 80 * mebibyte }), ['set default_transaction_read_only = off']);
    t.notOk(upkeep.refusing);
    t.strictSame(world.told, [true, false]);
  });

  const due = (need: number, bytes = 0) => ({ statements: [`vacuum ${need}`], need, bytes });

  await t.test('vacuums one table at a time, the neediest first, starting a minute after the start', async (t) => {
    const { at } = rig();
    t.strictSame(await at(59_000, { bytes: 0, due: [due(3), due(1)] }, true), []);
    t.strictSame(await at(60_000, {}, true), ['vacuum 3']);
    t.strictSame(await at(60_400, {}, true), [], 'other statements run in between');
    t.strictSame(await at(61_000, {}, true), ['vacuum 1']);
    t.strictSame(await at(62_000, {}, true), []);
    t.strictSame(await at(130_000, {}, true), [], 'nothing was written since the last check');
  });

  await t.test('while busy, vacuums only tables with twice the need', async (t) => {
    const { at } = rig();
    t.strictSame(await at(60_000, { bytes: 0, due: [due(1.9)] }), []);
    t.strictSame(await at(120_000, { bytes: 0, due: [due(2)] }), ['vacuum 2']);
  });

  await t.test('vacuums no table while writes are rejected, or without space for its log', async (t) => {
    const { at } = rig();
    await at(1000, { free: 0 });
    t.strictSame(await at(60_000, { bytes: 0, due: [due(9)] }, true), []);
    const tight = { free: 100 * mebibyte, due: [due(9, 21 * mebibyte), due(8, 20 * mebibyte)] };
    t.strictSame(await at(61_000, tight, true), ['set default_transaction_read_only = off']);
    t.strictSame(await at(62_000, {}, true), ['vacuum 8']);
  });

  await t.test('a table whose vacuum fails does not delay the others', async (t) => {
    const { at } = rig();
    const broken = { ...due(9), statements: ['broken'] };
    await t.rejects(at(60_000, { bytes: 0, due: [broken, due(2)] }, true), /broken/);
    t.strictSame(await at(61_000, {}, true), ['vacuum 2']);
  });
});

void t.test('the log may be on another disk, and the smaller free space counts', async (t) => {
  const directory = t.testdir();
  t.ok(databaseFreeBytes(directory) > 0);
  // A file system without free space.
  symlinkSync('/proc', join(directory, 'pg_wal'));
  t.equal(databaseFreeBytes(directory), 0);
});

/** Creates a folder where PostgreSQL creates the next file of its log: its next write makes it exit. */
async function obstructed(ask: (sql: string) => Promise<unknown>, directory: string): Promise<string> {
  const obstacle = join(directory, 'pg_wal', 'xlogtemp.42');
  mkdirSync(obstacle);
  await ask('select pg_switch_wal()');
  return obstacle;
}

/** A separate database, and the lines of its log. */
async function started(t: Test, options: Partial<SupervisorOptions> = {}) {
  // In memory if possible, because durability does not matter here.
  const data = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hexforge-upkeep-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  await layCluster(data);
  const directory = join(data, 'database');
  const lines: string[] = [];
  const note: Log['error'] = (facts, message) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const supervised = new SupervisedThread({
    directory,
    log: { ...quietLog, error: note, warn: note },
    ...options,
  });
  t.teardown(() => supervised.close());
  const ask = async (sql: string): Promise<readonly unknown[]> => {
    try {
      return (await supervised.thread.query(sql, [])).rows;
    } catch (error) {
      throw translated(error);
    }
  };
  const segments = () => readdirSync(join(directory, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name)).length;
  /** Waits until it answers again. */
  const back = async (): Promise<void> => {
    const giveUpAt = performance.now() + 30_000;
    while (
      !(await ask('select 1').then(
        () => true,
        () => false,
      ))
    ) {
      if (performance.now() > giveUpAt) throw new Error('the database did not come back');
      await pause(50);
    }
  };
  await ask('select 1');
  supervised.supervise();
  return { directory, supervised, ask, segments, back, lines };
}

if (testEngines().includes('embedded')) {
  void t.test('the write-ahead log stays short over 240 MiB, and a kill leaves little of it to replay', async (t) => {
    const { ask, segments } = await started(t, { upkeep: { lookMs: 0 } });
    await ask('create table written (n int)');
    let most = 0;
    for (let n = 0; n < 15; n++) {
      await ask(`insert into written values (${n})`);
      // The rest of a file of 16 MiB counts as written.
      await ask('select pg_switch_wal()');
      most = Math.max(most, segments());
    }
    t.ok(most <= 4, `${most} files of 16 MiB`);
    const [row] = await ask(
      "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as written, (pg_current_wal_insert_lsn() - redo_lsn)::float8 as unsaved from pg_control_checkpoint()",
    );
    const { written, unsaved } = row as { readonly written: number; readonly unsaved: number };
    t.ok(written > 240 * mebibyte, `${written} bytes written`);
    t.ok(unsaved <= 32 * mebibyte, `${unsaved} bytes to replay`);
  });

  const always = { lookMs: 0, vacuumLookMs: 0, vacuumPauseMs: 0 };

  void t.test('inserted and deleted rows do not grow the database', async (t) => {
    const { ask } = await started(t, { upkeep: always });
    await ask("create table passing (id int primary key, detail text default repeat('x', 200))");
    await ask('create table other (n int)');
    const sizes: number[] = [];
    for (let round = 0; round < 4; round++) {
      await ask(`insert into passing (id) select generate_series(${round * 2000}, ${round * 2000 + 1999})`);
      await ask('delete from passing');
      // PostgreSQL counts its rows once a second.
      await pause(1000);
      for (let n = 0; n < 5; n++) await ask(`insert into other values (${n})`);
      const [row] = await ask("select pg_total_relation_size('passing')::int as bytes");
      sizes.push((row as { readonly bytes: number }).bytes);
    }
    t.ok(Math.max(...sizes) < mebibyte, `${sizes.join()} bytes; without a vacuum the last is 2.2 million`);
  });

  void t.test('a table that grew before a kill, which clears the statistics, is vacuumed afterwards', async (t) => {
    const { ask, back, directory } = await started(t, { upkeep: { ...always, vacuumLookMs: 100 } });
    await ask('create table passing (n int)');
    await ask('begin');
    await ask('insert into passing select generate_series(1, 5000)');
    await ask('delete from passing');
    await ask('commit');
    const obstacle = await obstructed(ask, directory);
    await t.rejects(ask('drop table passing'), absent);
    rmSync(obstacle, { recursive: true });
    await back();
    await pause(200);
    for (let n = 0; n < 30; n++) await ask('select 1');
    t.strictSame(await ask("select pg_relation_size('passing')::int as bytes"), [{ bytes: 0 }]);
  });

  void t.test('no transaction id gets older than the limit, in tables or in the empty databases', async (t) => {
    const { ask } = await started(t, { upkeep: { ...always, frozenAge: 500 } });
    await ask('create table counted (n int)');
    // Each block with an exception handler is a subtransaction with its own id.
    const thousand =
      'do $$ begin for n in 1..1000 loop begin insert into counted values (n); exception when others then raise; end; end loop; end $$';
    const oldest =
      "select max(age(relfrozenxid)) as age from pg_class where relfrozenxid <> '0' union all select max(age(datfrozenxid)) from pg_database";
    await ask(thousand);
    for (let n = 0; n < 150; n++) await ask('select 1');
    const rows = (await ask(oldest)) as readonly { readonly age: number }[];
    t.ok(
      rows.every(({ age }) => age < 500),
      JSON.stringify(rows),
    );
  });

  void t.test(
    'with too little space the database rejects writes with InsufficientStorage, and reads work',
    async (t) => {
      const { ask, lines, supervised } = await started(t, {
        upkeep: { reserve: Number.MAX_SAFE_INTEGER, resume: Number.MAX_SAFE_INTEGER },
      });
      await t.rejects(ask('create table late (n int)'), {
        name: 'InsufficientStorage',
        message: 'The disk that holds the database is full',
      });
      t.strictSame(await ask('select 1 as n'), [{ n: 1 }]);
      t.ok(supervised.full);
      t.equal(lines.length, 1);
      t.match(lines[0], /the disk is nearly full: the database takes no writes .*"directory":".*database"/);
    },
  );

  void t.test('a PostgreSQL that panics is restarted once there is space; no saved row is lost', async (t) => {
    let free = 0;
    const { ask, back, directory, lines, supervised } = await started(t, { free: () => free });
    await ask('create table kept (n int)');
    await ask('insert into kept values (1)');
    const obstacle = await obstructed(ask, directory);
    await Promise.all([2, 3].map((n) => t.rejects(ask(`insert into kept values (${n})`), absent)));
    rmSync(obstacle, { recursive: true });
    while (!supervised.full) await pause(10);
    await t.rejects(ask('select 1'), absent);
    t.match(lines[0], /the embedded database has ended; it is started again .*could not create file/);
    t.match(lines[1], /the disk is full: the database waits for space .*"directory":".*database"/);
    free = 1000 * mebibyte;
    await back();
    t.notOk(supervised.full);
    t.strictSame(await ask('select n from kept order by n limit 1'), [{ n: 1 }]);
    await ask('insert into kept values (4)');
    t.match(lines.at(-1), /the embedded database runs again/);
  });

  void t.test('a database that has exited is restarted although its free space is unknown', async (t) => {
    const { ask, back } = await started(t, {
      statementMs: 500,
      free: () => {
        throw Object.assign(new Error('EIO: i/o error, statfs'), { code: 'EIO' });
      },
    });
    await t.rejects(ask('do $$ begin loop end loop; end $$'), absent);
    await back();
    t.strictSame(await ask('select 1 as n'), [{ n: 1 }]);
  });

  void t.test('while a database cannot start, requests reject with Unavailable', async (t) => {
    const { ask, back, directory, lines } = await started(t, { free: () => 1000 * mebibyte });
    await ask('create table kept (n int)');
    const obstacle = await obstructed(ask, directory);
    await t.rejects(ask('insert into kept values (1)'), absent);
    while (!lines.some((line) => line.includes('did not start; trying again'))) {
      await t.rejects(ask('select 1'), absent);
      await pause(20);
    }
    rmSync(obstacle, { recursive: true });
    await back();
  });

  void t.test('a statement that never ends is terminated, and its transaction rolled back', async (t) => {
    const { ask, back, lines } = await started(t, { statementMs: 1000 });
    await ask('create table counted (n int)');
    await ask('begin');
    await ask('insert into counted values (1)');
    const behind = ask('select 1').then(() => ask('do $$ begin loop end loop; end $$'));
    await t.rejects(behind, absent);
    await back();
    t.strictSame(await ask('select n from counted'), []);
    t.match(lines[0], /a statement took more than 1 s/);
  });

  void t.test('a migration may take longer than other statements', async (t) => {
    const { ask } = await started(t, { statementMs: 300 });
    await ask('begin');
    await ask(liftBound);
    await ask('select pg_sleep(1)');
    await ask('commit');
    await t.rejects(ask('select pg_sleep(60)'), absent);
  });
}
