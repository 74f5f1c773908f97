// The rows of one table: the store of a resource that needs no query of its own. A list that joins or searches has a
// store with a name.
import type { Page, PageRequest } from './page.ts';

type Member<Row> = keyof Row & string;
/** Rows whose members equal these; null is equal to null. */
type Where<Row> = Readonly<Partial<Row>>;

/** Which rows. */
export interface RowSet<Row extends object> {
  readonly where: Where<Row>;
  /** Of these, the rows whose member has one of the values: a batch by id. None of them where the list is empty. */
  readonly among?: { readonly [M in Member<Row>]?: readonly Row[M][] };
}

/** Which rows, and in which order. */
export interface RowQuery<Row extends object> extends RowSet<Row> {
  /** The most significant first; ascending unless under `desc`. The last should tell all rows apart. */
  readonly orderBy: readonly (Member<Row> | { readonly desc: Member<Row> })[];
  /**
   * Of these, the rows that come after one with these members in an ascending order: `orderBy` names them all, and none
   * of them is ever null. So a list is read on from where it was left, whatever was added or deleted meanwhile.
   */
  readonly after?: { readonly [M in Member<Row>]?: Row[M] } | undefined;
}

/** The rows of one table, on every engine alike. */
export interface Rows<Row extends object> {
  /** @returns the row. @throws {Duplicate} naming the unique constraint that refused. */
  insert(row: Row): Promise<Row>;
  /** Changes one row. @returns it as it is now, undefined where there is none. @throws {Duplicate} as `insert`. */
  update(where: Where<Row>, patch: Where<Row>): Promise<Row | undefined>;
  /** Deletes one row. @returns it as it was, undefined where there is none. @throws {StillReferenced} */
  delete(where: Where<Row>): Promise<Row | undefined>;
  /** In one statement: as many as one use case bounds. @throws {Duplicate} as `insert`. */
  insertMany(rows: readonly Row[]): Promise<void>;
  /** In one statement. @throws {Duplicate} as `insert`. */
  updateMany(rows: RowSet<Row>, patch: Where<Row>): Promise<void>;
  /** In one statement. @throws {StillReferenced} */
  deleteMany(rows: RowSet<Row>): Promise<void>;
  findOne(where: Where<Row>): Promise<Row | undefined>;
  /** @param how with `held` none of them is deleted until the unit of work ends; give an order that all take. */
  find(query: RowQuery<Row>, how?: 'held'): Promise<readonly Row[]>;
  /**
   * @param how with `held` whoever else counts the same so waits until the unit of work ends: for a bound that holds,
   *   and for a name that is looked for before it is given. Held before rows are.
   */
  count(where: Where<Row>, how?: 'held'): Promise<number>;
  /** One page and the count of all, in two queries. */
  page(query: RowQuery<Row>, page: PageRequest): Promise<Page<Row>>;
}
