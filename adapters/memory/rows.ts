// Rows of one table in memory, found by equal members.
import type { RowQuery, Rows } from '#core/kernel/rows';
import type { Key, MemoryTable, Query } from './database.ts';

/** @param keyOf what the table tells its rows apart by. */
export function memoryRows<Row extends object>(table: MemoryTable<Row>, keyOf: (row: Row) => Key): Rows<Row> {
  const found = (where: Readonly<Partial<Row>>) => table.find({ where }).map(keyOf);
  const query = ({ where, orderBy }: RowQuery<Row>) => ({ where, orderBy }) as unknown as Query<Row>;
  return {
    insert: async (row) => table.insert(row),
    update: async (where, patch) =>
      found(where)
        .map((key) => table.update(key, patch))
        .includes(true),
    delete: async (where) => table.deleteWhere(where) > 0,
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
