// The state of the in-memory storage: committed tables, and the write set of the open unit of work.
import type { EventOf } from '#core/kernel/storage/events';
import type { Key, KeyPart, Reference, TableOptions } from './database.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A state of one table: rows by key in insertion order, and for each unique constraint the key that has each value. */
interface TableState {
  readonly rows: Map<string, Row>;
  readonly uniques: ReadonlyMap<string, Map<string, string>>;
}

/** A table: its committed rows, its key and its constraints. */
export interface Table {
  readonly name: string;
  readonly key: (row: Row) => readonly KeyPart[];
  readonly uniques: ReadonlyMap<string, (row: Row) => string | undefined>;
  /** By member. */
  readonly references: ReadonlyMap<string, Reference>;
  committed: TableState;
}

/** The tables that a unit of work has written, copied; they replace the committed state at commit. */
export type WriteSet = Map<Table, TableState>;

/** The state of all tables that a statement reads and writes. */
export interface Snapshot {
  read(table: Table): TableState;
  write(table: Table): TableState;
}

/** One event for one durable subscription. */
export interface Delivered {
  readonly event: EventOf;
  attempts: number;
  error: string;
  parkedAt: Date | undefined;
}

/** A durable subscription, kept while its plugin is off. */
export interface Remembered {
  readonly plugin: string;
  readonly name: string;
  types: readonly string[];
  /** Whether the subscription no longer exists; it then has only dead letters. */
  forgotten: boolean;
  readonly waiting: Set<Delivered>;
  readonly parked: Set<Delivered>;
  missed: number;
}

/** The state that survives one opening of a memory storage. Passing it to `openMemory` again simulates a restart. */
export class Memory {
  readonly tables = new Map<string, Table>();
  readonly views = new Map<string, () => readonly object[]>();
  /** Events that were committed before delivery began. */
  readonly backlog: EventOf[] = [];
  /** The newest delivered events, for new subscriptions that ask for past ones. */
  readonly past: EventOf[] = [];
  /** Durable subscriptions by `plugin name`, with their undelivered events. */
  readonly subscriptions = new Map<string, Remembered>();
  /** The write set of the open unit of work; units of work run one at a time. */
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
   * The states that a statement changes. Inside a unit of work: its write set. Outside of one: the committed rows and
   * the write set of the open unit of work, whose commit would otherwise undo the write.
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

/** Makes the writes of a unit of work the committed state. */
export function commit(writes: WriteSet): void {
  for (const [table, state] of writes) table.committed = state;
}

/** Encodes a key: one value as its text, several as JSON, so that different keys never have the same text. */
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

/** Replaces the row with this key; undefined deletes it. */
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
