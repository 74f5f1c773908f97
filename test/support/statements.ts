// What the forges of this process send to their databases, on either engine.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Query = (this: unknown, statement: unknown, ...rest: readonly unknown[]) => unknown;

/** The driver that MikroORM has. */
const pg = (): { readonly Client: { readonly prototype: { query: Query } } } =>
  createRequire(createRequire(import.meta.url).resolve('@mikro-orm/postgresql'))('pg');

/** Of a client of `pg`: a text with its values, or both in an object. */
function asked(statement: unknown, values: unknown): Statement | undefined {
  if (typeof statement === 'string') return { sql: statement, parameters: Array.isArray(values) ? values : [] };
  const { text, values: own = values } = statement as { readonly text?: string; readonly values?: unknown };
  return text === undefined ? undefined : asked(text, own);
}

export type Recorder = (work: () => Promise<unknown>) => Promise<readonly Statement[]>;

/**
 * Made before the forges start, for clients keep the `query` that they begin with; the process stays recorded.
 *
 * @returns what is sent while `work` runs, in its order, without what is about the forge's own tables.
 */
export function statementRecorder(): Recorder {
  let sent: Statement[] = [];
  const { prototype } = pg().Client;
  const { query } = prototype;
  prototype.query = function (this: unknown, statement, ...rest) {
    const one = asked(statement, rest[0]);
    if (one !== undefined) sent.push(one);
    return query.call(this, statement, ...rest);
  };
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: []) {
    const { ask, sql, parameters } = message as { readonly ask?: string } & Statement;
    if (ask === 'query') sent.push({ sql, parameters });
    post.call(this, message, ...rest);
  };
  return async (work) => {
    sent = [];
    await work();
    return sent.filter(({ sql }) => !sql.includes('hexforge_'));
  };
}
