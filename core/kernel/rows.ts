// The rows of one table: the store of a resource that needs no query of its own. A list that joins or searches has a
// store with a name.
import type { Page, PageRequest } from './page.ts';

type Member<Row> = keyof Row & string;
/** Rows whose members equal these; null is equal to null. */
type Where<Row> = Readonly<Partial<Row>>;

export interface RowQuery<Row extends object> {
  readonly where: Where<Row>;
  /** The most significant first; ascending unless under `desc`. The last should tell all rows apart. */
  readonly orderBy: readonly (Member<Row> | { readonly desc: Member<Row> })[];
}

export interface Rows<Row extends object> {
  /** @throws {Duplicate} naming the unique constraint that refused. */
  insert(row: Row): Promise<void>;
  /** Whether there was such a row. @throws {Duplicate} as `insert`. */
  update(where: Where<Row>, patch: Where<Row>): Promise<boolean>;
  /** Whether there was such a row. @throws {StillReferenced} where another still refers to it. */
  delete(where: Where<Row>): Promise<boolean>;
  findOne(where: Where<Row>): Promise<Row | undefined>;
  find(query: RowQuery<Row>): Promise<readonly Row[]>;
  /** One page and the count of all, in two queries. */
  page(query: RowQuery<Row>, page: PageRequest): Promise<Page<Row>>;
}
