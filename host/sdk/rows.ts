// The store of a simple resource on every engine, from its entity: no query, no twin.
import type { MemoryDatabase, TableOptions } from '#adapters/memory/database';
import { memoryRows } from '#adapters/memory/rows';
import type { SqlDatabase } from '#adapters/postgres/database';
import { sqlRows, tableOf } from '#adapters/postgres/rows';
import type { Rows } from '#core/kernel/rows';

/**
 * A row of `stores`: `Rows` over the table of an entity whose columns have the names of its members in snake case.
 *
 * @example
 *   stores: {
 *     labels: rows<Label>(LabelTable, {
 *       uniques: { planning_label_name: ['repositoryId', 'nameKey'] },
 *       references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
 *     }),
 *   },
 *
 * @param constraints of the table as its migrations declare them, for the database in memory. The key is `id`.
 */
export const rows = <Row extends { readonly id: string }>(
  entity: { readonly meta: object },
  constraints: Omit<TableOptions<Row>, 'key'> = {},
): { sql(db: SqlDatabase): Rows<Row>; memory(db: MemoryDatabase): Rows<Row> } => ({
  sql: (db) => sqlRows<Row>(db, entity),
  memory: (db) => memoryRows(db.table<Row>(tableOf(entity), { ...constraints, key: ({ id }) => id }), ({ id }) => id),
});
