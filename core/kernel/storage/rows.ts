// A generic store for the rows of one table, for resources that need no special queries.
import type { Page, PageRequest } from '../page.ts';

type Member<Row> = keyof Row & string;
/** Selects rows whose members equal these. Null equals null. */
type Where<Row> = Readonly<Partial<Row>>;

/** A set of rows. */
export interface RowSet<Row extends object> {
  readonly where: Where<Row>;
  /** Restricts the set to rows whose member has one of these values. An empty list selects no rows. */
  readonly among?: { readonly [M in Member<Row>]?: readonly Row[M][] };
  /**
   * Restricts the set to rows whose member lies in a range: `{ rank: { '>': 3, '<=': 9 } }`. Null lies in no range.
   * Texts are compared as the column sorts them.
   */
  readonly ranges?: { readonly [M in Member<Row>]?: MemberRange<Row[M]> };
}

/** The bounds of a range; each is optional. */
export type MemberRange<V> =
  NonNullable<V> extends string | number | Date ? { readonly [B in RangeBound]?: NonNullable<V> } : never;
/** A comparison with a bound of a range. */
export type RangeBound = '<' | '<=' | '>' | '>=';

/** A set of rows, and their order. */
export interface RowQuery<Row extends object> extends RowSet<Row> {
  /** The most significant member first; ascending unless wrapped in `desc`. The order should be unique. */
  readonly orderBy: readonly (Member<Row> | { readonly desc: Member<Row> })[];
  /**
   * Keyset pagination: only rows after the row with these members, in ascending order. Must contain every member of
   * `orderBy`; none may be null. Rows added or deleted meanwhile do not shift the next page.
   */
  readonly after?: { readonly [M in Member<Row>]?: Row[M] } | undefined;
  /** The most rows that `find` returns. Default: no limit. */
  readonly limit?: number;
  /** Rows that `find` skips. Default: 0. */
  readonly offset?: number;
}

/** The rows of one table. All engines behave alike. */
export interface Rows<Row extends object> {
  /** @returns the row. @throws {Duplicate} naming the violated unique constraint. */
  insert(row: Row): Promise<Row>;
  /** In one statement: inserts the rows whose keys do not exist. @returns the number of inserted rows. */
  addMany(rows: readonly Row[]): Promise<number>;
  /** Inserts the row, or changes the row with the same key. @throws {Duplicate} as `insert`. */
  put(row: Row): Promise<void>;
  /** Changes one row. @returns the new row; undefined if no row matches. @throws {Duplicate} as `insert`. */
  update(where: Where<Row>, patch: Where<Row>): Promise<Row | undefined>;
  /** Deletes one row. @returns the deleted row; undefined if no row matches. @throws {StillReferenced} */
  delete(where: Where<Row>): Promise<Row | undefined>;
  /** In one statement, so the use case must limit the number of rows. @throws {Duplicate} as `insert`. */
  insertMany(rows: readonly Row[]): Promise<void>;
  /** In one statement. @throws {Duplicate} as `insert`. */
  updateMany(rows: RowSet<Row>, patch: Where<Row>): Promise<void>;
  /** In one statement. @throws {StillReferenced} */
  deleteMany(rows: RowSet<Row>): Promise<void>;
  /**
   * Replaces the rows that match with others. Must be called in a unit of work that has locked their owner.
   * @throws {Duplicate} as `insert`.
   */
  replace(where: Where<Row>, rows: readonly Row[]): Promise<void>;
  findOne(where: Where<Row>): Promise<Row | undefined>;
  /**
   * @param how with `held` the rows cannot be deleted until the unit of work ends. Always use the same order of rows.
   */
  find(query: RowQuery<Row>, how?: 'held'): Promise<readonly Row[]>;
  /**
   * @param how with `held` other units of work that count the same rows with `held` wait until this one ends. Used to
   * enforce limits, and to check that a name is free before using it. Must be called before rows are held.
   */
  count(where: Where<Row>, how?: 'held'): Promise<number>;
  /** Other units of work that call `hold`, or `count` with `held`, with equal members wait until this one ends. */
  hold(where: Where<Row>): Promise<void>;
  /** One page and the count of all rows, in two queries. */
  page(query: RowQuery<Row>, page: PageRequest): Promise<Page<Row>>;
}
