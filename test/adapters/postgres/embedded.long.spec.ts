// The embedded database: private files, durable commits, one process at a time, and atomic creation.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres, StorageRefused, type PostgresStorage } from '#adapters/postgres/index';
import { ledgerEntities, ledgerMigrations, sqlLedger } from '#test/contracts/storage/ledger';
import { quietLog, testEngines } from '#test/contracts/storage/storage-engines';

const open = (directory: string): Promise<PostgresStorage> =>
  openPostgres({ directory, entities: ledgerEntities, clock: systemClock, ids: systemIds, log: quietLog });

async function child(
  t: Test,
  directory: string,
  mode: 'hold' | 'write',
): Promise<{ readonly process: ChildProcess; readonly lines: AsyncIterator<string> }> {
  const process_ = spawn(
    process.execPath,
    [
      '--no-wasm-code-gc',
      '--wasm-tiering-budget=130000000',
      join(import.meta.dirname, 'events/holding-child.ts'),
      directory,
      mode,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], env: {} },
  );
  t.teardown(() => process_.kill('SIGKILL'));
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, 'open');
  return { process: process_, lines };
}

async function killed(process_: ChildProcess): Promise<void> {
  const exit = once(process_, 'exit');
  process_.kill('SIGKILL');
  await exit;
}

if (testEngines().includes('embedded')) {
  void t.test('the embedded database', { timeout: 240_000 }, async (t) => {
    const directory = join(t.testdir(), 'data');
    const database = join(directory, 'database');

    await t.test(
      'files left by a crash during creation are removed, and the database is created',
      { timeout: 90_000 },
      async (t) => {
        mkdirSync(directory, { mode: 0o700 });
        mkdirSync(join(`${database}.creating`, 'base'), { recursive: true });
        writeFileSync(join(`${database}.creating`, 'PG_VERSION'), '18\n');
        const storage = await open(directory);
        await storage.migrate(ledgerMigrations);
        t.notOk(existsSync(`${database}.creating`));
        await storage.close();
      },
    );

    await t.test('folders are 0700 and files 0600', (t) => {
      const bad = [
        directory,
        ...readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path)),
      ].filter((path) => (statSync(path).mode & 0o777) !== (statSync(path).isDirectory() ? 0o700 : 0o600));
      t.strictSame(bad, []);
      t.ok(readdirSync(join(database, 'base')).length > 0);
      t.end();
    });

    await t.test('fsync is on, and every unit of work syncs at least once', { timeout: 60_000 }, async (t) => {
      const storage = await open(directory);
      const { rows } =
        await sql`select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method, current_setting('shared_buffers') as buffers`.execute(
          storage.database.kysely(),
        );
      t.strictSame(rows, [{ fsync: 'on', method: 'fsync', buffers: '16MB' }]);
      const { journal } = sqlLedger(storage.database);
      const syncs = async () => (await storage.statistics()).syncs ?? 0;
      for (let index = 0; index < 20; index += 1) {
        const before = await syncs();
        await storage.unitOfWork.run(() => journal.append(systemIds.uuid(), 'synced'));
        t.ok((await syncs()) > before, `unit of work ${index}`);
      }
      await storage.close();
    });

    await t.test('it survives any number of failed statements (item 16)', { timeout: 60_000 }, async (t) => {
      const storage = await open(directory);
      const told = new Set<string>();
      for (let index = 0; index < 3000; index += 1)
        await sql`select 1 / 0`.execute(storage.database.kysely()).catch((error: unknown) => told.add(String(error)));
      t.strictSame([...told], ['DatabaseFault: division by zero']);
      const { rows } = await sql`select 1 as one`.execute(storage.database.kysely());
      t.strictSame(rows, [{ one: 1 }]);
      await storage.close();
    });

    await t.test(
      'a second opener is rejected with the pid and host of the first, in this and another process',
      { timeout: 60_000 },
      async (t) => {
        const storage = await open(directory);
        await t.rejects(
          open(directory),
          new StorageRefused(
            `The database in "${database}" is in use by process ${process.pid} on host "${hostname()}"`,
            'Stop that process first, or choose another data directory (HEXFORGE_DATA_DIR)',
          ),
        );
        await t.rejects(open(directory), StorageRefused, 'the rejection did not release the lock');
        await storage.close();
        const { process: holder } = await child(t, directory, 'hold');
        await t.rejects(open(directory), {
          message: `The database in "${database}" is in use by process ${holder.pid} on host "${hostname()}"`,
        });
        t.equal(statSync(`${database}.owner.json`).mode & 0o777, 0o600);
        await killed(holder);
        const after = await open(directory);
        t.equal((JSON.parse(readFileSync(`${database}.owner.json`, 'utf8')) as { pid: number }).pid, process.pid);
        await after.close();
      },
    );

    await t.test('kill -9 loses no acknowledged write', { timeout: 120_000 }, async (t) => {
      const acknowledged: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        const { process: writer, lines } = await child(t, directory, 'write');
        const enough = acknowledged.length + 20 + round * 17;
        for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
          // Only complete lines: the last one may be cut off.
          if (line.value.length === 36) acknowledged.push(line.value);
          if (acknowledged.length === enough) writer.kill('SIGKILL');
        }
      }
      const storage = await open(directory);
      const found = new Set(await sqlLedger(storage.database).journal.texts(''));
      t.ok(acknowledged.length >= 4 * 20, `${acknowledged.length} acknowledged`);
      t.strictSame(
        acknowledged.filter((id) => !found.has(id)),
        [],
      );
      await storage.close();
    });

    await t.test('a folder with other files, and a database of another PostgreSQL version, are rejected', async (t) => {
      const other = join(t.testdir({ database: { 'notes.txt': 'mine' } }));
      await t.rejects(open(other), {
        name: 'StorageRefused',
        message: `The folder "${join(other, 'database')}" is not empty and holds no database`,
      });
      const file = join(t.testdir({ file: '' }), 'file');
      await t.rejects(open(join(file, 'data')), {
        name: 'StorageRefused',
        message: new RegExp(`^The data directory "${file}/data" cannot be written: ENOTDIR`),
      });
      const older = join(t.testdir({ database: { PG_VERSION: '16\n' } }));
      await t.rejects(open(older), {
        name: 'StorageRefused',
        message: `The database in "${join(older, 'database')}" was written by PostgreSQL 16 and this version reads PostgreSQL 18`,
      });
    });
  });
}
