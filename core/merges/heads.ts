// The head of a merge request: moved to where its source stands, and kept in the target.
import { HexforgeError } from '#core/kernel/errors';
import { inTurn } from '#core/kernel/in-turn';
import type { Oid } from '#core/repositories/index';
import { branchTip } from './branches.ts';
import { aboutMerge } from './events.ts';
import { isFromFork, type MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';

export type HeadParts = Pick<
  MergeParts,
  'store' | 'git' | 'heads' | 'unitOfWork' | 'events' | 'locks' | 'clock' | 'log'
>;

/** Who moved it, where it is known, and how long to wait. */
export interface Moving {
  readonly actorId?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Points the ref of the request to the head that is on record. In turns, so that the ref and the record agree however
 * many move it.
 */
export const keepHead = (
  { store, heads, locks }: Pick<HeadParts, 'store' | 'heads' | 'locks'>,
  { id, repositoryId, number }: MergeRequest,
  signal: AbortSignal,
): Promise<void> =>
  inTurn({ locks, name: `merges.head:${id}`, signal }, async () => {
    const request = await store.find(repositoryId, number);
    if (request === undefined) return;
    // What a fork offered is in the target already, and the fork may be gone.
    await heads.keep(repositoryId, number, { sourceRepositoryId: repositoryId, commit: request.headOid }, { signal });
  });

/** Others may move it at the same time; each then looks where the source stands once more. */
const attempts = 5;

/**
 * Moves the head of an open request to where its source stands now, and keeps it. A source that is gone leaves it as
 * it is, and so does one whose commits the target has no room for.
 * @returns the request as it is now.
 */
export async function followSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  const now = await moveToSource(parts, request, moving);
  if (now.headOid !== request.headOid) await keepHead(parts, now, moving.signal);
  return now;
}

/**
 * The same for who is told of a move, maybe once more: whoever moved the head may have failed before it was kept, so
 * what is on record is kept where nothing moves, too.
 */
export async function followAndKeep(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  const now = await moveToSource(parts, request, moving);
  await keepHead(parts, now, moving.signal);
  return now;
}

/** @returns the request as it is now; its head is not kept yet. */
async function moveToSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  let known = request;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (known.state !== 'open' || known.sourceRepositoryId === undefined) return known;
    const tip = await branchTip(parts.git, known.sourceRepositoryId, known.sourceBranch).catch(noneWhereGone);
    if (tip === undefined || tip === known.headOid) return known;
    if (isFromFork(known) && !(await brought(parts, known, tip, moving.signal))) return known;
    const moved = await moveHead(parts, known, tip, moving.actorId);
    if (moved === undefined) return known;
    known = moved;
    if (moved.headOid === tip) break;
  }
  return known;
}

/** A fork that is removed meanwhile has no branches. */
export function noneWhereGone(error: unknown): undefined {
  if (!(error instanceof HexforgeError) || error.kind !== 'not_found') throw error;
  return undefined;
}

async function brought(
  { heads, log }: HeadParts,
  { repositoryId, number, sourceRepositoryId = '' }: MergeRequest,
  commit: Oid,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await heads.bring(repositoryId, { sourceRepositoryId, commit }, { signal });
    return true;
  } catch (error) {
    // No room, or no such commit any more: it stays where it is until the source moves again.
    if (!(error instanceof HexforgeError && ['unprocessable', 'not_found'].includes(error.kind))) throw error;
    log.warn({ repository: repositoryId, number, err: error }, 'a merge request does not follow its source');
    return false;
  }
}

/** @returns the request as it is now: elsewhere, where somebody else has moved it. */
const moveHead = (
  { store, unitOfWork, events, clock }: HeadParts,
  before: MergeRequest,
  tip: Oid,
  actorId: string | undefined,
): Promise<MergeRequest | undefined> =>
  unitOfWork.run(async () => {
    const held = await store.held(before.repositoryId, before.number);
    if (held?.headOid !== before.headOid || held.state !== 'open') return held;
    const moved = { ...held, headOid: tip, updatedAt: clock.now() };
    await store.update(held.id, { headOid: tip, updatedAt: moved.updatedAt });
    const { payload, ...about } = aboutMerge(moved, actorId);
    await events.emit({ type: 'merge.pushed', ...about, payload: { ...payload, old_head: held.headOid } });
    return moved;
  });
