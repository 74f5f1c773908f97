// Updates merge requests after pushes. The head moves with the source branch. A request is merged when its head becomes
// part of the target, and closed when its target is deleted. Every change depends only on the current state, so
// handling an event again changes nothing.
import { HexforgeError } from '#core/kernel/errors';
import type { EventAmong, EventOf, EventType } from '#core/kernel/storage/events';
import type { HandlerOf } from '#core/kernel/storage/pending-events';
import { zeroOid, type Oid } from '#core/repositories/index';
import type { AppliedEvents } from './applied-events.ts';
import { broughtBy } from '../model/brought.ts';
import { aboutMerge } from '../model/events.ts';
import { followAndKeep, type HeadParts, type Moving } from './heads.ts';
import { isFromFork, type MergeRequest } from '../model/merge-request.ts';
import type { BranchOf, MergePatch, MergeStore } from '../model/ports.ts';

/** How many requests are read and compared with a branch at a time. */
const piece = 200;
/** A push to the source of more requests moves their heads one by one, by an event for each. */
const mostAtOnce = 5;
/** How many commits of one push are searched for merged heads, and how many of them are read at a time. */
const [mostCommits, commitsAtATime] = [10_000, 2000];

/** The prefix of the names of branches. */
export const branches = 'refs/heads/';

/** The subscription that handles pushes, and moves the head of one of many requests with the same source. */
export const pushHandler = {
  plugin: 'merges',
  subscription: 'follow-push',
  types: ['push', 'merge.source_moved'],
} as const satisfies HandlerOf<EventType>;
/** An event of `pushHandler`. */
export type SourceEvent = EventAmong<(typeof pushHandler.types)[number]>;

/** The open requests that a push is applied to, in batches. */
export interface Among {
  from(branch: BranchOf): AsyncIterable<readonly MergeRequest[]>;
  into(branch: BranchOf): AsyncIterable<readonly MergeRequest[]>;
  /** Called with each request that may have another head now. */
  changed?(request: MergeRequest): void;
}

/** The branch that a push moved. Undefined for other refs. */
export const branchOf = ({ payload: { repository_id, ref } }: EventOf<'push'>): BranchOf | undefined =>
  ref.startsWith(branches) ? { repositoryId: repository_id, branch: ref.slice(branches.length) } : undefined;

/** Applies a push to the given requests. Doing it again changes nothing. */
export async function applyPush(
  parts: HeadParts,
  event: EventOf<'push'>,
  signal: AbortSignal,
  among: Among,
): Promise<void> {
  const { payload, at } = event;
  const branch = branchOf(event);
  if (branch === undefined) return;
  const moving: Moving = { actorId: payload.actor, signal };
  if (payload.new === zeroOid) return closeAll(parts, branch, among, { ...payload, at });
  for await (const request of among.from(branch))
    for (const one of request) {
      const now = await followAndKeep(parts, one, moving);
      among.changed?.(now);
    }
  // If the branch is new, no open request can have it as target: requests into it were closed when it was deleted.
  if (payload.old !== zeroOid) await mergeReached(parts, branch, payload, moving, among);
}

export const followUseCases = (parts: HeadParts & { readonly applied: AppliedEvents }) => ({
  /** Handles the event of each ref that moved. */
  pushed: (event: EventOf<'push'>, signal: AbortSignal): Promise<void> =>
    applyPush(parts, event, signal, {
      from: (branch) => atOnce(parts, notApplied(parts, event, fromBranch(parts, branch)), event.payload.actor),
      into: (branch) => notApplied(parts, event, intoBranch(parts, branch)),
    }),

  /**
   * Handles a request that was opened or reopened: keeps its head in case that failed before, and checks the tip of its
   * source again, because it may have moved before the request was stored. Also handles a request whose source moved
   * with that of many others.
   */
  async opened(
    event: EventOf<'merge.opened' | 'merge.reopened' | 'merge.source_moved'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { payload, actorId } = event;
    const request = await parts.store.find(payload.repository_id, payload.number);
    if (request === undefined || parts.applied.of(request, event) === 'applied') return;
    await followAndKeep(parts, request, { actorId, signal });
  },
});

/** The open requests from a branch whose heads a push moves at once. The others get an event each. */
async function* atOnce(
  parts: HeadParts,
  batches: AsyncIterable<readonly MergeRequest[]>,
  actorId: string,
): AsyncGenerator<readonly MergeRequest[]> {
  let following = 0;
  for await (const requests of batches) {
    following += requests.length;
    if (following > mostAtOnce) await announceMove(parts, requests, actorId);
    else yield requests;
  }
}

/** Emits one event per request, so that a push does not occupy its handler for as long as many requests take. */
const announceMove = (
  { unitOfWork, events }: HeadParts,
  requests: readonly MergeRequest[],
  actorId: string,
): Promise<void> =>
  unitOfWork.run(async () => {
    for (const request of requests) await events.emit({ type: 'merge.source_moved', ...aboutMerge(request, actorId) });
  });

const fromBranch = ({ store }: Pick<HeadParts, 'store'>, branch: BranchOf) =>
  all((after) => store.openFrom(branch, after, piece));
const intoBranch = ({ store }: Pick<HeadParts, 'store'>, branch: BranchOf) =>
  all((after) => store.openInto(branch, after, piece));

/** Leaves out the requests to which a read has applied the event. */
async function* notApplied(
  { applied }: { readonly applied: AppliedEvents },
  event: SourceEvent,
  batches: AsyncIterable<readonly MergeRequest[]>,
): AsyncGenerator<readonly MergeRequest[]> {
  for await (const requests of batches) {
    const rest = requests.filter((request) => applied.of(request, event) !== 'applied');
    if (rest.length > 0) yield rest;
  }
}

async function* all(
  read: (after: string | undefined) => ReturnType<MergeStore['openInto']>,
): AsyncGenerator<readonly MergeRequest[]> {
  for (let after: string | undefined; ;) {
    const requests = await read(after);
    if (requests.length > 0) yield requests;
    if (requests.length < piece) return;
    after = requests.at(-1)?.id;
  }
}

interface TargetMove {
  readonly old: Oid;
  readonly new: Oid;
  readonly actor: string;
}

/** Marks the requests as merged whose head is reachable from the target now and was not before. */
async function mergeReached(
  parts: HeadParts,
  branch: BranchOf,
  move: TargetMove,
  moving: Moving,
  among: Among,
): Promise<void> {
  const { git } = parts;
  const { repositoryId } = branch;
  let commits: ReturnType<typeof broughtCommits> | undefined;
  for await (const requests of among.into(branch)) {
    const tips = await ownTips(parts, repositoryId, requests);
    const heads = [...new Set([...requests.map(({ headOid }) => headOid), ...tips.values()])];
    const now = await divergence(git, repositoryId, move.new, heads, moving.signal);
    const reached = heads.filter((head) => now.get(head)?.ahead === 0);
    if (reached.length === 0) continue;
    const before = await divergence(git, repositoryId, move.old, reached, moving.signal);
    const brought = new Set(reached.filter((head) => before.get(head)?.ahead !== 0));
    if (brought.size === 0) continue;
    commits ??= broughtCommits(parts, repositoryId, move, moving.signal);
    const known = await commits;
    const bringer = broughtBy(move.new, known, [...brought]);
    const parents = new Map(known.map(({ oid, parents: [first] }) => [oid, first]));
    for (const one of requests) {
      // The same push may also have moved the source branch, and that event is handled later.
      const request = brought.has(tips.get(one.id) ?? '') ? await followAndKeep(parts, one, moving) : one;
      if (!brought.has(request.headOid)) continue;
      const mergeCommit = bringer.get(request.headOid) ?? move.new;
      await conclude(parts, request, moving.actorId, {
        state: 'merged',
        mergeCommit,
        // For a merge that somebody pushed: the tip of the target immediately before it.
        baseOid: mergeCommit === request.headOid ? move.old : (parents.get(mergeCommit) ?? move.old),
        mergedById: moving.actorId ?? null,
      });
    }
  }
}

/** How far heads are from a base. Leaves out those that the repository does not have; all if it lacks the base. */
async function divergence(
  git: HeadParts['git'],
  repositoryId: string,
  base: Oid,
  heads: readonly Oid[],
  signal: AbortSignal,
): ReturnType<HeadParts['git']['divergence']> {
  try {
    return await git.divergence(repositoryId, base, heads, signal);
  } catch (error) {
    if (!(error instanceof HexforgeError) || error.kind !== 'internal') throw error;
    const there = await git.tips(repositoryId, [base, ...heads]);
    const rest = heads.filter((head) => there.has(head));
    if (!there.has(base)) return new Map();
    if (rest.length === heads.length) throw error;
    return git.divergence(repositoryId, base, rest, signal);
  }
}

/** The tips of those source branches that belong to the repository itself, by request id. */
async function ownTips(
  { git }: HeadParts,
  repositoryId: string,
  requests: readonly MergeRequest[],
): Promise<ReadonlyMap<string, Oid>> {
  const own = requests.filter((request) => !isFromFork(request));
  const tips = await git.readRefs(
    repositoryId,
    own.map(({ sourceBranch }) => `${branches}${sourceBranch}`),
  );
  const there = own.map(({ id }, index) => [id, tips[index] ?? zeroOid] as const).filter(([, tip]) => tip !== zeroOid);
  return new Map(there);
}

/** The commits that the push added, up to `mostCommits`. None if the old tip was pruned. */
async function broughtCommits({ git }: HeadParts, repositoryId: string, move: TargetMove, signal: AbortSignal) {
  const commits: { readonly oid: Oid; readonly parents: readonly Oid[] }[] = [];
  if (!(await git.tips(repositoryId, [move.old])).has(move.old)) return commits;
  for (let skip = 0; skip < mostCommits; skip += commitsAtATime) {
    const query = { tip: move.new, except: move.old, skip, limit: commitsAtATime };
    const found = await git.history(repositoryId, query, signal);
    commits.push(...found.map(({ oid, parents }) => ({ oid, parents })));
    if (found.length < commitsAtATime) break;
  }
  return commits;
}

/**
 * Only closes requests that existed when the branch was deleted. If the branch has been created again since, requests
 * that have changed after the deletion stay open, because they may have been reopened or retargeted to the new one.
 */
async function closeAll(
  parts: HeadParts,
  { repositoryId, branch }: BranchOf,
  among: Among,
  { old, actor, at }: TargetMove & { readonly at: Date },
): Promise<void> {
  const [tip] = await parts.git.readRefs(repositoryId, [`${branches}${branch}`]);
  const decided = ({ createdAt, updatedAt }: MergeRequest): Date => (tip === zeroOid ? createdAt : updatedAt);
  for await (const requests of among.into({ repositoryId, branch }))
    for (const request of requests)
      if (decided(request) <= at) await conclude(parts, request, actor, { state: 'closed', baseOid: old });
}

const conclusions = { merged: 'mergedAt', closed: 'closedAt' } as const;

/** Does nothing if the request is no longer open or its head has changed. */
const conclude = (
  { store, unitOfWork, events, clock }: HeadParts,
  { repositoryId, number, headOid }: MergeRequest,
  actorId: string | undefined,
  patch: Omit<MergePatch, 'updatedAt' | 'state'> & { readonly state: keyof typeof conclusions },
): Promise<void> =>
  unitOfWork.run(async () => {
    const held = await store.held(repositoryId, number);
    if (held?.state !== 'open' || held.headOid !== headOid) return;
    const now = clock.now();
    await store.update(held.id, { ...patch, [conclusions[patch.state]]: now, updatedAt: now });
    if (patch.state === 'closed') await events.emit({ type: 'merge.closed', ...aboutMerge(held, actorId) });
    else {
      const merged = { merge_commit: patch.mergeCommit ?? headOid };
      await events.emit({ type: 'merge.merged', ...aboutMerge(held, actorId, merged) });
    }
  });
