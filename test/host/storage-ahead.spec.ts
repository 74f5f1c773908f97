// What is started of a storage before the plugins are known: where, and whose it is.
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lockDirectory } from '#adapters/postgres/embedded/data-lock';
import { loadConfiguration } from '#config/load';
import { markerName } from '#host/data-directory';
import { StorageAhead } from '#host/storage-ahead';
import { quietLog } from '#test/contracts/storage-engines';
import { layCluster } from '#test/support/cluster';

const version = '1.2.3';

/** Of a data directory that is marked as written by a version, and has a database. */
async function configured(cwd: string, marked: string, environment: Readonly<Record<string, string>> = {}) {
  const dataDir = join(cwd, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await layCluster(dataDir);
  writeFileSync(join(dataDir, markerName), JSON.stringify({ version: marked, createdAt: '2026-01-01T00:00:00.000Z' }));
  return { ...(await loadConfiguration({ environment, cwd })), version };
}

void t.test('nothing is started where a refused start would have changed something', async (t) => {
  const cases = {
    'a new folder': async (cwd: string) => ({ ...(await loadConfiguration({ environment: {}, cwd })), version }),
    'data of an older version': (cwd: string) => configured(cwd, '1.2.2'),
    'data of a newer version': (cwd: string) => configured(cwd, '1.2.4'),
    'a database elsewhere': (cwd: string) => configured(cwd, version, { DATABASE_URL: 'postgres://a@localhost/b' }),
    'none at all': (cwd: string) => configured(cwd, version, { HEXFORGE_DATABASE: 'memory' }),
  };
  for (const [name, given] of Object.entries(cases)) {
    const cwd = t.testdir({});
    const ahead = new StorageAhead();
    await ahead.begin(await given(cwd), quietLog);
    t.equal(ahead.take(), undefined, name);
    t.notOk(existsSync(join(cwd, 'data/database.lock')), name);
  }
});

void t.test('the embedded database is started, and ended where nobody took it', async (t) => {
  const cwd = t.testdir({});
  const configuration = await configured(cwd, version);
  const database = join(cwd, 'data/database');
  const ahead = new StorageAhead();
  await ahead.begin(configuration, quietLog);
  t.throws(() => lockDirectory(database), { name: 'StorageRefused' });

  const second = new StorageAhead();
  await second.begin(configuration, quietLog);
  t.equal(second.take(), undefined, 'what is in the way is told when it is opened in its turn');

  await ahead.drop();
  lockDirectory(database)();
  t.equal(ahead.take(), undefined);
});

void t.test('who takes it has it', async (t) => {
  const cwd = t.testdir({});
  const ahead = new StorageAhead();
  await ahead.begin(await configured(cwd, version), quietLog);
  const started = await ahead.take();
  await ahead.drop();
  t.same((await started?.supervised.thread.query('select 1 as one', []))?.rows, [{ one: 1 }]);
  await started?.supervised.close();
  started?.unlock();
});
