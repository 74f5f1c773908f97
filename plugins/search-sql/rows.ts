// The rows of the tables, and the parts that several statements share.
import { rawSql, type Kysely } from 'hexforge/plugin';
import type { Readable } from 'hexforge/search';

export interface SearchRows {
  readonly search_sql_index: { readonly id: number; readonly serving: boolean | null };
}

export type Database = Kysely<SearchRows>;
export type Fragment = ReturnType<typeof rawSql>;

/** The id of the index that answers. */
export const serving: Fragment = rawSql`(select id from search_sql_index where serving)`;

/** The rows of the readable repositories: a set with a column `id`, for a join. */
export function readableRows({ reader }: Readable): Fragment {
  if (reader.kind === 'anonymous') return rawSql`repositories_readable_by(null)`;
  // Administrators read all repositories that exist.
  return reader.isAdmin ? rawSql`repositories_public_repository` : rawSql`repositories_readable_by(${reader.id}::uuid)`;
}

/** The condition that a column has the id of a readable repository, and one of the given ones. */
export const within = (column: string, readable: Readable, ids: readonly string[] | undefined): Fragment =>
  rawSql`${rawSql.ref(column)} in (
    select r.id from ${readableRows(readable)} r ${ids === undefined ? rawSql`` : rawSql`where r.id = any(${ids}::uuid[])`}
  )`;

/** A pattern of LIKE for texts that contain this one literally. */
export const containing = (text: string): string => `%${literal(text)}%`;
/** A pattern of LIKE for texts that begin with this one. */
export const beginningWith = (text: string): string => `${literal(text)}%`;
const literal = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** All of the conditions. */
export const every = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? rawSql`true` : rawSql.join([...conditions], rawSql` and `);
