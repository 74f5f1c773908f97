// How many rows a query has, of all or for each of a batch, without reading them: one statement.
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { compiledRead } from './compiled-read.ts';

/** @param query whatever its columns, without an order. @returns how many rows it has. */
export async function countOf<DB, T extends keyof DB, O>(query: SelectQueryBuilder<DB, T, O>): Promise<number> {
  const { total } = (await query
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow()) as unknown as {
    readonly total: number;
  };
  return total;
}

/**
 * Made once and compiled once: lists and pages ask for it again and again.
 *
 * @param build a row for each thing that is counted, whose `id` is one of `ids`: `where('author_id', '=', ids)`.
 * @returns counts a batch of uuids, id → how many; those without any are missing. Of none the database is not asked.
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
