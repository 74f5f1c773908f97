// An empty embedded database to start from: making one takes ten seconds of a processor, so it is made once and kept.
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemIds } from '#adapters/memory/index';
import { openPostgres } from '#adapters/postgres/index';
import { keepCompiled } from './compiled-database.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const root = join(import.meta.dirname, '../..');

/** What makes a cluster: another version of it makes another one. */
function version(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json')));
  for (const path of globSync('adapters/postgres/embedded/*.ts', { cwd: root }).sort())
    hash.update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

async function make(): Promise<string> {
  const kept = join(root, 'node_modules/.cache/hexforge', `cluster-${version()}`);
  if (existsSync(kept)) return kept;
  const unfinished = `${kept}.${randomBytes(6).toString('hex')}`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const storage = await openPostgres({
    directory: unfinished,
    entities: [],
    clock: systemClock,
    ids: systemIds,
    log: silent,
  });
  await storage.close();
  try {
    renameSync(unfinished, kept);
  } catch {
    // Another process was faster, and its is as good.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return kept;
}

let made: Promise<string> | undefined;

/** Lays an empty database into a data directory that is about to see its first start. */
export async function layCluster(dataDir: string): Promise<void> {
  made ??= keepCompiled().then(make);
  const from = await made;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(join(from, 'database'), join(dataDir, 'database'), { recursive: true });
}
