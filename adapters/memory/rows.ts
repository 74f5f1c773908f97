// Rows of one table in memory, found by equal members.
import type { RowQuery, Rows } from '#core/kernel/rows';
import type { Key, MemoryTable, Query } from './database.ts';

/** @param keyOf what the table tells its rows apart by. */
export function memoryRows<Row extends object>(table: MemoryTable<Row>, keyOf: (row: Row) => Key): Rows<Row> {
  const query = ({ where, orderBy }: RowQuery<Row>) => ({ where, orderBy }) as unknown as Query<Row>;
  return {
    async insert(row) {
      table.insert(row);
      return row;
    },
    async update(where, patch) {
      const row = table.findOne(where);
      if (row === undefined) return undefined;
      table.update(keyOf(row), patch);
      return { ...row, ...patch };
    },
    async delete(where) {
      const row = table.findOne(where);
      return row !== undefined && table.delete(keyOf(row)) ? row : undefined;
    },
    findOne: async (where) => table.findOne(where),
    find: async (asked) => table.find(query(asked)),
    page: async (asked, { page, perPage }) => ({
      items: table.find({ ...query(asked), limit: perPage, offset: (page - 1) * perPage }),
      total: table.count(asked.where),
      page,
      perPage,
    }),
  } satisfies Rows<Row>;
}
