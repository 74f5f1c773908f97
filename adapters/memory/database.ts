// The interface of in-memory stores: tables with keys, constraints and queries, which roll back together.

/** A key value, or one part of a composite key. */
export type KeyPart = string | number;
/** The key of a row: one value, or the values of a composite key in the order in which the table declares them. */
export type Key = KeyPart | readonly KeyPart[];

type Sortable = string | number | boolean | Date | null | undefined;
/** The names of the members of `Row` that have a `Value`. */
type MemberOf<Row, Value> = { [M in keyof Row & string]-?: Row[M] extends Value ? M : never }[keyof Row & string];

/**
 * A foreign key: the member contains the key of a row of `table`, which may belong to another plugin. Deleting that row
 * deletes this one too (`cascade`), unsets the member, which must be optional (`set null`), or is rejected while this
 * one exists (`restrict`).
 */
export interface Reference<Value = undefined> {
  /** A table whose key has one member. */
  readonly table: string;
  readonly onDelete: 'cascade' | 'restrict' | (undefined extends Value ? 'set null' : never);
  /** With null, `set null` writes null instead of unsetting the member. */
  readonly unset?: null;
}

export interface TableOptions<Row extends object> {
  /**
   * The primary key: a member, several members, or a function of the row. It never changes.
   *
   * @example
   *   database.table<Label>('issues_label', { key: 'id' });
   *   database.table<Label>('issues_label', { key: ['repositoryId', 'name'] });
   */
  readonly key: MemberOf<Row, KeyPart> | readonly MemberOf<Row, KeyPart>[] | ((row: Row) => Key);
  /**
   * Unique constraints by name: the members that are unique together, or a function that returns the unique value. A
   * row is exempt if the value, or one part of it, is undefined. Lists are encoded, so that different lists never
   * collide.
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
   * Foreign keys, by member. A reference to a table that no store has declared is not checked, so that a store can be
   * tested without the plugin that owns the other table. Once that table is declared, every written row must refer to
   * one of its rows. An unset member refers to no row.
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
 * Selects rows: those whose members equal the given ones (dates by their instant), or those that the function accepts.
 * The function receives the rows themselves, not copies, and must not change them.
 */
export type Where<Row extends object> = Readonly<Partial<Row>> | ((row: Readonly<Row>) => boolean);

type Term<Row extends object> = MemberOf<Row, Sortable> | ((row: Readonly<Row>) => Sortable);
/**
 * A member, or a function of the row; ascending unless under `desc`. Unset values are the greatest, as in PostgreSQL.
 */
export type Order<Row extends object> = Term<Row> | { readonly desc: Term<Row> };

export interface Query<Row extends object> {
  /** Default: all rows. */
  readonly where?: Where<Row>;
  /** The most significant first; rows that are equal in all of them are in the order of their keys. */
  readonly orderBy?: Order<Row> | readonly Order<Row>[];
  /** Default: no limit. */
  readonly limit?: number;
  /** Rows to skip. Default: 0. */
  readonly offset?: number;
}

/**
 * A table. Rows are copied when they are written and read. A rejected statement changes nothing, and a unit of work
 * with a rejected statement can only roll back, as in a database.
 */
export interface MemoryTable<Row extends object> {
  /**
   * @throws {Duplicate} naming the unique constraint; `<table>_pkey` is the key.
   * @throws {Conflict} if a row it refers to does not exist.
   */
  insert(row: Row): void;
  /**
   * Inserts the row, or replaces the row with the same key.
   *
   * @throws {Duplicate | Conflict} as `insert`.
   */
  upsert(row: Row): void;
  /**
   * Replaces the given members.
   *
   * @returns whether the row exists.
   * @throws {Duplicate | Conflict} as `insert`.
   */
  update(key: Key, patch: Readonly<Partial<Row>>): boolean;
  /**
   * Deletes the row, and applies `onDelete` to the rows that refer to it, recursively.
   *
   * @returns whether the row existed.
   * @throws {StillReferenced} naming the table whose `restrict` prevented it.
   */
  delete(key: Key): boolean;
  /**
   * Deletes all matching rows in one statement; they may refer to each other.
   *
   * @example
   *   const ended = sessions.deleteWhere(({ expiresAt }) => expiresAt <= now);
   *
   * @returns how many rows matched, without those deleted by a cascade.
   * @throws {StillReferenced} as `delete`.
   */
  deleteWhere(where: Where<Row>): number;
  get(key: Key): Row | undefined;
  /** The earliest inserted of the matching rows. */
  findOne(where: Where<Row>): Row | undefined;
  /**
   * The matching rows, by default in insertion order.
   *
   * @example
   *   tokens.find({ where: { userId }, orderBy: { desc: 'createdAt' }, limit: 20, offset: 40 });
   */
  find(query?: Query<Row>): Row[];
  count(where?: Where<Row>): number;
  /** All rows, in insertion order. */
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
  /** The table with that name. Repeated calls return the same table, with the options of the first call. */
  table<Row extends object>(name: string, options: TableOptions<Row>): MemoryTable<Row>;
  /** Offers rows to other plugins under the name of a published view. */
  publish<Row extends object>(view: string, rows: () => readonly Row[]): void;
  /** The rows of a published view; empty if no plugin publishes it. */
  published<Row extends object>(view: string): readonly Row[];
}
