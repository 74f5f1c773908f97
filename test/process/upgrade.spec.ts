// Tests that the current version starts on the data of each earlier version, and on a copy of a data directory in
// another folder, and that all data is there.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { databaseUnderTest } from '#test/support/database';
import { inhabit, missing, type Inhabitants } from '#test/support/clients/inhabited';
import { createDatabase, query } from '#test/support/servers/postgres';

const fixtures = join(import.meta.dirname, '../fixtures/upgrade');
const read = (version: string, name: string): Buffer => zstdDecompressSync(readFileSync(join(fixtures, version, name)));
const inhabitantsOf = (version: string, name: string): Inhabitants =>
  JSON.parse(readFileSync(join(fixtures, version, name), 'utf8')) as Inhabitants;

function unpack(archive: Buffer, folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  const { status, stderr } = spawnSync('tar', ['--extract', '--directory', folder], {
    input: archive,
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`tar failed: ${stderr.toString()}`);
}

async function serve(
  t: Parameters<typeof temporaryFolder>[0],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ url: string; stop: Command['ended'] }> {
  const command = new Command(t, ['serve'], {
    cwd,
    environment: { PORT: '0', HEXFORGE_LOG_LEVEL: 'warn', ...environment },
  });
  return {
    url: await command.listening(),
    stop: () => {
      command.signal('SIGTERM');
      return command.ended();
    },
  };
}

const versions = globSync('*', { cwd: fixtures }).sort();

void t.test('there is a fixture of a version to start on', async (t) => {
  t.ok(versions.length >= 1, 'node tools/make-upgrade-fixture.ts makes the one of this version');
});

for (const version of versions) {
  void t.test(`all data of the embedded data directory of ${version} is there`, async (t) => {
    const cwd = await temporaryFolder(t);
    unpack(read(version, 'embedded.tar.zst'), join(cwd, 'data'));
    const { url, stop } = await serve(t, cwd);
    t.strictSame(await missing(url, inhabitantsOf(version, 'embedded.json')), []);
    t.equal(await stop(), 0);
  });

  if (databaseUnderTest() === 'postgresql') {
    void t.test(`all data of the PostgreSQL database of ${version} is there`, async (t) => {
      const cwd = await temporaryFolder(t);
      unpack(read(version, 'postgresql.tar.zst'), join(cwd, 'data'));
      const database = await createDatabase();
      t.teardown(() => database.drop());
      await query(database.url, read(version, 'postgresql.sql.zst').toString());
      const { url, stop } = await serve(t, cwd, { DATABASE_URL: database.url });
      t.strictSame(await missing(url, inhabitantsOf(version, 'postgresql.json')), []);
      t.equal(await stop(), 0);
    });
  }
}

void t.test('all data of a stopped data directory is there in a copy in another folder', async (t) => {
  const password = 'moved from here to there';
  const here = await temporaryFolder(t);
  await layCluster(join(here, 'data'));
  // With the cheapest password hashes, because many sign-ins follow and hashing is not under test.
  const configuration = join(here, 'cheap.yaml');
  writeFileSync(configuration, 'plugins: { identity: { scrypt_log_n: 4 } }\n');
  const environment = { HEXFORGE_CONFIG: configuration };
  const first = await serve(t, here, { ...environment, HEXFORGE_ADMIN_PASSWORD: password });
  const inhabitants = await inhabit(first.url, password);
  t.equal(await first.stop(), 0);
  const there = await temporaryFolder(t);
  cpSync(join(here, 'data'), join(there, 'moved'), { recursive: true });
  t.ok(existsSync(join(there, 'moved')));
  const second = await serve(t, there, { ...environment, HEXFORGE_DATA_DIR: 'moved' });
  t.strictSame(await missing(second.url, inhabitants), []);
  t.equal(await second.stop(), 0);
});
