// How merge requests follow what is pushed (document D, "Merge requests"): the head moves with its source, a head that
// reaches the target makes its request merged, a target that is deleted closes what was for it. What is done depends on
// the state alone, so that an event that comes again changes nothing.
import type { EventOf } from '#core/kernel/events';
import { zeroOid, type Oid } from '#core/repositories/index';
import { broughtBy } from './brought.ts';
import { aboutMerge } from './events.ts';
import { followAndKeep, type HeadParts, type Moving } from './heads.ts';
import { isFromFork, type MergeRequest } from './merge-request.ts';
import type { BranchOf, MergePatch, MergeStore } from './ports.ts';

/** Requests that are read, and compared with a branch, at a time. */
const piece = 200;
/** Commits of one push that are looked through for the ones that brought a head, and read at a time. */
const [mostCommits, commitsAtATime] = [10_000, 2000];

const branches = 'refs/heads/';

export const followUseCases = (parts: HeadParts) => ({
  /** Of each ref that moved. */
  async pushed({ payload, at }: EventOf<'push'>, signal: AbortSignal): Promise<void> {
    if (!payload.ref.startsWith(branches)) return;
    const branch: BranchOf = { repositoryId: payload.repository_id, branch: payload.ref.slice(branches.length) };
    const moving: Moving = { actorId: payload.actor, signal };
    if (payload.new === zeroOid) return closeAll(parts, branch, { ...payload, at });
    for await (const request of all((after) => parts.store.openFrom(branch, after, piece)))
      for (const one of request) await followAndKeep(parts, one, moving);
    // A branch that was not there brings nothing: what was for it was closed when it went.
    if (payload.old !== zeroOid) await mergeReached(parts, branch, payload, moving);
  },

  /**
   * Of a request that was opened or reopened: keeps its head where that was not done, and looks once more where its
   * source stands, for it may have moved before the request was there.
   */
  async opened({ payload, actorId }: EventOf<'merge.opened' | 'merge.reopened'>, signal: AbortSignal): Promise<void> {
    const request = await parts.store.find(payload.repository_id, payload.number);
    if (request === undefined) return;
    await followAndKeep(parts, request, { actorId, signal });
  },
});

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

/** Those whose head the target leads to now and did not before. */
async function mergeReached(parts: HeadParts, branch: BranchOf, move: TargetMove, moving: Moving): Promise<void> {
  const { store, git } = parts;
  const { repositoryId } = branch;
  let commits: ReturnType<typeof broughtCommits> | undefined;
  for await (const requests of all((after) => store.openInto(branch, after, piece))) {
    const tips = await ownTips(parts, repositoryId, requests);
    const heads = [...new Set([...requests.map(({ headOid }) => headOid), ...tips.values()])];
    const now = await git.divergence(repositoryId, move.new, heads, moving.signal);
    const reached = heads.filter((head) => now.get(head)?.ahead === 0);
    if (reached.length === 0) continue;
    const before = await git.divergence(repositoryId, move.old, reached, moving.signal);
    const brought = new Set(reached.filter((head) => before.get(head)?.ahead !== 0));
    if (brought.size === 0) continue;
    commits ??= broughtCommits(parts, repositoryId, move, moving.signal);
    const known = await commits;
    const bringer = broughtBy(move.new, known, [...brought]);
    const parents = new Map(known.map(({ oid, parents: [first] }) => [oid, first]));
    for (const one of requests) {
      // The push may have moved the source too, and tell of it later.
      const request = brought.has(tips.get(one.id) ?? '') ? await followAndKeep(parts, one, moving) : one;
      if (!brought.has(request.headOid)) continue;
      const mergeCommit = bringer.get(request.headOid) ?? move.new;
      await conclude(parts, request, moving.actorId, {
        state: 'merged',
        mergeCommit,
        // Of a merge that was made by hand, where the target stood right before it.
        baseOid: mergeCommit === request.headOid ? move.old : (parents.get(mergeCommit) ?? move.old),
        mergedById: moving.actorId ?? null,
      });
    }
  }
}

/** Where the sources stand that are branches of the repository itself, by request. */
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

/** What the push brought, for as far as it is looked through. */
async function broughtCommits({ git }: HeadParts, repositoryId: string, move: TargetMove, signal: AbortSignal) {
  const commits: { readonly oid: Oid; readonly parents: readonly Oid[] }[] = [];
  for (let skip = 0; skip < mostCommits; skip += commitsAtATime) {
    const query = { tip: move.new, except: move.old, skip, limit: commitsAtATime };
    const found = await git.history(repositoryId, query, signal);
    commits.push(...found.map(({ oid, parents }) => ({ oid, parents })));
    if (found.length < commitsAtATime) break;
  }
  return commits;
}

/** Those that were there when the branch went: it may have come back since, with requests of its own. */
async function closeAll(
  parts: HeadParts,
  branch: BranchOf,
  { old, actor, at }: TargetMove & { readonly at: Date },
): Promise<void> {
  for await (const requests of all((after) => parts.store.openInto(branch, after, piece)))
    for (const request of requests)
      if (request.createdAt <= at) await conclude(parts, request, actor, { state: 'closed', baseOid: old });
}

const conclusions = {
  merged: { type: 'merge.merged', at: 'mergedAt' },
  closed: { type: 'merge.closed', at: 'closedAt' },
} as const;

/** Where nobody has concluded it meanwhile, and it offers what it did. */
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
    await store.update(held.id, { ...patch, [conclusions[patch.state].at]: now, updatedAt: now });
    const { payload, ...about } = aboutMerge(held, actorId);
    if (patch.state === 'closed') await events.emit({ type: 'merge.closed', ...about, payload });
    else
      await events.emit({
        type: 'merge.merged',
        ...about,
        payload: { ...payload, merge_commit: patch.mergeCommit ?? headOid },
      });
  });
