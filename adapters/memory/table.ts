// The statements of one table, inside or outside of a unit of work.
import { Duplicate } from '#core/kernel/errors';
import { apply, deleting, verify, writing, type Changes } from './constraints.ts';
import type { MemoryTable } from './database.ts';
import { matching, selected } from './query.ts';
import { encoded, keyOf, type Memory, type Row, type Snapshot, type Table, type WriteSet } from './state.ts';

/** The unit of work in whose context a statement runs. */
export interface Transaction {
  /** Undefined outside of a unit of work. @throws {Error} if it was rolled back. */
  writes(): WriteSet | undefined;
  /** Records that a statement was rejected: like a database transaction, the unit of work can then only roll back. */
  refused(): void;
}

export function memoryTable(memory: Memory, table: Table, transaction: Transaction): MemoryTable<Row> {
  const snapshots = () => memory.snapshots(transaction.writes());
  const rows = () => snapshots()[0].read(table).rows;
  /** Applies all changes if every one is allowed, otherwise none of them. */
  const execute = (plan: (snapshot: Snapshot) => Changes): void => {
    const targets = snapshots();
    try {
      const planned = targets.map((snapshot) => [snapshot, plan(snapshot)] as const);
      for (const [snapshot, changes] of planned) verify(memory, snapshot, changes);
      for (const [snapshot, changes] of planned) apply(snapshot, changes);
    } catch (error) {
      transaction.refused();
      throw error;
    }
  };
  /** @returns how many rows matched, in the snapshot with the most matches. */
  const remove = (keysIn: (rows: ReadonlyMap<string, Row>) => readonly string[]): number => {
    let count = 0;
    execute((snapshot) => {
      const keys = keysIn(snapshot.read(table).rows);
      count = Math.max(count, keys.length);
      return deleting(memory, snapshot, table, keys);
    });
    return count;
  };

  return {
    insert(row) {
      const key = keyOf(table, row);
      const copy = structuredClone(row);
      execute((snapshot) => {
        if (snapshot.read(table).rows.has(key)) throw new Duplicate(`${table.name}_pkey`);
        return writing(table, key, copy);
      });
    },
    upsert(row) {
      const copy = structuredClone(row);
      execute(() => writing(table, keyOf(table, row), copy));
    },
    update(key, patch) {
      const copy = structuredClone(patch);
      let found = false;
      execute((snapshot) => {
        const row = snapshot.read(table).rows.get(encoded(key));
        if (row === undefined) return new Map();
        found = true;
        return writing(table, encoded(key), { ...row, ...copy });
      });
      return found;
    },
    delete: (key) => remove((existing) => [encoded(key)].filter((one) => existing.has(one))) > 0,
    deleteWhere: (where) =>
      remove((existing) => {
        const matches = matching(where);
        return [...existing].filter(([, row]) => matches(row)).map(([key]) => key);
      }),
    get: (key) => structuredClone(rows().get(encoded(key))),
    findOne: (where) => structuredClone(rows().values().find(matching(where))),
    find: (query = {}) => selected(table, rows().values(), query).map((row) => structuredClone(row)),
    count: (where) => (where === undefined ? rows().size : selected(table, rows().values(), { where }).length),
    all: () => [...rows().values()].map((row) => structuredClone(row)),
  } satisfies MemoryTable<Row>;
}
