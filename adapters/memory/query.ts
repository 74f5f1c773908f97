// Selects, orders and slices the rows of a query.
import type { RangeBound } from '#core/kernel/storage/rows';
import type { Order, Query, Where } from './database.ts';
import type { Row, Table } from './state.ts';

/** Returns the rows themselves, not copies. */
export function selected(table: Table, rows: Iterable<Row>, query: Query<Row>): Row[] {
  const { where, orderBy, limit = Infinity, offset = 0 } = query;
  const found = [...rows].filter(matching(where));
  return (orderBy === undefined ? found : found.sort(comparing(table, [orderBy].flat()))).slice(offset, offset + limit);
}

export function matching(where: Where<Row> = {}): (row: Row) => boolean {
  if (typeof where === 'function') return where;
  const wanted = Object.entries(where);
  return (row) => wanted.every(([member, value]) => scalar(row[member]) === scalar(value));
}

function comparing(table: Table, orders: readonly Order<Row>[]): (a: Row, b: Row) => number {
  const terms = orders.map((order) => {
    const [term, sign] = typeof order === 'object' ? [order.desc, -1] : [order, 1];
    return { sign, valueOf: typeof term === 'function' ? term : (row: Row) => row[term] };
  });
  return (a, b) => {
    for (const { sign, valueOf } of terms) {
      const order = compare(valueOf(a), valueOf(b));
      if (order !== 0) return sign * order;
    }
    const [keyOfA, keyOfB] = [table.key(a), table.key(b)];
    return keyOfA.map((part, index) => compare(part, keyOfB[index])).find((order) => order !== 0) ?? 0;
  };
}

/** Whether `row` sorts after `other` in the ascending order of these members. */
export function comesAfter(row: Row, other: Row, members: readonly string[]): boolean {
  const orders = members.map((member) => compare(row[member], other[member]));
  return (orders.find((order) => order !== 0) ?? 0) > 0;
}

/** Whether a value lies in a range. */
export function liesIn(value: unknown, range: Readonly<Partial<Record<RangeBound, unknown>>>): boolean {
  if (value === null || value === undefined) return false;
  return Object.entries(range).every(([bound, limit]) => {
    if (limit === undefined) return true;
    const order = compare(value, limit);
    return (order === 0 && bound.endsWith('=')) || (bound.startsWith('<') ? order < 0 : order > 0);
  });
}

function compare(one: unknown, other: unknown): number {
  const [a, b] = [scalar(one), scalar(other)];
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}

/** A value that `===` and `<` can compare; null counts as unset. */
function scalar(value: unknown): string | number | boolean | undefined {
  return (value instanceof Date ? value.getTime() : (value ?? undefined)) as string | number | boolean | undefined;
}
