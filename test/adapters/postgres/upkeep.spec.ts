// The upkeep of the embedded database: when it checkpoints, when it refuses writes, and how it comes back after it
// ended.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';
import { databaseFreeBytes } from '#adapters/postgres/embedded/free-space';
import { SupervisedThread, type SupervisorOptions } from '#adapters/postgres/embedded/supervisor';
import { Upkeep } from '#adapters/postgres/embedded/upkeep';
import { translated } from '#adapters/postgres/errors';
import { liftBound } from '#adapters/postgres/stalled-connections';
import type { Log } from '#core/kernel/log';
import { quietLog, testEngines } from '#test/contracts/storage-engines';
import { layCluster } from '#test/support/cluster';

const mebibyte = 1024 ** 2;

const absent = { name: 'Unavailable', message: 'The database does not answer' };

void t.test('when the log is checkpointed, and when writes are refused', async (t) => {
  const rig = () => {
    const world = {
      now: 0,
      free: 1000 * mebibyte,
      bytes: 0,
      written: 0,
      done: [] as string[],
      told: [] as boolean[],
      looks: 0,
    };
    const upkeep = new Upkeep({
      directory: '/nowhere',
      free: () => world.free,
      now: () => world.now,
      written: () => world.written,
      changed: (refusing) => void world.told.push(refusing),
      execute: async (sql) => {
        if (sql.startsWith('select')) {
          world.looks++;
          return [{ bytes: world.bytes }];
        }
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

  await t.test('by size, at most four looks a second', async (t) => {
    const { at } = rig();
    t.strictSame(await at(200, { bytes: 16 * mebibyte }), [], 'not looked yet');
    t.strictSame(await at(300), ['checkpoint']);
    t.strictSame(await at(600), []);
    t.strictSame(await at(900, { bytes: 16 * mebibyte - 1 }), []);
  });

  await t.test('sooner while nobody asks, and without a look where nothing was written', async (t) => {
    const { at, world } = rig();
    t.strictSame(await at(300, { bytes: 4 * mebibyte }), []);
    t.strictSame(await at(600), []);
    t.equal(world.looks, 1);
    t.strictSame(await at(900, {}, true), ['checkpoint']);
    t.equal(world.looks, 1);
  });

  await t.test('by time where something was written, and never where nothing was', async (t) => {
    const { at } = rig();
    t.strictSame(await at(299_000, { bytes: 20_000 }), []);
    t.strictSame(await at(301_000), ['checkpoint']);
    t.strictSame(await at(900_000), [], 'what the checkpoint itself wrote is no reason for another');
  });

  await t.test('with less than 64 MiB free writes are refused, and taken again with 80', async (t) => {
    const { at, upkeep, world } = rig();
    t.strictSame(await at(1000, { free: 64 * mebibyte }), []);
    t.strictSame(await at(2000, { free: 64 * mebibyte - 1 }), ['checkpoint', 'set default_transaction_read_only = on']);
    t.ok(upkeep.refusing);
    t.strictSame(await at(3000, { free: 79 * mebibyte }), []);
    t.strictSame(await at(4000, { free: 80 * mebibyte }), ['set default_transaction_read_only = off']);
    t.notOk(upkeep.refusing);
    t.strictSame(world.told, [true, false]);
  });
});

/** A database of its own with one table, and the lines of its log. */
void t.test('the log of the database may lie on a disk of its own, and the fuller of the two counts', async (t) => {
  const directory = t.testdir();
  t.ok(databaseFreeBytes(directory) > 0);
  // A file system on which nothing is free.
  symlinkSync('/proc', join(directory, 'pg_wal'));
  t.equal(databaseFreeBytes(directory), 0);
});

async function started(t: Test, options: Partial<SupervisorOptions> = {}) {
  // In memory where there is some: what the disk keeps is not the question here.
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
  /** Until it answers again. */
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

  void t.test(
    'with too little space the database refuses writes as insufficient storage, and reads go on',
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

  void t.test(
    'a PostgreSQL that panics is ended and started again, once there is space; nothing saved is lost',
    async (t) => {
      let free = 0;
      const { ask, back, directory, lines, supervised } = await started(t, { free: () => free });
      await ask('create table kept (n int)');
      await ask('insert into kept values (1)');
      // Where PostgreSQL makes the next file of its log there is a folder.
      const obstacle = join(directory, 'pg_wal', 'xlogtemp.42');
      mkdirSync(obstacle);
      await ask('select pg_switch_wal()');
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
    },
  );

  void t.test(
    'a database that has ended is started again though its disk does not tell how much is free',
    async (t) => {
      const { ask, back } = await started(t, {
        statementMs: 500,
        free: () => {
          throw Object.assign(new Error('EIO: i/o error, statfs'), { code: 'EIO' });
        },
      });
      await t.rejects(ask('do $$ begin loop end loop; end $$'), absent);
      await back();
      t.strictSame(await ask('select 1 as n'), [{ n: 1 }]);
    },
  );

  void t.test('while a database cannot start, everybody hears that it is away', async (t) => {
    const { ask, back, directory, lines } = await started(t, { free: () => 1000 * mebibyte });
    await ask('create table kept (n int)');
    const obstacle = join(directory, 'pg_wal', 'xlogtemp.42');
    mkdirSync(obstacle);
    await ask('select pg_switch_wal()');
    await t.rejects(ask('insert into kept values (1)'), absent);
    while (!lines.some((line) => line.includes('did not start; trying again'))) {
      await t.rejects(ask('select 1'), absent);
      await pause(20);
    }
    rmSync(obstacle, { recursive: true });
    await back();
  });

  void t.test('a statement that never ends is cut off, and its transaction is gone with it', async (t) => {
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

  void t.test('a migration may take longer than any other statement', async (t) => {
    const { ask } = await started(t, { statementMs: 300 });
    await ask('begin');
    await ask(liftBound);
    await ask('select pg_sleep(1)');
    await ask('commit');
    await t.rejects(ask('select pg_sleep(60)'), absent);
  });
}
