// A set that is kept as rows, such as the labels of an issue: another in its place.
import type { EntityName, FilterQuery, RequiredEntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * In a unit of work that holds what the rows belong to: two statements, however many there are.
 * @param owner the members that all of them have: what they belong to.
 * @param rows the members that tell them apart.
 */
export async function replaceRows<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  owner: Partial<E>,
  rows: readonly Partial<E>[],
): Promise<void> {
  await em.nativeDelete<E>(entity, owner as FilterQuery<NoInfer<E>>);
  if (rows.length === 0) return;
  await em.insertMany<E>(entity, rows.map((row) => ({ ...owner, ...row })) as unknown as RequiredEntityData<E>[]);
}
