// What a plugin's in-memory store works with: tables with keys, constraints and queries, that roll back together.

/** What a key is made of. */
export type KeyPart = string | number;
/** The value of a key of one member, or the values of a composite one in the order in which the table names them. */
export type Key = KeyPart | readonly KeyPart[];

type Sortable = string | number | boolean | Date | null | undefined;
/** The names of the members of `Row` that hold a `Value`. */
type MemberOf<Row, Value> = { [M in keyof Row & string]-?: Row[M] extends Value ? M : never }[keyof Row & string];

/**
 * A foreign key: the member holds the key of a row of `table`, which may be another plugin's. Deleting that row deletes
 * this one with it (`cascade`), unsets the member, which must be optional (`set null`), or is refused while this one is
 * there (`restrict`).
 */
export interface Reference<Value = undefined> {
  /** Its key has one member. */
  readonly table: string;
  readonly onDelete: 'cascade' | 'restrict' | (undefined extends Value ? 'set null' : never);
}

export interface TableOptions<Row extends object> {
  /**
   * What tells the rows apart: a member, several, or what a function makes of the row. It never changes.
   *
   * @example
   *   database.table<Label>('issues_label', { key: 'id' });
   *   database.table<Label>('issues_label', { key: ['repositoryId', 'name'] });
   */
  readonly key: MemberOf<Row, KeyPart> | readonly MemberOf<Row, KeyPart>[] | ((row: Row) => Key);
  /**
   * By the constraint's name, the members that are unique together, or the value that is. A row where it is undefined,
   * or one part of it, takes no part. A list cannot be mistaken for another, whatever the text in it.
   *
   * @example
   *   database.table<Label>('issues_label', {
   *     key: 'id',
   *     uniques: { issues_label_name_key: ({ repositoryId, name }) => [repositoryId, name.toLowerCase()] },
   *   });
   */
  readonly uniques?: Readonly<
    Record<string, readonly MemberOf<Row, Sortable>[] | ((row: Row) => Key | readonly Sortable[] | undefined)>
  >;
  /**
   * Foreign keys, by member. One whose table nobody has declared is not checked: a store can be tested alone, without
   * the plugin that owns the other table. From the moment it is declared, every row written must refer to one of its
   * rows. A member that is unset refers to nothing.
   *
   * @example
   *   database.table<Label>('issues_label', {
   *     key: 'id',
   *     references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
   *   });
   */
  readonly references?: { readonly [M in keyof Row & string]?: Reference<Row[M]> };
}

/**
 * Which rows: those whose members equal the ones given (dates by their instant), or those that the function accepts. It
 * sees the rows themselves, not copies, and must not change them.
 */
export type Where<Row extends object> = Readonly<Partial<Row>> | ((row: Readonly<Row>) => boolean);

type Term<Row extends object> = MemberOf<Row, Sortable> | ((row: Readonly<Row>) => Sortable);
/**
 * A member or a value made of the row; ascending unless under `desc`. What is unset is the greatest, as in PostgreSQL.
 */
export type Order<Row extends object> = Term<Row> | { readonly desc: Term<Row> };

export interface Query<Row extends object> {
  /** Default: all rows. */
  readonly where?: Where<Row>;
  /** The most significant first; rows that are equal in all of them come in the order of their keys. */
  readonly orderBy?: Order<Row> | readonly Order<Row>[];
  /** Default: no end. */
  readonly limit?: number;
  /** How many to skip. Default: 0. */
  readonly offset?: number;
}

/**
 * A table. What it gives are copies, and what it is given is copied. A statement that is refused changes nothing, and a
 * unit of work in which one was refused can only roll back, as in a database.
 */
export interface MemoryTable<Row extends object> {
  /**
   * @throws {Duplicate} naming the unique that refused; `<table>_pkey` is the key.
   * @throws {Conflict} where a row it refers to does not exist.
   */
  insert(row: Row): void;
  /**
   * Inserts the row, or puts it in the place of the one that has its key.
   *
   * @throws {Duplicate | Conflict} as `insert`.
   */
  upsert(row: Row): void;
  /**
   * Replaces the members given.
   *
   * @returns whether the row was there.
   * @throws {Duplicate | Conflict} as `insert`.
   */
  update(key: Key, patch: Readonly<Partial<Row>>): boolean;
  /**
   * Deletes the row, and does to those that refer to it what their tables say, in chains.
   *
   * @returns whether the row was there.
   * @throws {StillReferenced} naming the table whose `restrict` refused.
   */
  delete(key: Key): boolean;
  /**
   * Deletes all these rows in one statement: they may refer to each other.
   *
   * @example
   *   const ended = sessions.deleteWhere(({ expiresAt }) => expiresAt <= now);
   *
   * @returns how many there were, those that went with them not counted.
   * @throws {StillReferenced} as `delete`.
   */
  deleteWhere(where: Where<Row>): number;
  get(key: Key): Row | undefined;
  /** The row that was inserted first among these. */
  findOne(where: Where<Row>): Row | undefined;
  /**
   * Rows in the order asked for, by default that of insertion.
   *
   * @example
   *   tokens.find({ where: { userId }, orderBy: { desc: 'createdAt' }, limit: 20, offset: 40 });
   */
  find(query?: Query<Row>): Row[];
  count(where?: Where<Row>): number;
  /** All rows, in the order of their insertion. */
  all(): Row[];
}

/**
 * The tables of all plugins.
 *
 * @example
 *   export function memoryLabelStore(database: MemoryDatabase): LabelStore {
 *     const labels = database.table<Label>('issues_label', {
 *       key: 'id',
 *       uniques: { issues_label_name_key: ({ repositoryId, name }) => [repositoryId, name.toLowerCase()] },
 *       references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
 *     });
 *     return {
 *       list: async (repositoryId, slice) => ({
 *         labels: labels.find({ where: { repositoryId }, orderBy: ({ name }) => name.toLowerCase(), ...slice }),
 *         total: labels.count({ repositoryId }),
 *       }),
 *       byId: async (id) => labels.get(id),
 *       insert: async (label) => labels.insert(label),
 *       update: async (id, patch) => labels.update(id, patch),
 *       delete: async (id) => labels.delete(id),
 *     };
 *   }
 */
export interface MemoryDatabase {
  /** The table of that name; the same one every time, as it was first declared. */
  table<Row extends object>(name: string, options: TableOptions<Row>): MemoryTable<Row>;
  /** Offers rows to other plugins under the name of a published view. */
  publish<Row extends object>(view: string, rows: () => readonly Row[]): void;
  /** The rows of a published view; empty where nobody publishes it. */
  published<Row extends object>(view: string): readonly Row[];
}
