// Shows how PostgreSQL plans the statements of a forge: none may scan a whole table that grows.
import type { Test } from 'tap';
import type { DatabaseDoor } from './servers/database-door.ts';
import type { Statement } from './statements.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  /** Of each loop. These are present if the statement was run. */
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(
  run: DatabaseDoor['run'],
  { sql, parameters }: Statement,
  options: 'format json' | 'format json, analyze',
): Promise<PlanNode> {
  const [row] = await run(`explain (${options}) ${sql}`, parameters);
  const plan = row?.['QUERY PLAN'];
  const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ readonly Plan: PlanNode }];
  return Plan;
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
    for (const statement of own) {
      const plan = await planOf(run, statement, 'format json');
      const scanned = scans(plan).filter((table) => large.includes(table));
      t.strictSame(scanned, [], `${what}: ${statement.sql.slice(0, 60)}`, { sql: statement.sql, plan });
    }
  };

const rowsOf = (node: PlanNode, table: string): number =>
  (node['Relation Name'] === table
    ? (node['Actual Loops'] ?? 0) * ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0))
    : 0) + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner, table), 0);

/** Runs a query again, and returns how many rows of a table it reads. */
export const rowsRead = async (run: DatabaseDoor['run'], statement: Statement, table: string): Promise<number> =>
  rowsOf(await planOf(run, statement, 'format json, analyze'), table);
