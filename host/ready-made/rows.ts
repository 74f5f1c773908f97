// Makes the stores of a simple resource from its entity, in SQL and in memory.
import type { MemoryDatabase, TableOptions } from '#adapters/memory/database';
import { memoryRows } from '#adapters/memory/rows';
import type { SqlDatabase } from '#adapters/postgres/statements/database';
import { sqlRows, tableOf } from '#adapters/postgres/statements/rows';
import type { Rows } from '#core/kernel/storage/rows';

/**
 * A member of `stores`: `Rows` over the table of an entity. The column names must be the member names in snake case.
 *
 * @example
 *   stores: {
 *     labels: rows<Label>(LabelTable, {
 *       uniques: { planning_label_name: ['repositoryId', 'nameKey'] },
 *       references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
 *     }),
 *   },
 *
 * @param constraints The constraints that the migrations declare, for the database in memory. The key is `id`.
 */
export const rows = <Row extends { readonly id: string }>(
  entity: { readonly meta: object },
  constraints: Omit<TableOptions<Row>, 'key'> = {},
): { sql(db: SqlDatabase): Rows<Row>; memory(db: MemoryDatabase): Rows<Row> } => ({
  sql: (db) => sqlRows<Row>(db, entity),
  memory: (db) => memoryRows(db.table<Row>(tableOf(entity), { ...constraints, key: ({ id }) => id }), ({ id }) => id),
});
