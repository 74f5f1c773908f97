// Starting the storage before the plugins are known: when it happens, and which caller gets it.
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lockDirectory } from '#adapters/postgres/embedded/data-lock';
import { loadConfiguration } from '#host/configuration/load';
import { markerName } from '#host/storage/data-directory';
import { StorageAhead } from '#host/storage/storage-ahead';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { layCluster } from '#test/support/servers/cluster';

const version = '1.2.3';

/** The configuration of a data directory with a database, whose marker has the given version. */
async function configured(cwd: string, marked: string, environment: Readonly<Record<string, string>> = {}) {
  const dataDir = join(cwd, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await layCluster(dataDir);
  writeFileSync(join(dataDir, markerName), JSON.stringify({ version: marked, createdAt: '2026-01-01T00:00:00.000Z' }));
  return { ...(await loadConfiguration({ environment, cwd })), version };
}

void t.test('nothing is started if a rejected start would have changed something', async (t) => {
  const cases = {
    'a new folder': async (cwd: string) => ({ ...(await loadConfiguration({ environment: {}, cwd })), version }),
    'data of an older version': (cwd: string) => configured(cwd, '1.2.2'),
    'data of a newer version': (cwd: string) => configured(cwd, '1.2.4'),
    'a database elsewhere': (cwd: string) => configured(cwd, version, { DATABASE_URL: 'postgres://a@localhost/b' }),
    'the memory database': (cwd: string) => configured(cwd, version, { HEXFORGE_DATABASE: 'memory' }),
  };
  for (const [name, given] of Object.entries(cases)) {
    const cwd = t.testdir({});
    const ahead = new StorageAhead();
    await ahead.begin(await given(cwd), quietLog);
    t.equal(ahead.take(), undefined, name);
    t.notOk(existsSync(join(cwd, 'data/database.lock')), name);
  }
});

void t.test('the embedded database is started, and stopped if it is not taken', async (t) => {
  const cwd = t.testdir({});
  const configuration = await configured(cwd, version);
  const database = join(cwd, 'data/database');
  const ahead = new StorageAhead();
  await ahead.begin(configuration, quietLog);
  t.throws(() => lockDirectory(database), { name: 'StorageRefused' });

  const second = new StorageAhead();
  await second.begin(configuration, quietLog);
  t.equal(second.take(), undefined, 'an obstacle is reported later, when the database is opened regularly');

  await ahead.drop();
  lockDirectory(database)();
  t.equal(ahead.take(), undefined);
});

void t.test('the storage belongs to the caller that takes it', async (t) => {
  const cwd = t.testdir({});
  const ahead = new StorageAhead();
  await ahead.begin(await configured(cwd, version), quietLog);
  const started = await ahead.take();
  await ahead.drop();
  t.same((await started?.supervised.thread.query('select 1 as one', []))?.rows, [{ one: 1 }]);
  await started?.supervised.close();
  started?.unlock();
});
