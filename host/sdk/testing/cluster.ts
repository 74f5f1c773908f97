// Makes an empty embedded database once and caches it for all test hosts, because making one takes ten seconds of CPU
// time.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres, type PostgresOptions, type PostgresStorage } from '#adapters/postgres/index';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** The cache folder of this package, which bin/hexforge.js also uses. Other users cannot write to it. */
const root = join(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/hexforge');
const engine = (file: string): string => fileURLToPath(new URL(file, import.meta.resolve('@electric-sql/pglite')));

/** A hash of the code that makes a cluster: if the code changes, another cluster is made. */
function version(): string {
  const hash = createHash('sha256').update(readFileSync(engine('../package.json')));
  const ours = join(root, 'adapters/postgres/embedded');
  for (const name of readdirSync(ours).sort()) {
    if (/(?<!\.d)\.[jt]s$/.test(name)) hash.update(readFileSync(join(ours, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** A folder for a new cluster. If the cache cannot be written, the folder only lasts as long as this process. */
function writableCache(): string {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(cache, 'cluster-'));
  } catch {
    const folder = mkdtempSync(join(tmpdir(), 'hexforge-cluster-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
}

/** The folder of the cached cluster, which may not exist yet. */
export const keptCluster = (): string => join(cache, `cluster-${version()}`);

/** Opens a database for no plugin. */
export const openEmpty = (where: Pick<PostgresOptions, 'directory' | 'url'>): Promise<PostgresStorage> =>
  openPostgres({ ...where, entities: [], clock: systemClock, ids: systemIds, log: silent });

async function make(): Promise<string> {
  const kept = keptCluster();
  if (existsSync(kept)) return kept;
  const unfinished = writableCache();
  await (await openEmpty({ directory: unfinished })).close();
  if (!unfinished.startsWith(cache)) return unfinished;
  try {
    renameSync(unfinished, kept);
  } catch {
    // Another process was faster; its cluster is used.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return kept;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * Compiles the embedded database's program once and keeps it. V8 then shares the compiled code with every thread of
 * this process, which saves a second of CPU time each.
 */
const keepCompiled = (): Promise<WebAssembly.Module> =>
  (compiled ??= readFile(engine('pglite.wasm')).then((bytes) => WebAssembly.compile(bytes)));

let made: Promise<string> | undefined;

/** Copies an empty database into a data directory before its first start. */
export async function layCluster(dataDir: string): Promise<void> {
  made ??= keepCompiled().then(make);
  const from = await made;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Synchronous, because the asynchronous copy of a thousand small files takes ten times as long.
  cpSync(join(from, 'database'), join(dataDir, 'database'), { recursive: true });
}
