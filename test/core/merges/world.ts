// Fixtures for specs of merge requests: in-memory stores, with a git whose branch tips and commit parents are set by
// the test.
import { setTimeout } from 'node:timers/promises';
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import { Internal, NotFound, Unavailable, Unprocessable } from '#core/kernel/errors';
import type { EventOf, PendingEvents } from '#core/kernel/index';
import { appliedEvents } from '#core/merges/merging/applied-events';
import { followUseCases } from '#core/merges/merging/follow';
import { letGoUseCases } from '#core/merges/merging/let-go';
import type { HeadParts } from '#core/merges/merging/heads';
import { settling } from '#core/merges/merging/settle';
import { aboutMerge } from '#core/merges/model/events';
import { mergeEvents, type MergeRequest } from '#core/merges/index';
import {
  zeroOid,
  type GitBackend,
  type Oid,
  type Protection,
  type Repositories,
  type Visibility,
} from '#core/repositories/index';
import { newestOf } from '#adapters/memory/subscriptions';
import { reviewRows } from '#plugins/merges/tables';
import { memoryMergeStore } from '#plugins/merges/requests/store-memory';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { leavingStorage } from '#test/support/servers/leaving-storage';
import { recorded, repositoryOf, requestOf } from '../forge.ts';

export const commit = (digit: number): Oid => String(digit).repeat(40);

/** Repository ids of the target and of a fork of it. */
export const [target, fork] = ['target', 'fork'];

/** @param readMs how long a read may work and wait, in milliseconds. */
export async function world({ readMs = 10_000 } = {}) {
  const ids = sequentialIds();
  const warned: unknown[] = [];
  const log = { ...quietLog, warn: (details: unknown) => void warned.push(details) };
  const storage = leavingStorage(openMemory({ clock: systemClock, ids, log }));
  const store = memoryMergeStore(storage.database);
  const events = await recorded(storage, mergeEvents);
  /** `REPOSITORY BRANCH` → the tip of the branch. */
  const tips = new Map<string, Oid>();
  const parents = new Map<Oid, readonly Oid[]>();
  const counts = { divergence: 0, history: 0, kept: 0, copies: 0 };
  const hooks = {
    beforeTip: async (): Promise<void> => undefined,
    whileCopying: async (): Promise<void> => undefined,
    noRoom: false,
    /** Copies do not end before they are aborted. */
    untilAborted: false,
    gitIsAway: false,
    /** Called before each question for pending events. */
    beforeQuestion: async (): Promise<void> => undefined,
  };
  const reach = (oid: Oid): Set<Oid> => {
    const seen = new Set<Oid>();
    const open = [oid];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      open.push(...(parents.get(at) ?? []));
    }
    return seen;
  };
  /** Commits that the target, and that no source, has. */
  const missing = new Set<Oid>();
  const lost = new Set<Oid>();
  const git: Pick<GitBackend, 'isLegalName' | 'readRefs' | 'divergence' | 'history' | 'tips'> = {
    tips: async (_, oids) => new Map(oids.filter((oid) => !missing.has(oid)).map((oid) => [oid, { kind: 'other' }])),
    isLegalName: () => true,
    async readRefs(repository, names) {
      const found = names.map((name) => tips.get(`${repository} ${name.slice('refs/heads/'.length)}`) ?? zeroOid);
      await hooks.beforeTip();
      return found;
    },
    async divergence(_, base, heads) {
      counts.divergence += 1;
      if ([base, ...heads].some((oid) => missing.has(oid))) throw new Internal('git rev-list failed');
      const known = reach(base);
      const ahead = (head: Oid): number => [...reach(head)].filter((oid) => !known.has(oid)).length;
      return new Map(heads.map((head) => [head, { ahead: ahead(head), behind: 0 }]));
    },
    async history(_, { tip, except = zeroOid, skip, limit }) {
      counts.history += 1;
      const left = reach(except);
      const signature = { name: '', email: '', date: new Date(0) };
      return [...reach(tip)]
        .filter((oid) => !left.has(oid))
        .slice(skip, skip + limit)
        .map((oid) => ({ oid, message: '', author: signature, committer: signature, parents: parents.get(oid) ?? [] }));
    },
  };
  /** The kept head by request number, and the fetched commits. */
  const kept = new Map<number, Oid>();
  const brought: Oid[] = [];
  const takenOver: string[] = [];
  const heads: HeadParts['heads'] = {
    async bring(_, { commit: oid }, { signal }) {
      counts.copies += 1;
      if (hooks.untilAborted) await setTimeout(60_000, undefined, { signal });
      if (hooks.noRoom) throw new Unprocessable('No room', { code: 'quota_exceeded' });
      await hooks.whileCopying();
      brought.push(oid);
      missing.delete(oid);
    },
    async keep(_, number, { commit: oid, sourceRepositoryId }) {
      counts.kept += 1;
      const isMissing = sourceRepositoryId === target ? missing.has(oid) : lost.has(oid);
      if (isMissing) throw new NotFound('The commit is not there');
      if (hooks.gitIsAway) throw new Unavailable('git is away');
      kept.set(number, oid);
      missing.delete(oid);
    },
    letGo: async (_, number = 0) => void kept.delete(number),
    takeOver: async (requestId) => void takenOver.push(requestId),
    drop: async () => undefined,
    network: async () => [],
  };
  /** The users who can push to any repository, and the visibility and protections of repositories. */
  const pushers = new Set(['alice']);
  const visibility = new Map<string, Visibility>();
  const protections = new Map<string, Protection>();
  const repositories = {
    byId: async (id) => repositoryOf(id, { visibility: visibility.get(id) ?? 'public' }),
    holders: async (_repository, _permission, ids) => new Set(ids.filter((id) => pushers.has(id))),
    readers: async (_, ids) => new Set(ids),
    readable: async () => new Map(),
    readableIds: async () => [],
    lacking: async () => [],
    named: async () => new Map(),
    all: async () => [],
    matching: async () => [],
    protections: async () => protections,
  } satisfies Repositories;
  const reviews = reviewRows.memory(storage.database);
  const parts: HeadParts = {
    store,
    reviews,
    repositories,
    diffs: {
      algorithm: 'myers',
      caps: { maxFileBytes: 1000, maxTotalBytes: 1000, maxFileLines: 1000, maxFiles: 10 },
    },
    git: git as GitBackend,
    heads,
    unitOfWork: storage.unitOfWork,
    events: storage.events,
    locks: storage.locks,
    clock: systemClock,
    log,
  };
  let told = 0;
  /** Pushes whose events were not handled yet. */
  const pending: EventOf<'push' | 'merge.source_moved'>[] = [];
  const asked: (readonly string[])[] = [];
  const pendingEvents: PendingEvents = {
    async of({ types }, aggregates, limit, refs) {
      asked.push(aggregates);
      await hooks.beforeQuestion();
      const all = pending.filter(
        (one) => types.some((type) => type === one.type) && aggregates.includes(one.aggregate),
      );
      return newestOf(all, limit, refs) as EventOf[] as never;
    },
  };
  const moveOf = async (number: number): Promise<EventOf<'merge.source_moved'>> => {
    const request = await store.find(target, number);
    if (request === undefined) throw new Error('there is no such request');
    return { id: `moved-${number}`, type: 'merge.source_moved', at, ...aboutMerge(request, 'bob') };
  };
  const pushOf = (
    branch: string,
    old: Oid,
    next: Oid,
    { repository = target, when = new Date(), under = 'heads' } = {},
  ): EventOf<'push'> => ({
    id: `push-${(told += 1)}`,
    type: 'push',
    aggregate: `repository:${repository}`,
    payload: { repository_id: repository, ref: `refs/${under}/${branch}`, old, new: next, actor: 'bob' },
    at: when,
  });
  const at = new Date('2026-05-01T10:00:00.000Z');
  const applied = appliedEvents();
  const follow = followUseCases({ ...parts, applied });
  const { signal } = new AbortController();
  return {
    storage,
    parts: { ...parts, settling: settling({ ...parts, pendingEvents, applied }, readMs) },
    pending,
    asked,
    pushOf,
    store,
    reviews,
    pushers,
    visibility,
    protections,
    follow,
    tips,
    parents,
    counts,
    hooks,
    missing,
    lost,
    kept,
    brought,
    takenOver,
    letGo: letGoUseCases(parts),
    warned,
    signal,
    async add(patch: Partial<MergeRequest> = {}): Promise<MergeRequest> {
      return storage.unitOfWork.run(async () => {
        const number = await store.nextNumber(target);
        const own = { id: ids.uuid(), repositoryId: target, number, authorId: 'alice', createdAt: at, updatedAt: at };
        const request = requestOf({ ...own, ...patch });
        await store.insert(request);
        return request;
      });
    },
    /** Delivers the event of a push, like the outbox. */
    pushed: (...push: Parameters<typeof pushOf>): Promise<void> => follow.pushed(pushOf(...push), signal),
    moveOf,
    /** Delivers the event of a request whose source moved, like the outbox. */
    sourceMoved: async (number: number): Promise<void> => follow.opened(await moveOf(number), signal),
    /** Type and number of the events delivered so far. */
    async events(): Promise<readonly string[]> {
      return (await events()).map(({ type, payload }) => `${type} ${'number' in payload ? payload.number : ''}`);
    },
  };
}
