// An empty embedded database to start from: making one takes ten seconds of a processor, so it is made once and kept.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemIds } from '#adapters/memory/index';
import { openPostgres } from '#adapters/postgres/index';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** Of this package, where bin/hexforge.js caches too: no other user can put anything there. */
const root = join(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/hexforge');
const engine = (file: string): string => fileURLToPath(new URL(file, import.meta.resolve('@electric-sql/pglite')));

/** What makes a cluster: another version of it makes another one. */
function version(): string {
  const hash = createHash('sha256').update(readFileSync(engine('../package.json')));
  const ours = join(root, 'adapters/postgres/embedded');
  for (const name of readdirSync(ours).sort()) {
    if (/(?<!\.d)\.[jt]s$/.test(name)) hash.update(readFileSync(join(ours, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Where nothing can be kept beside the package, for this process alone. */
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

/** Where it is kept, once it has been made. */
export const keptCluster = (): string => join(cache, `cluster-${version()}`);

async function make(): Promise<string> {
  const kept = keptCluster();
  if (existsSync(kept)) return kept;
  const unfinished = writableCache();
  const storage = await openPostgres({
    directory: unfinished,
    entities: [],
    clock: systemClock,
    ids: systemIds,
    log: silent,
  });
  await storage.close();
  if (!unfinished.startsWith(cache)) return unfinished;
  try {
    renameSync(unfinished, kept);
  } catch {
    // Another process was faster, and its is as good.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return kept;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * The embedded database's program, compiled once and kept: V8 gives every thread of this process what is compiled
 * already, instead of a second of a processor each.
 */
const keepCompiled = (): Promise<WebAssembly.Module> =>
  (compiled ??= readFile(engine('pglite.wasm')).then((bytes) => WebAssembly.compile(bytes)));

let made: Promise<string> | undefined;

/** Lays an empty database into a data directory that is about to see its first start. */
export async function layCluster(dataDir: string): Promise<void> {
  made ??= keepCompiled().then(make);
  const from = await made;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // At once: the asynchronous copy of a thousand small files takes ten times as long.
  cpSync(join(from, 'database'), join(dataDir, 'database'), { recursive: true });
}
