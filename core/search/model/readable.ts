// The repositories that the caller of a search may read. Every back end filters by them within its queries.
import type { Reader } from '#core/repositories/index';

/** The most ids of repositories that `Readable.ids` returns. */
export const mostReadable = 50_000;

/** The repositories that a caller may read, in two forms: for back ends that can join, and for those that cannot. */
export interface Readable {
  /**
   * For a join with `repositories_readable_by` in the same database. An administrator of the instance reads all
   * repositories that exist.
   */
  readonly reader: Reader;
  /**
   * The ids of all readable repositories, at most `mostReadable`. Called at most once per search. They are read when it
   * is called, so that a change of access counts at once.
   * @throws {Unavailable} if there are more.
   */
  ids(): Promise<ReadonlySet<string>>;
}
