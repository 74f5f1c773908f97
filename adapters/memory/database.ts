// What a plugin's in-memory store works with: tables that roll back together.

export interface MemoryTable<Row extends object> {
  /** @throws {Duplicate} naming the unique that refused. */
  insert(row: Row): void;
  /** Replaces the members given. @throws {Duplicate} */
  update(key: string, patch: Partial<Row>): void;
  delete(key: string): boolean;
  get(key: string): Row | undefined;
  /** Copies, in insertion order. */
  all(): Row[];
}

export interface MemoryDatabase {
  /**
   * The table of that name; the same one every time. `uniques` maps a constraint's name to the value that must be
   * unique (undefined: the row takes no part).
   */
  table<Row extends object>(
    name: string,
    options: {
      readonly key: (row: Row) => string;
      readonly uniques?: Readonly<Record<string, (row: Row) => string | undefined>>;
    },
  ): MemoryTable<Row>;
  /** Offers rows to other plugins under the name of a published view. */
  publish<Row extends object>(view: string, rows: () => readonly Row[]): void;
  /** The rows of a published view; empty where nobody publishes it. */
  published<Row extends object>(view: string): readonly Row[];
}
