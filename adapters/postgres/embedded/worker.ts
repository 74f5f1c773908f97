// The worker thread that runs the embedded PostgreSQL: it answers one statement after the other, so that a slow one
// never blocks the server's event loop.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { typeParsers } from '../type-parsers.ts';
import { DurableNodeFS, durableStart } from './durable-fs.ts';
import type { Answer, Request } from './thread.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a worker thread');
const { directory } = workerData as { readonly directory: string };

const files = new DurableNodeFS(directory);
const opening = PGlite.create({
  fs: files,
  startParams: durableStart,
  extensions: { pg_trgm },
  parsers: { ...typeParsers },
});

// What opening has read (the program, its files) is tens of megabytes that nothing else would make the collector look
// for.
void opening.then(
  () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  },
  () => undefined,
);

async function answer(request: Request): Promise<Omit<Answer, 'id'>> {
  const database = await opening;
  switch (request.ask) {
    case 'query': {
      // Without parameters the simple protocol does: one call into WebAssembly instead of five.
      const result =
        request.parameters.length === 0
          ? (await database.exec(request.sql)).at(-1)
          : await database.query(request.sql, [...request.parameters]);
      return { rows: result?.rows ?? [], affected: result?.affectedRows ?? 0 };
    }
    case 'syncs':
      return { rows: [files.syncs], affected: 0 };
    case 'close':
      await database.close();
      return { rows: [], affected: 0 };
  }
}

let last = Promise.resolve();
port.on('message', (request: Request) => {
  last = last.then(async () => {
    try {
      port.postMessage({ id: request.id, ...(await answer(request)) } satisfies Answer);
    } catch (error) {
      const { message, code, constraint, table } = error as Error &
        Record<'code' | 'constraint' | 'table', string | undefined>;
      // A WebAssembly abort leaves memory in an unknown state: nothing may be written from it any more.
      const fatal = error instanceof WebAssembly.RuntimeError || message.startsWith('Aborted(');
      port.postMessage({
        id: request.id,
        rows: [],
        affected: 0,
        error: { message, code: fatal ? 'ERR_DATABASE_THREAD' : code, constraint, table },
      } satisfies Answer);
      if (fatal)
        setImmediate(() => {
          throw error;
        });
    }
    if (request.ask === 'close') port.close();
  });
});
