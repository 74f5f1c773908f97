// Asserts how PostgreSQL plans the statements of a forge: none may scan a whole table that grows.
import type { Test } from 'tap';
import type { DatabaseDoor } from './servers/database-door.ts';
import type { Statement } from './statements.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const scans = (node: PlanNode): readonly string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
  ...(node.Plans ?? []).flatMap(scans),
];

export type Planned = (t: Test, what: string, statements: readonly Statement[]) => Promise<void>;

/**
 * @param large the tables that grow.
 * @returns an assertion for the statements that name such a table, planned with the values they were sent with.
 */
export const planned =
  (run: DatabaseDoor['run'], large: readonly string[]): Planned =>
  async (t, what, statements) => {
    const own = statements.filter(({ sql }) => large.some((table) => sql.includes(table)));
    t.not(own.length, 0, `${what} asks the database`);
    for (const { sql, parameters } of own) {
      const [row] = await run(`explain (format json) ${sql}`, parameters);
      const plan = row?.['QUERY PLAN'];
      const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ readonly Plan: PlanNode }];
      const scanned = scans(Plan).filter((table) => large.includes(table));
      t.strictSame(scanned, [], `${what}: ${sql.slice(0, 60)}`, { sql, Plan });
    }
  };
