// Sends a statement so that it cannot contain a second one, such as a `commit` after a semicolon.
import type { PreparingClient } from './prepared-statements.ts';

/** PostgreSQL's extended query protocol accepts one statement; the simple protocol runs any number of them. */
const mark = '/* alone */ ';

/** Marks a statement so that both engines send it with the extended protocol. */
export const alone = (statement: string): string => `${mark}${statement}`;

export const isAlone = (statement: string): boolean => statement.startsWith(mark);

/**
 * Applied to every client of a pool when it connects: `pg` uses the simple protocol for statements without parameters.
 */
export function sendingAlone(client: PreparingClient): void {
  const query = client.query.bind(client);
  client.query = (statement, ...rest) =>
    typeof statement === 'string' && isAlone(statement)
      ? query({ text: statement, queryMode: 'extended' })
      : query(statement, ...rest);
}
