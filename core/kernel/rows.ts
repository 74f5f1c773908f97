// The rows of one table: the store of a resource that needs no query of its own. A list that joins or searches has a
// store with a name.
import type { Page, PageRequest } from './page.ts';

type Member<Row> = keyof Row & string;
/** Rows whose members equal these; null is equal to null. */
type Where<Row> = Readonly<Partial<Row>>;

/** Which rows, and in which order. */
export interface RowQuery<Row extends object> {
  readonly where: Where<Row>;
  /** The most significant first; ascending unless under `desc`. The last should tell all rows apart. */
  readonly orderBy: readonly (Member<Row> | { readonly desc: Member<Row> })[];
}

/** The rows of one table, on every engine alike. */
export interface Rows<Row extends object> {
  /** @returns the row. @throws {Duplicate} naming the unique constraint that refused. */
  insert(row: Row): Promise<Row>;
  /** Changes one row. @returns it as it is now, undefined where there is none. @throws {Duplicate} as `insert`. */
  update(where: Where<Row>, patch: Where<Row>): Promise<Row | undefined>;
  /** Deletes one row. @returns it as it was, undefined where there is none. @throws {StillReferenced} */
  delete(where: Where<Row>): Promise<Row | undefined>;
  findOne(where: Where<Row>): Promise<Row | undefined>;
  find(query: RowQuery<Row>): Promise<readonly Row[]>;
  /** One page and the count of all, in two queries. */
  page(query: RowQuery<Row>, page: PageRequest): Promise<Page<Row>>;
}
