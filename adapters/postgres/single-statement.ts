// One statement at a time: what is sent so cannot hold a second one, such as a `commit` behind a semicolon.
import type { PreparingClient } from './prepared-statements.ts';

/** PostgreSQL's extended query protocol takes one statement; the simple one takes any number and obeys each. */
const mark = '/* alone */ ';

/** Marks a statement so that either engine sends it by the extended protocol. */
export const alone = (statement: string): string => `${mark}${statement}`;

export const isAlone = (statement: string): boolean => statement.startsWith(mark);

/** For every client of a pool, as it connects: `pg` uses the simple protocol for what has no parameters. */
export function sendingAlone(client: PreparingClient): void {
  const query = client.query.bind(client);
  client.query = (statement, ...rest) =>
    typeof statement === 'string' && isAlone(statement)
      ? query({ text: statement, queryMode: 'extended' })
      : query(statement, ...rest);
}
