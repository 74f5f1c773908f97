// Whether a request of these branches may be opened or reopened: at most one of a pair, and a limited number of one
// author.
import { Conflict, Duplicate } from '#core/kernel/errors';
import type { Writing } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { openPairUnique, type BranchPair, type MergeStore } from '../model/ports.ts';
import { checkSourceLimit } from './source-limit.ts';

/** The open request of the pair may have been merged or closed by a push whose event was not handled yet. */
export async function settleOther(
  { store, settling }: Pick<MergeParts, 'store' | 'settling'>,
  pair: BranchPair,
  signal: AbortSignal,
): Promise<void> {
  const number = await store.openOf(pair);
  const other = number === undefined ? undefined : await store.find(pair.repositoryId, number);
  if (other !== undefined) await settling.request(other, signal);
}

const sentence = 'A merge request of these branches is open already';

/** @throws {Conflict} */
export async function checkOnlyOne(store: Pick<MergeStore, 'openOf'>, pair: BranchPair): Promise<void> {
  const other = await store.openOf(pair);
  if (other !== undefined) throw new Conflict(sentence, { detail: `Its number is ${other}` });
}

/** The unique constraint rejects a concurrent request that `checkOnlyOne` could not find yet. @throws {unknown} */
export function sameIsOpen(error: unknown): never {
  if (error instanceof Duplicate && error.constraint === openPairUnique)
    throw new Conflict(sentence, { detail: 'Look for it among the open ones', cause: error });
  throw error;
}

/**
 * Called before commits are copied, so that a refused request copies nothing, and again inside the unit of work.
 * @throws {Conflict | Unprocessable} `quota_exceeded`
 */
export async function checkMayOpen(
  { store }: Pick<MergeParts, 'store'>,
  { call }: Writing,
  pair: BranchPair,
  authorId: string,
): Promise<void> {
  await checkOnlyOne(store, pair);
  if (!call.caller.isAdmin) await checkSourceLimit(store, pair, authorId);
}
