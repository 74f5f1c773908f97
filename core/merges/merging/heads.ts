// The head of a merge request: moves it to the tip of the source branch, and keeps it in the target repository.
import { HexforgeError } from '#core/kernel/errors';
import { withLock } from '#core/kernel/storage/with-lock';
import type { BroughtFor, KeepingFor, Oid } from '#core/repositories/index';
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
 * Runs `work` while nothing else copies commits for the request, moves its head, keeps it or lets it go.
 * @throws {Unavailable} if the lock is not free in time.
 */
export const withHead = <T>(
  { locks }: Pick<HeadParts, 'locks'>,
  { id }: Pick<MergeRequest, 'id'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => withLock({ locks, name: `merges.head:${id}`, signal }, work);

type KeepParts = Pick<HeadParts, 'store' | 'repositories' | 'heads' | 'locks' | 'log'>;

/** Points the ref of the request to the head in the database. */
export const keepHead = (parts: KeepParts, request: MergeRequest, signal: AbortSignal): Promise<void> =>
  withHead(parts, request, signal, () => keepNow(parts, request, signal));

/** Runs under the lock of the head, so that ref and database agree even if several processes move the head. */
async function keepNow(
  parts: KeepParts,
  { repositoryId, number }: Pick<MergeRequest, 'repositoryId' | 'number'>,
  signal: AbortSignal,
): Promise<void> {
  const request = await parts.store.find(repositoryId, number);
  if (request === undefined || isLetGo(request)) return;
  try {
    // The commits of a fork have been copied to the target already, and the fork may have been deleted.
    if ((await keepFrom(parts, request, repositoryId, request.headOid, { signal })) === 'kept') return;
    const { sourceRepositoryId: fork } = request;
    const follows =
      isFromFork(request) && request.state === 'open' && (await sourceLossNow(parts, request)) === undefined;
    if (follows && fork !== undefined)
      if ((await keepFrom(parts, request, fork, request.headOid, { signal })) === 'kept') return;
    parts.log.warn({ repository: repositoryId, number }, 'the head of a merge request is missing');
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    parts.log.warn({ repository: repositoryId, number, err: error }, 'the head of a merge request is missing');
  }
}

/** Points the ref of the request to a commit that one of the two repositories has. Runs under the lock of the head. */
export async function keepFrom(
  { heads }: Pick<HeadParts, 'heads'>,
  request: MergeRequest,
  from: string,
  commit: Oid,
  by: KeepingFor,
): Promise<'kept' | 'missing'> {
  const offered = { sourceRepositoryId: from, commit, ...(isFromFork(request) && { broughtFor: broughtFor(request) }) };
  try {
    await heads.keep(request.repositoryId, request.number, offered, by);
    return 'kept';
  } catch (error) {
    noneWhereGone(error);
    return 'missing';
  }
}

/** The source may move during an attempt. Each attempt then reads its tip again. */
const attempts = 5;

/**
 * Moves the head of an open request to the current tip of its source, and keeps it. The head stays unchanged if the
 * source was deleted, if the target repository has no room for the new commits, or if the pusher of the request cannot
 * push to a source in another repository.
 * @returns the request after the change.
 */
export async function followSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  const tip = await sourceTip(parts, request);
  if (tip === undefined || tip === request.headOid) return request;
  return withHead(parts, request, moving.signal, async () => {
    const now = await moveToSource(parts, request, moving);
    if (now.headOid !== request.headOid) await keepNow(parts, now, moving.signal);
    return now;
  });
}

/**
 * The same for event handlers, which may run again. Keeps the head even if it does not move, because the process that
 * moved it may have failed before it kept it.
 */
export const followAndKeep = (parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> =>
  withHead(parts, request, moving.signal, async () => {
    const now = await moveToSource(parts, request, moving);
    await keepNow(parts, now, moving.signal);
    return now;
  });

/** The tip of the source that an open request follows. Undefined if it does not exist. */
const sourceTip = async (
  { git }: Pick<HeadParts, 'git'>,
  { state, sourceRepositoryId, sourceBranch }: MergeRequest,
): Promise<Oid | undefined> =>
  state !== 'open' || sourceRepositoryId === undefined
    ? undefined
    : branchTip(git, sourceRepositoryId, sourceBranch).catch(noneWhereGone);

/**
 * Runs under the lock of the head: a call that waited for the same copy finds the head moved.
 * @returns the request after the change. Its new head is not kept yet.
 */
async function moveToSource(parts: HeadParts, request: MergeRequest, moving: Moving): Promise<MergeRequest> {
  let known = (await parts.store.find(request.repositoryId, request.number)) ?? request;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const tip = await sourceTip(parts, known);
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

/** The quota is exhausted, or git does not accept the commits. */
const isNoRoom = (error: unknown): boolean => error instanceof HexforgeError && error.kind === 'unprocessable';

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
    // The head stays unchanged until the source moves again.
    if (!isNoRoom(error)) noneWhereGone(error);
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
