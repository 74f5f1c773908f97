// Implements `Rows` for one table in memory.
import { offsetOf } from '#core/kernel/page';
import type { RowQuery, Rows, RowSet } from '#core/kernel/storage/rows';
import type { Key, MemoryTable, Query } from './database.ts';
import { comesAfter, liesIn, matching } from './query.ts';

/** @param keyOf the key of a row, as the table declares it. */
export function memoryRows<Row extends object>(table: MemoryTable<Row>, keyOf: (row: Row) => Key): Rows<Row> {
  const query = ({
    where,
    among = {},
    ranges = {},
    after,
    orderBy = [],
    ...slice
  }: RowSet<Row> & Partial<RowQuery<Row>>) => {
    const equal = matching(where);
    const members = Object.entries<readonly unknown[]>(among as Readonly<Record<string, readonly unknown[]>>).map(
      ([member, values]) => values.map((value) => matching({ [member]: value })),
    );
    const wanted = (row: Readonly<Record<string, unknown>>): boolean =>
      equal(row) &&
      members.every((values) => values.some((has) => has(row))) &&
      Object.entries<object | undefined>(ranges).every(([member, range]) => liesIn(row[member], range ?? {})) &&
      (after === undefined || comesAfter(row, after, orderBy as readonly string[]));
    return { where: wanted, orderBy, ...slice } as unknown as Query<Row> & { readonly where: (row: Row) => boolean };
  };
  return {
    async insert(row) {
      table.insert(row);
      return row;
    },
    async addMany(rows) {
      const added = rows.filter((row) => table.get(keyOf(row)) === undefined);
      for (const row of added) table.insert(row);
      return added.length;
    },
    async put(row) {
      const before = table.get(keyOf(row));
      table.upsert({ ...before, ...row });
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
    async insertMany(rows) {
      for (const row of rows) table.insert(row);
    },
    async updateMany(rows, patch) {
      for (const row of table.find(query(rows))) table.update(keyOf(row), patch);
    },
    async deleteMany(rows) {
      table.deleteWhere(query(rows).where);
    },
    async replace(where, rows) {
      table.deleteWhere(where);
      for (const row of rows) table.insert(row);
    },
    findOne: async (where) => table.findOne(where),
    // Units of work run one at a time here, so nothing needs a lock.
    find: async (asked) => table.find(query(asked)),
    count: async (where) => table.count(where),
    hold: async () => undefined,
    page: async (asked, page) => ({
      items: table.find({ ...query(asked), limit: page.perPage, offset: offsetOf(page) }),
      total: table.count(query(asked).where),
      ...page,
    }),
  } satisfies Rows<Row>;
}
