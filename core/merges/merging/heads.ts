// The head of a merge request: moves it to the tip of the source branch, and keeps it in the target repository.
import { HexforgeError } from '#core/kernel/errors';
import { withLock } from '#core/kernel/storage/with-lock';
import type { BroughtFor, Oid } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import { aboutMerge } from '../model/events.ts';
import { isFromFork, isLetGo, type MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { sourceLossNow } from '../model/source-access.ts';
import { loseSource, recordLoss } from './lose-source.ts';
import { dismissApprovals, dismissesApprovals } from './stale-approvals.ts';

export type HeadParts = Pick<
  MergeParts,
  'store' | 'reviews' | 'git' | 'diffs' | 'heads' | 'repositories' | 'unitOfWork' | 'events' | 'locks' | 'clock' | 'log'
>;

/** The user who moved the branch, if known, and the signal that aborts the work. */
export interface Moving {
  readonly actorId?: string | undefined;
  readonly signal: AbortSignal;
}

/** The commits that a request copies from another repository count for its author. */
export const broughtFor = ({ id, authorId }: Pick<MergeRequest, 'id' | 'authorId'>): BroughtFor => ({
  requestId: id,
  userId: authorId,
});

/**
 * Points the ref of the request to the head in the database. Runs under a lock, so that ref and database agree even if
 * several processes move the head.
 */
export const keepHead = (
  { store, heads, locks }: Pick<HeadParts, 'store' | 'heads' | 'locks'>,
  { id, repositoryId, number }: MergeRequest,
  signal: AbortSignal,
): Promise<void> =>
  withLock({ locks, name: `merges.head:${id}`, signal }, async () => {
    const request = await store.find(repositoryId, number);
    if (request === undefined || isLetGo(request)) return;
    const { headOid: commit, sourceRepositoryId: fork } = request;
    const own = { sourceRepositoryId: repositoryId, commit };
    if (!isFromFork(request)) return heads.keep(repositoryId, number, own, { signal });
    // The commits of a fork have been copied to the target already, and the fork may have been deleted. Those of a
    // request that was closed in the meantime may have been pruned.
    const offered = { ...own, broughtFor: broughtFor(request) };
    await heads.keep(repositoryId, number, offered, { signal }).catch(async (error: unknown) => {
      noneWhereGone(error);
      if (request.state !== 'open' || fork === undefined) throw error;
      await heads.keep(repositoryId, number, { ...offered, sourceRepositoryId: fork }, { signal });
    });
  });

/** The source may move during an attempt. Each attempt then reads its tip again. */
const attempts = 5;

/**
 * Moves the head of an open request to the current tip of its source, and keeps it. The head stays unchanged if the
 * source was deleted, if the target repository has no room for the new commits, or if the pusher of the request cannot
 * push to a source in another repository.
 * @returns the request after the change.
 */
export async function followSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  const now = await moveToSource(parts, request, moving);
  if (now.headOid !== request.headOid) await keepHead(parts, now, moving.signal);
  return now;
}

/**
 * The same for event handlers, which may run again. Keeps the head even if it does not move, because the process that
 * moved it may have failed before it kept it.
 */
export async function followAndKeep(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  const now = await moveToSource(parts, request, moving);
  await keepHead(parts, now, moving.signal);
  return now;
}

/** @returns the request after the change. Its new head is not kept yet. */
async function moveToSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  let known = request;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (known.state !== 'open' || known.sourceRepositoryId === undefined) return known;
    const tip = await branchTip(parts.git, known.sourceRepositoryId, known.sourceBranch).catch(noneWhereGone);
    if (tip === undefined || tip === known.headOid) return known;
    if (isFromFork(known)) {
      if ((await sourceLossNow(parts, known)) !== undefined) return loseSource(parts, known);
      if (!(await brought(parts, known, tip, moving.signal))) return known;
    }
    const moved = await moveHead(parts, known, tip, moving);
    if (moved === undefined) return known;
    known = moved;
    if (moved.headOid === tip) break;
  }
  return known;
}

/** Ignores NotFound: a fork that is deleted meanwhile has no branches. */
export function noneWhereGone(error: unknown): undefined {
  if (!(error instanceof HexforgeError) || error.kind !== 'not_found') throw error;
  return undefined;
}

async function brought(
  { heads, log }: HeadParts,
  request: MergeRequest,
  commit: Oid,
  signal: AbortSignal,
): Promise<boolean> {
  const { repositoryId, number, sourceRepositoryId = '' } = request;
  try {
    await heads.bring(repositoryId, { sourceRepositoryId, commit, broughtFor: broughtFor(request) }, { signal });
    return true;
  } catch (error) {
    // The quota is exhausted or the commit no longer exists: the head stays unchanged until the source moves again.
    if (!(error instanceof HexforgeError && ['unprocessable', 'not_found'].includes(error.kind))) throw error;
    log.warn({ repository: repositoryId, number, err: error }, 'a merge request does not follow its source');
    return false;
  }
}

/** @returns the request after the change, with another head if a concurrent call has moved it. */
async function moveHead(
  parts: HeadParts,
  before: MergeRequest,
  tip: Oid,
  { actorId, signal }: Moving,
): Promise<MergeRequest | undefined> {
  const { store, unitOfWork, events, clock } = parts;
  const dismisses = await dismissesApprovals(parts, before, tip, signal);
  return unitOfWork.run(async () => {
    const held = await store.held(before.repositoryId, before.number);
    if (held?.headOid !== before.headOid || held.state !== 'open') return held;
    // Access may have been lost while the commits were copied.
    const loss = await sourceLossNow(parts, held);
    if (loss !== undefined) return recordLoss(parts, held, loss);
    const moved = { ...held, headOid: tip, updatedAt: clock.now() };
    await store.update(held.id, { headOid: tip, updatedAt: moved.updatedAt });
    await events.emit({ type: 'merge.pushed', ...aboutMerge(moved, actorId, { old_head: held.headOid }) });
    if (dismisses) await dismissApprovals(parts, moved, actorId, moved.updatedAt);
    return moved;
  });
}
