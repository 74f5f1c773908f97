// Replaces a set that is stored as rows, such as the labels of an issue.
import type { EntityName, FilterQuery, RequiredEntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Call it in a unit of work that has locked the owner of the rows. Runs two statements, however many rows there are.
 * @param owner the members that all rows have in common: the key of their owner.
 * @param rows the members that distinguish the rows.
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
