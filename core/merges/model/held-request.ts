// Finds the merge request that a path refers to, either only to read it or locked until the unit of work ends.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import { lastNumber, type Repository } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import type { HeldRequest } from './ports.ts';

export type Reading = Granted<Repository, 'repo.read'>;
/** A signed-in caller who may read the repository. Further checks need the author, so use cases make them. */
export type Writing = Granted<Repository, 'repo.read', User>;

const isNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= lastNumber;

/** Finds the request without a lock, to read what belongs to it. @throws {NotFound} */
export const knownRequest = async (
  { store }: Pick<MergeParts, 'store'>,
  { id }: Pick<Repository, 'id'>,
  number: number,
): Promise<MergeRequest> => found(isNumber(number) ? await store.find(id, number) : undefined);

/** The same after every push that was answered before. @throws {NotFound} */
export async function settledRequest(
  parts: Pick<MergeParts, 'store' | 'settling'>,
  repository: Pick<Repository, 'id'>,
  number: number,
  signal: AbortSignal,
): Promise<MergeRequest> {
  const known = await knownRequest(parts, repository, number);
  return (await parts.settling.request(known, signal)) ? knownRequest(parts, repository, number) : known;
}

/** Locks the request. Runs inside a unit of work. @throws {NotFound} */
export const heldRequest = async (
  { store }: Pick<MergeParts, 'store'>,
  { id }: Pick<Repository, 'id'>,
  number: number,
): Promise<HeldRequest> => found(isNumber(number) ? await store.held(id, number) : undefined);
