// Makes the stores of a simple resource from its entity, in SQL and in memory.
import type { MemoryDatabase, MemoryTable, Reference, TableOptions } from '#adapters/memory/database';
import { memoryRows } from '#adapters/memory/rows';
import { keyMembersOf, tableOf, type TableEntity } from '#adapters/postgres/statements/columns';
import type { SqlDatabase } from '#adapters/postgres/statements/database';
import { sqlRows } from '#adapters/postgres/statements/rows';
import type { Rows } from '#core/kernel/storage/rows';

/** One table in SQL and in memory. */
export interface TableRows<Row extends object> {
  sql(db: SqlDatabase): Rows<Row>;
  /** `table` is for stores with other queries. */
  memory(db: MemoryDatabase): Rows<Row> & { readonly table: MemoryTable<Row> };
}

/** The constraints of a table that its entity does not state. */
export interface RowConstraints<Row extends object> extends Pick<TableOptions<Row>, 'uniques'> {
  /** As in the options of a table in memory; `set null` writes null, as in SQL. */
  readonly references?: {
    readonly [M in keyof Row & string]?: Reference<null extends Row[M] ? undefined : Row[M]>;
  };
}

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
 * @param constraints The constraints that the migrations declare, for the database in memory. The key is the entity's.
 */
export function rows<Row extends object>(
  entity: TableEntity,
  { uniques, references = {} }: RowConstraints<Row> = {},
): TableRows<Row> {
  const members = keyMembersOf(entity) as readonly (keyof Row & string)[];
  const key = (row: Row) => members.map((member) => row[member] as string | number);
  const options = {
    key,
    ...(uniques && { uniques }),
    references: Object.fromEntries(
      Object.entries<Reference>(references as unknown as Readonly<Record<string, Reference>>).map(
        ([member, reference]) => [member, { ...reference, unset: null }],
      ),
    ),
  } as unknown as TableOptions<Row>;
  return {
    sql: (db) => sqlRows<Row>(db, entity),
    memory(db) {
      const table = db.table<Row>(tableOf(entity), options);
      return { ...memoryRows(table, key), table };
    },
  };
}

/**
 * A member of `stores`: a store that needs no other statements than those of `Rows`, written once for SQL and memory.
 *
 * @example
 *   const labelStore = storeOf({ labels: rows<Label>(LabelTable) }, ({ labels }) => ({
 *     countIn: (repositoryId: string) => labels.count({ repositoryId }),
 *   }));
 */
export const storeOf = <R extends Readonly<Record<string, object>>, S>(
  tables: { readonly [M in keyof R]: TableRows<R[M]> },
  build: (rows: { readonly [M in keyof R]: Rows<R[M]> }) => S,
): { sql(db: SqlDatabase): S; memory(db: MemoryDatabase): S } => {
  const over = (rowsOf: (table: TableRows<R[keyof R]>) => unknown): S =>
    build(
      Object.fromEntries(Object.entries(tables).map(([member, table]) => [member, rowsOf(table)])) as {
        readonly [M in keyof R]: Rows<R[M]>;
      },
    );
  return { sql: (db) => over((table) => table.sql(db)), memory: (db) => over((table) => table.memory(db)) };
};
