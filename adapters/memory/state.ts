// The rows themselves: committed tables, and the write set of the one unit of work that is open.
import type { EventOf } from '#core/kernel/events';
import type { Key, KeyPart, Reference, TableOptions } from './database.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One table at one moment: rows by key in insertion order, and for each unique the key that holds a value. */
interface TableState {
  readonly rows: Map<string, Row>;
  readonly uniques: ReadonlyMap<string, Map<string, string>>;
}

/** A table's committed rows, how to read them, and what they must keep to. */
export interface Table {
  readonly name: string;
  readonly key: (row: Row) => readonly KeyPart[];
  readonly uniques: ReadonlyMap<string, (row: Row) => string | undefined>;
  /** By member. */
  readonly references: ReadonlyMap<string, Reference>;
  committed: TableState;
}

/** What a unit of work has written so far, by table; it replaces the committed rows when it commits. */
export type WriteSet = Map<Table, TableState>;

/** All tables at one moment, as a statement reads and writes them. */
export interface Snapshot {
  read(table: Table): TableState;
  write(table: Table): TableState;
}

/** One event for one durable handler. */
export interface Delivered {
  readonly event: EventOf;
  attempts: number;
  error: string;
  parkedAt: Date | undefined;
}

/** A durable subscription, remembered while its plugin is off. */
export interface Remembered {
  readonly plugin: string;
  readonly name: string;
  type: string;
  /** Then it has parked events alone. */
  forgotten: boolean;
  readonly waiting: Set<Delivered>;
  readonly parked: Set<Delivered>;
  missed: number;
}

/** What outlives one opening of a memory storage: handed to `openMemory` again, it plays a restart. */
export class Memory {
  readonly tables = new Map<string, Table>();
  readonly views = new Map<string, () => readonly object[]>();
  /** Events that were committed before delivery began. */
  readonly backlog: EventOf[] = [];
  /** Durable subscriptions by `plugin name`, with what waits for them. */
  readonly subscriptions = new Map<string, Remembered>();
  /** The write set of the unit of work that is open; units of work take turns. */
  open: WriteSet | undefined;

  table(name: string, { key, uniques = {}, references = {} }: TableOptions<Row>): Table {
    const found = this.tables.get(name);
    if (found !== undefined) return found;
    const constraints = Object.entries(uniques);
    const table: Table = {
      name,
      key: partsOf(key),
      uniques: new Map(constraints.map(([constraint, value]) => [constraint, uniqueOf(value)])),
      references: new Map(Object.entries(references as Record<string, Reference>)),
      committed: { rows: new Map(), uniques: new Map(constraints.map(([constraint]) => [constraint, new Map()])) },
    };
    this.tables.set(name, table);
    return table;
  }

  /**
   * What a statement works on. Inside a unit of work: its write set. Outside: the committed rows and, lest its commit
   * undo the write, the write set of whoever is at work.
   */
  snapshots(writes: WriteSet | undefined): readonly [Snapshot, ...Snapshot[]] {
    if (writes !== undefined) return [snapshotOf(writes)];
    const { open } = this;
    if (open === undefined) return [committed];
    const other = (table: Table): TableState => open.get(table) ?? table.committed;
    return [committed, { read: other, write: other }];
  }
}

const committed: Snapshot = { read: (table) => table.committed, write: (table) => table.committed };

function snapshotOf(writes: WriteSet): Snapshot {
  return {
    read: (table) => writes.get(table) ?? table.committed,
    write(table) {
      const state = writes.get(table) ?? copied(table.committed);
      writes.set(table, state);
      return state;
    },
  };
}

/** Makes what a unit of work has written the truth. */
export function commit(writes: WriteSet): void {
  for (const [table, state] of writes) table.committed = state;
}

/** One value stands as it is; several are encoded so that no text in them can be mistaken for the next. */
export function encoded(key: Key | readonly unknown[]): string {
  if (!Array.isArray(key)) return String(key);
  return key.length === 1 ? String(key[0]) : JSON.stringify(key);
}

export const keyOf = (table: Table, row: Row): string => encoded(table.key(row));

/** The key of the row that a foreign key points to. */
export function referredKey(row: Row | undefined, member: string): string | undefined {
  const value = row?.[member];
  return value === undefined || value === null ? undefined : encoded(value as KeyPart);
}

/** Puts a row in the place of the one that has its key; undefined: deletes that one. */
export function store(table: Table, { rows, uniques }: TableState, key: string, row: Row | undefined): void {
  const before = rows.get(key);
  if (row === undefined) rows.delete(key);
  else rows.set(key, row);
  for (const [constraint, valueOf] of table.uniques) {
    const holders = uniques.get(constraint);
    const [freed, taken] = [before && valueOf(before), row && valueOf(row)];
    if (freed !== undefined && holders?.get(freed) === key) holders.delete(freed);
    if (taken !== undefined) holders?.set(taken, key);
  }
}

function partsOf(key: TableOptions<Row>['key']): Table['key'] {
  if (typeof key !== 'function') {
    const members = [key].flat();
    return (row) => members.map((member) => row[member] as KeyPart);
  }
  return (row) => [key(row)].flat();
}

type Unique = NonNullable<TableOptions<Row>['uniques']>[string];

function uniqueOf(unique: Unique): (row: Row) => string | undefined {
  const valueOf = typeof unique === 'function' ? unique : (row: Row) => unique.map((member) => row[member]);
  return (row) => {
    const value = valueOf(row);
    const unset = [value].flat().some((part) => part === undefined || part === null);
    return value === undefined || unset ? undefined : encoded(value);
  };
}

function copied({ rows, uniques }: TableState): TableState {
  return {
    rows: new Map(rows),
    uniques: new Map([...uniques].map(([constraint, holders]) => [constraint, new Map(holders)])),
  };
}
