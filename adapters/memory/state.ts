// The rows themselves: committed tables, and the drafts of the one unit of work that is open.
import { Duplicate } from '#core/kernel/errors';
import type { EventOf } from '#core/kernel/events';
import type { MemoryDatabase, MemoryTable } from './database.ts';

type Row = object;
type TableOptions = Parameters<MemoryDatabase['table']>[1];

/** One table at one moment: rows by key in insertion order, and for each unique the key that holds a value. */
interface Content {
  readonly rows: Map<string, Row>;
  readonly uniques: ReadonlyMap<string, Map<string, string>>;
}

/** A table's committed rows and how to read them. */
export interface Shelf {
  readonly name: string;
  readonly key: (row: Row) => string;
  readonly uniqueOf: ReadonlyMap<string, (row: Row) => string | undefined>;
  committed: Content;
}

/** What a unit of work has written so far, by table; it replaces the committed rows when it commits. */
export type Drafts = Map<Shelf, Content>;

/** What outlives one opening of a memory storage: handed to `openMemory` again, it plays a restart. */
export class Memory {
  readonly shelves = new Map<string, Shelf>();
  readonly views = new Map<string, () => readonly Row[]>();
  /** Events not yet delivered to anyone. */
  readonly backlog: EventOf[] = [];
  /** The drafts of the unit of work that is open; units of work take turns. */
  open: Drafts | undefined;

  shelf(name: string, { key, uniques }: TableOptions): Shelf {
    const found = this.shelves.get(name);
    if (found !== undefined) return found;
    const uniqueOf = new Map(Object.entries(uniques ?? {}));
    const shelf: Shelf = {
      name,
      key: key as Shelf['key'],
      uniqueOf: uniqueOf as Shelf['uniqueOf'],
      committed: {
        rows: new Map(),
        uniques: new Map([...uniqueOf.keys()].map((constraint) => [constraint, new Map()])),
      },
    };
    this.shelves.set(name, shelf);
    return shelf;
  }
}

/** Where a table reads and writes at this moment. */
export interface Standpoint {
  /** The drafts of the unit of work of this context. @throws {Error} where it was rolled back. */
  drafts(): Drafts | undefined;
  /** Told that a statement of the unit of work was refused: like a database, it can then only roll back. */
  refused(): void;
}

export function memoryTable<R extends object>(memory: Memory, shelf: Shelf, standpoint: Standpoint): MemoryTable<R> {
  const reading = (): Content => standpoint.drafts()?.get(shelf) ?? shelf.committed;
  const drafted = (drafts: Drafts): Content => {
    const content = drafts.get(shelf) ?? copied(shelf.committed);
    drafts.set(shelf, content);
    return content;
  };
  /**
   * Inside: the draft. Outside: the committed rows and, lest its commit undo the write, the draft of whoever is at
   * work.
   */
  const writing = (): readonly Content[] => {
    const drafts = standpoint.drafts();
    if (drafts !== undefined) return [drafted(drafts)];
    const other = memory.open?.get(shelf);
    return other === undefined ? [shelf.committed] : [shelf.committed, other];
  };
  const put = (key: string, row: Row): void => {
    const contents = writing();
    for (const content of contents) {
      const clash = clashOf(shelf, content, key, row);
      if (clash === undefined) continue;
      standpoint.refused();
      throw new Duplicate(clash);
    }
    for (const content of contents) store(shelf, content, key, row);
  };

  return {
    insert(row) {
      const key = shelf.key(row);
      if (reading().rows.has(key)) {
        standpoint.refused();
        throw new Duplicate(`${shelf.name}_pkey`);
      }
      put(key, structuredClone(row));
    },
    update(key, patch) {
      const row = reading().rows.get(key);
      if (row !== undefined) put(key, { ...row, ...structuredClone(patch) });
    },
    delete(key) {
      return writing()
        .map((content) => erase(shelf, content, key))
        .includes(true);
    },
    get: (key) => structuredClone(reading().rows.get(key)) as R | undefined,
    all: () => [...reading().rows.values()].map((row) => structuredClone(row)) as R[],
  } satisfies MemoryTable<R>;
}

/** Makes what a unit of work has written the truth. */
export function commit(drafts: Drafts): void {
  for (const [shelf, content] of drafts) shelf.committed = content;
}

function copied({ rows, uniques }: Content): Content {
  return {
    rows: new Map(rows),
    uniques: new Map([...uniques].map(([constraint, keys]) => [constraint, new Map(keys)])),
  };
}

function clashOf(shelf: Shelf, { uniques }: Content, key: string, row: Row): string | undefined {
  for (const [constraint, valueOf] of shelf.uniqueOf) {
    const value = valueOf(row);
    const holder = value === undefined ? undefined : uniques.get(constraint)?.get(value);
    if (holder !== undefined && holder !== key) return constraint;
  }
  return undefined;
}

function store(shelf: Shelf, content: Content, key: string, row: Row): void {
  forget(shelf, content, key);
  content.rows.set(key, row);
  for (const [constraint, valueOf] of shelf.uniqueOf) {
    const value = valueOf(row);
    if (value !== undefined) content.uniques.get(constraint)?.set(value, key);
  }
}

function erase(shelf: Shelf, content: Content, key: string): boolean {
  forget(shelf, content, key);
  return content.rows.delete(key);
}

/** Frees the unique values of the row that stands under `key`. */
function forget(shelf: Shelf, { rows, uniques }: Content, key: string): void {
  const row = rows.get(key);
  if (row === undefined) return;
  for (const [constraint, valueOf] of shelf.uniqueOf) {
    const value = valueOf(row);
    if (value !== undefined) uniques.get(constraint)?.delete(value);
  }
}
