// The store of a simple resource on every engine, from its entity: no query, no twin.
import type { InferEntity } from '@mikro-orm/core';
import type { MemoryDatabase, TableOptions } from '#adapters/memory/database';
import { memoryRows } from '#adapters/memory/rows';
import type { SqlDatabase } from '#adapters/postgres/database';
import { sqlRows } from '#adapters/postgres/rows';
import type { Rows } from '#core/kernel/rows';

/**
 * A row of `stores`: `Rows` over the table of an entity whose columns have the names of its members in snake case.
 *
 * @example
 *   stores: {
 *     labels: rows(LabelTable, {
 *       uniques: { planning_label_name: ['repositoryId', 'nameKey'] },
 *       references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
 *     }),
 *   },
 *
 * @param constraints of the table as its migrations declare them, for the database in memory. The key is `id`.
 */
export const rows = <
  E extends { readonly meta: object },
  Row extends { readonly id: string } = InferEntity<E> & { readonly id: string },
>(
  entity: E,
  constraints: Omit<TableOptions<Row>, 'key'> = {},
): { sql(db: SqlDatabase): Rows<Row>; memory(db: MemoryDatabase): Rows<Row> } => ({
  sql: (db) => sqlRows(db, entity) as unknown as Rows<Row>,
  memory: (db) =>
    memoryRows(
      db.table<Row>((entity.meta as { tableName: string }).tableName, { ...constraints, key: ({ id }) => id }),
      ({ id }) => id,
    ),
});
