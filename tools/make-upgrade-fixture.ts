// Makes `test/fixtures/upgrade/NAME/`: a filled data directory and database of this version, which later versions must
// be able to start on. `node tools/make-upgrade-fixture.ts [NAME]`; the default name is the version.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { loadConfiguration } from '#host/configuration/load';
import { startForge } from '#host/server/serve';
import { inhabit } from '#test/support/clients/inhabited';
import { run } from './peers/machine.ts';
import { startCluster } from './peers/postgres-cluster.ts';
import { projectVersion, root } from './project-files.ts';
import { table } from './table.ts';

const password = 'fixture of an upgrade';
const out = join(root, 'test/fixtures/upgrade', process.argv[2] ?? projectVersion());
const folder = mkdtempSync(join(tmpdir(), 'hexforge-fixture-'));

const compressed = (bytes: Buffer): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 26 } });

function write(name: string, bytes: Buffer | string): void {
  writeFileSync(join(out, name), bytes);
  // The forge in this process has set a strict umask, but a fixture must be readable by everyone.
  chmodSync(join(out, name), 0o644);
}

function tar(directory: string): Buffer {
  const { status, stdout, stderr } = spawnSync(
    'tar',
    ['--create', '--sort=name', '--owner=0', '--group=0', '--directory', directory, '.'],
    { maxBuffer: 1 << 30 },
  );
  if (status !== 0) throw new Error(`tar failed: ${stderr.toString()}`);
  return stdout;
}

async function fill(dataDir: string, databaseUrl?: string): Promise<object> {
  const configuration = await loadConfiguration({
    cwd: folder,
    environment: {
      PATH: process.env['PATH'],
      PORT: '0',
      HEXFORGE_DATA_DIR: dataDir,
      HEXFORGE_ADMIN_PASSWORD: password,
      HEXFORGE_LOG_LEVEL: 'error',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });
  const forge = await startForge(configuration);
  const inhabitants = await inhabit(forge.url, password);
  await forge.stop();
  return inhabitants;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const cluster = await startCluster();
try {
  const embedded = join(folder, 'embedded');
  write('embedded.json', `${JSON.stringify(await fill(embedded), null, 2)}\n`);
  write('embedded.tar.zst', compressed(tar(embedded)));

  const outside = join(folder, 'outside');
  write('postgresql.json', `${JSON.stringify(await fill(outside, cluster.url), null, 2)}\n`);
  write('postgresql.tar.zst', compressed(tar(outside)));
  // Removes the psql commands, which start with a backslash, so that any client can load the file.
  const sql = run(join(cluster.bin, 'pg_dump'), ['--inserts', '--no-owner', '--no-privileges', cluster.url])
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .join('\n');
  write('postgresql.sql.zst', compressed(Buffer.from(sql)));
} finally {
  cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
const files = ['embedded.json', 'embedded.tar.zst', 'postgresql.json', 'postgresql.sql.zst', 'postgresql.tar.zst'];
process.stdout.write(
  table(
    ['file', 'bytes'],
    files.map((name) => [name, String(statSync(join(out, name)).size)]),
  ),
);
