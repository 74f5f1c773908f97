// Counts the rows of a query, in total or per id of a batch, with one statement.
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { compiledRead } from './compiled-read.ts';

/** @param query with any columns, without an order. @returns the number of its rows. */
export async function countOf<DB, T extends keyof DB, O>(query: SelectQueryBuilder<DB, T, O>): Promise<number> {
  const { total } = (await query
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow()) as unknown as { readonly total: number };
  return total;
}

/**
 * Makes a function that counts rows per id; the query is compiled once, because lists and pages run it often.
 *
 * @param build a row for each counted thing, whose `id` is one of `ids`: `where('author_id', '=', ids)`.
 * @returns a function from a batch of uuids to id → count; ids without rows are missing. An empty batch runs no query.
 */
export function countEach<DB>(
  build: (db: Kysely<DB>, ids: RawBuilder<string>) => SelectQueryBuilder<DB, never, { readonly id: string }>,
): (db: Kysely<DB>, ids: readonly string[]) => Promise<ReadonlyMap<string, number>> {
  const read = compiledRead(['ids'], (db: Kysely<DB>, { ids }: { readonly ids: readonly string[] }) => ({
    compile: () =>
      sql<{ readonly id: string; readonly count: number }>`
        select c.id, count(*) as count from (${build(db, sql`any(${ids}::uuid[])`)}) as c group by c.id
      `.compile(db),
  }));
  return async (db, ids) =>
    new Map(ids.length === 0 ? [] : (await read(db, { ids })).map(({ id, count }) => [id, count]));
}
