// Records the statements that the forges of this process send to their databases, on either SQL engine.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Query = (this: unknown, statement: unknown, ...rest: readonly unknown[]) => unknown;

/** The driver that MikroORM uses. */
const pg = (): { readonly Client: { readonly prototype: { query: Query } } } =>
  createRequire(createRequire(import.meta.url).resolve('@mikro-orm/postgresql'))('pg');

/** Arguments of a `pg` client's query: a text with its values, or both in an object. */
function asked(statement: unknown, values: unknown): Statement | undefined {
  if (typeof statement === 'string') return { sql: statement, parameters: Array.isArray(values) ? values : [] };
  const { text, values: own = values } = statement as { readonly text?: string; readonly values?: unknown };
  return text === undefined ? undefined : asked(text, own);
}

const ofTransactions = /^(?:begin|commit|rollback|set local)\b/i;

export type Recorder = (work: () => Promise<unknown>) => Promise<readonly Statement[]>;

/**
 * Call it before the forges start, because clients keep the `query` they were created with. Recording is never switched
 * off in this process.
 * @returns the statements sent while `work` runs, in order, except those on the forge's internal tables and those that
 * begin, limit or end a transaction, because the delivery of events has transactions too.
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
    return sent.filter(({ sql }) => !sql.includes('hexforge_') && !ofTransactions.test(sql));
  };
}
