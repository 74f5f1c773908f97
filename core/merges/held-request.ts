// The merge request that a path names: read, or held until the unit of work ends by the change that is about it.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import { lastNumber, type Repository } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import type { HeldRequest } from './ports.ts';

export type Reading = Granted<Repository, 'repo.read'>;
/** Whoever is signed in and may read; more is for the use case to say, which knows the author. */
export type Writing = Granted<Repository, 'repo.read', User>;

const isNumber = (number: number): boolean => number >= 1 && number <= lastNumber;

/** To read what belongs to it. @throws {NotFound} */
export const knownRequest = async (
  { store }: Pick<MergeParts, 'store'>,
  { id }: Pick<Repository, 'id'>,
  number: number,
): Promise<MergeRequest> => found(isNumber(number) ? await store.find(id, number) : undefined);

/** Inside a unit of work. @throws {NotFound} */
export const heldRequest = async (
  { store }: Pick<MergeParts, 'store'>,
  { id }: Pick<Repository, 'id'>,
  number: number,
): Promise<HeldRequest> => found(isNumber(number) ? await store.held(id, number) : undefined);
