// The worker thread that runs the embedded PostgreSQL: it runs one statement at a time, and a slow one does not block
// the server's event loop.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type Results } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { isAlone } from '../statements/single-statement.ts';
import { typeParsers } from '../statements/type-parsers.ts';
import { DurableNodeFS, durableStart } from './durable-fs.ts';
import { inMebibytes } from './free-space.ts';
import { PanicWatch } from './panic.ts';
import { PreparedReads } from './prepared-reads.ts';
import type { DriverError } from '../statements/errors.ts';
import { codeOfEnd, type Answer, type Notice, type Request, type ThreadData } from './thread.ts';
import { Upkeep } from './upkeep.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a worker thread');
const { directory, upkeep: bounds } = workerData as ThreadData;

const tell = (notice: Notice): void => port.postMessage(notice);
const panics = new PanicWatch((reason) => {
  tell({ notice: 'panic', reason });
  process.exit(1);
});
const files = new DurableNodeFS(directory, panics.hooks);
const opening = PGlite.create({
  fs: files,
  startParams: durableStart,
  extensions: { pg_trgm },
  parsers: { ...typeParsers },
});

let opened = false;
void opening.then(
  (database) => {
    opened = true;
    panics.guard(database);
    // Opening has read tens of megabytes (the program, its files), which would otherwise stay uncollected.
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  },
  () => undefined,
);

const upkeep = new Upkeep({
  directory,
  bounds,
  written: () => files.syncs,
  execute: async (sql) => (await (await opening).exec(sql)).at(-1)?.rows ?? [],
  vacuuming: (running) => tell({ notice: 'vacuum', running }),
  changed: (refusing, free) => tell({ notice: 'space', refusing, free: inMebibytes(free) }),
});

let reads: PreparedReads | undefined;

async function run(database: PGlite, sql: string, parameters: readonly unknown[]): Promise<Omit<Answer, 'id'>> {
  const answerOf = (result: Results | undefined) => ({ rows: result?.rows ?? [], affected: result?.affectedRows ?? 0 });
  reads ??= new PreparedReads(database);
  const rows = await reads.rows(sql, parameters);
  if (rows !== undefined) return { rows, affected: 0 };
  // Without parameters the simple protocol is used: one call into WebAssembly instead of six.
  if (parameters.length === 0 && !isAlone(sql)) return answerOf((await database.exec(sql)).at(-1));
  return answerOf(await database.query(sql, [...parameters]));
}

/** Only the dialect opens and ends transactions, with exactly these statements. */
const opens = new Set(['begin']);
const ends = new Set(['commit', 'rollback']);
let inTransaction = false;

async function query({ sql, parameters }: Request & { readonly ask: 'query' }): Promise<Omit<Answer, 'id'>> {
  const database = await opening;
  if (!inTransaction) await upkeep.before();
  if (opens.has(sql)) inTransaction = true;
  try {
    return await run(database, sql, parameters);
  } finally {
    if (ends.has(sql)) inTransaction = false;
  }
}

async function answer(request: Request): Promise<Omit<Answer, 'id'>> {
  switch (request.ask) {
    case 'query':
      return await query(request);
    case 'syncs':
      await opening;
      return { rows: [files.syncs], affected: 0 };
    case 'close':
      await (await opening).close();
      return { rows: [], affected: 0 };
  }
}

/** SQLSTATE read_only_sql_transaction: the database is only read-only for lack of space. */
const readOnly = '25006';

function told(error: unknown): DriverError {
  const { message, code, constraint, table } = error as Error &
    Record<'code' | 'constraint' | 'table', string | undefined>;
  if (code === readOnly && upkeep.refusing) return { message: 'the disk is nearly full', code: 'ENOSPC' };
  if (!opened) {
    const reason = panics.reason ?? message;
    return { message: reason, code: codeOfEnd(reason) };
  }
  return { message, code, constraint, table };
}

async function maintain(quiet: boolean): Promise<void> {
  if (!opened || inTransaction || closing) return;
  try {
    await upkeep.before();
    await upkeep.after(quiet);
  } catch (error) {
    tell({ notice: 'upkeep failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

let last = Promise.resolve();
let closing = false;
let asked = false;
port.on('message', (request: Request) => {
  asked = true;
  last = last.then(async () => {
    if (request.ask === 'close') closing = true;
    try {
      port.postMessage({ id: request.id, ...(await answer(request)) } satisfies Answer);
    } catch (error) {
      port.postMessage({ id: request.id, rows: [], affected: 0, error: told(error) } satisfies Answer);
    }
    await maintain(false);
    if (request.ask === 'close') port.close();
  });
});
// While idle, checkpoints the last writes and detects freed disk space.
setInterval(() => {
  const quiet = !asked;
  asked = false;
  if (quiet) last = last.then(() => maintain(true));
}, 1000).unref();
