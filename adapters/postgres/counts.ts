// How many rows a query has, of all or for each of a batch, without reading them: one statement.
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';

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
 * @param ids of a batch; where there are none the database is not asked.
 * @param query a row for each thing that is counted, whose `id` is one of them.
 * @returns id → how many; those without any are missing.
 */
export async function countEach<DB>(
  db: Kysely<DB>,
  ids: readonly string[],
  query: (ids: readonly string[]) => SelectQueryBuilder<DB, never, { readonly id: string }>,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ readonly id: string; readonly count: number }>`
    select c.id, count(*) as count from (${query(ids)}) as c group by c.id
  `.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
