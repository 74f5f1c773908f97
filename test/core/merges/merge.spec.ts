// Merges with failures: a target that others move, a client that disconnects, a transaction that fails, a killed
// process; on in-memory stores, with a scripted git.
import t from 'tap';
import { systemClock } from '#adapters/system/time';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { NotFound, Unavailable } from '#core/kernel/errors';
import { mergeIntents } from '#core/merges/merging/merge-intents';
import { mergeRequest, type MergeCommand } from '#core/merges/merging/merge';
import type { MergeParts } from '#core/merges/model/parts';
import {
  zeroOid,
  type GitBackend,
  type MergeHooks,
  type Merged,
  type Oid,
  type Repository,
} from '#core/repositories/index';
import { commit, target, world } from './world.ts';
import { settled } from '../forge.ts';

const [old, made, head] = [commit(4), commit(5), commit(1)];
const facts = { number: 1, actor: 'alice', targetBranch: 'main', head };
const update = { ref: 'refs/heads/main', old, new: made };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function bench() {
  const given = await world();
  const { storage, store, tips, parents } = given;
  tips.set(`${target} topic`, head);
  tips.set(`${target} main`, old);
  const leads = (from: Oid, to: Oid): boolean =>
    from === to || (parents.get(from) ?? []).some((parent) => leads(parent, to));
  const git = {
    isLegalName: () => true,
    exists: async () => true,
    readRefs: async (repository: string, names: readonly string[]) =>
      names.map((name) => tips.get(`${repository} ${name.slice('refs/heads/'.length)}`) ?? zeroOid),
    commitRecord: async (_: string, oid: Oid) => (parents.has(oid) ? {} : undefined),
    mergeBase: async (_: string, one: Oid, other: Oid) => (leads(other, one) ? one : undefined),
  } as unknown as GitBackend;
  const { unitOfWork, events, intents, locks } = storage;
  const parts = { store, git, unitOfWork, events, intents, locks, clock: systemClock, log: silent };
  await given.add();
  /** Moves the branch without recording the merge. */
  const land = (): void => {
    parents.set(made, [old, head]);
    tips.set(`${target} main`, made);
  };
  const request = () => store.find(target, 1);
  return { ...given, parts, land, request };
}

type Bench = Awaited<ReturnType<typeof bench>>;

void t.test('the intent of a merge', async (t) => {
  await t.test('recorded with the push: the request is merged with one event, and the intent is closed', async (t) => {
    const { parts, land, request, events, storage } = await bench();
    const bracket = mergeIntents(parts).bracket(target, facts);
    await bracket.hooks.announced?.(update);
    land();
    await storage.unitOfWork.run(async () => bracket.hooks.recorded?.(update));
    t.equal(await bracket.conclude(), true);
    t.match(await request(), { state: 'merged', mergeCommit: made, baseOid: old, mergedById: 'alice', closedAt: null });
    t.strictSame(await events(), ['merge.merged 1']);
  });

  await t.test('not recorded: the outcome is found from the branch, also if others pushed on top of it', async (t) => {
    for (const onTop of [false, true]) {
      const { parts, land, request, events, tips, parents } = await bench();
      const bracket = mergeIntents(parts).bracket(target, facts);
      await bracket.hooks.announced?.(update);
      land();
      if (onTop) {
        parents.set(commit(6), [made]);
        tips.set(`${target} main`, commit(6));
      }
      t.equal(await bracket.conclude(), true);
      t.match(await request(), { state: 'merged', mergeCommit: made });
      t.strictSame(await events(), ['merge.merged 1']);
    }
  });

  await t.test('not moved, or not announced: nothing changes', async (t) => {
    const { parts, request, events, tips } = await bench();
    const bracket = mergeIntents(parts).bracket(target, facts);
    t.equal(await bracket.conclude(), false);
    for (const tip of [old, commit(7), zeroOid]) {
      tips.set(`${target} main`, tip);
      await bracket.hooks.announced?.(update);
      t.equal(await bracket.conclude(), false);
    }
    t.match(await request(), { state: 'open', mergeCommit: null });
    t.strictSame(await events(), []);
  });

  await t.test('a request closed in the meantime is merged, a merged one does not change', async (t) => {
    const { parts, land, request, store, events } = await bench();
    const intents = mergeIntents(parts);
    const id = (await request())?.id ?? '';
    await parts.unitOfWork.run(() =>
      store.update(id, { state: 'closed', closedAt: new Date(), targetBranch: 'other', updatedAt: new Date() }),
    );
    const bracket = intents.bracket(target, facts);
    await bracket.hooks.announced?.(update);
    land();
    t.equal(await bracket.conclude(), true);
    t.match(await request(), { state: 'merged', mergeCommit: made, targetBranch: 'main', closedAt: null });
    await intents.recordContained(target, facts, commit(8));
    t.match(await request(), { mergeCommit: made });
    t.strictSame(await events(), ['merge.merged 1']);
  });

  await t.test('an intent that cannot be concluded is concluded by the reconciliation', async (t) => {
    const { parts, land, request, events } = await bench();
    const away = new Unavailable('The database is away');
    let isAway = true;
    const unitOfWork = {
      get active() {
        return parts.unitOfWork.active;
      },
      run: <T>(work: () => Promise<T>) => (isAway ? Promise.reject(away) : parts.unitOfWork.run(work)),
    };
    const intents = mergeIntents({ ...parts, unitOfWork });
    const bracket = intents.bracket(target, facts);
    await bracket.hooks.announced?.(update);
    land();
    await t.rejects(bracket.conclude(), away);
    await intents.reconcile();
    t.match(await request(), { state: 'open' });
    isAway = false;
    await intents.reconcile();
    await intents.reconcile();
    t.match(await request(), { state: 'merged', mergeCommit: made });
    t.strictSame(await events(), ['merge.merged 1']);
  });
});

void t.test('the answer to a merge that is not made', async (t) => {
  /** Merges with a git that runs `merge`. */
  const merging = async (
    merge: (hooks: MergeHooks, land: () => void, given: Bench) => Promise<Merged>,
    options: {
      readonly signal?: AbortSignal;
      readonly minutesEach?: number;
      /** Another merge into the branch, which starts before this one. */
      readonly others?: (later: (minutes: number) => void) => Promise<void>;
      readonly waitMs?: number;
      readonly renew?: () => Promise<void>;
    } = {},
  ) => {
    const given = await bench();
    let calls = 0;
    let now = 0;
    const later = (minutes: number): void => void (now += minutes * 60_000);
    void given.storage.locks.exclusive(`merges.merge:${target}:main`, async () => options.others?.(later));
    const clock = { now: () => new Date(now) };
    const parts = {
      ...given.parts,
      clock,
      mergeIntents: mergeIntents(given.parts),
      settling: settled,
      reviews: { find: async () => [] },
      pipelines: undefined,
      repositories: { protections: async () => new Map() },
      users: { email: async () => 'alice@example.org', byIds: async () => new Map() },
      host: 'forge.example',
      merging: {
        merge: (_granted: unknown, _change: unknown, hooks: MergeHooks) => {
          calls += 1;
          later(options.minutesEach ?? 0);
          return merge(hooks, given.land, given);
        },
      },
    } as unknown as MergeParts & { readonly mergeIntents: ReturnType<typeof mergeIntents> };
    const granted = {
      resource: { id: target, owner: 'alice', name: 'code' },
      call: { caller: { kind: 'user', id: 'alice', username: 'alice' }, signal: options.signal ?? given.signal },
      renew: options.renew ?? (async () => undefined),
    } as unknown as Granted<Repository, 'merge.merge', User>;
    const command: MergeCommand = { number: 1, strategy: 'merge', deleteSourceBranch: false };
    // The timers of a merge keep no process alive.
    const alive = setInterval(() => undefined, 1_000);
    const times = { waitMs: options.waitMs ?? 60_000, tryMs: 60_000 };
    const outcome = await mergeRequest(parts, times)(granted, command).catch((error: unknown) => error);
    clearInterval(alive);
    return { outcome, calls, given };
  };

  await t.test('a target that keeps moving is retried for a minute, then 504', async (t) => {
    const { outcome, calls, given } = await merging(async () => ({ kind: 'moved' }), { minutesEach: 0.4 });
    t.match(outcome, { kind: 'timed_out', code: 'merge_timed_out' });
    t.equal(calls, 3);
    t.match(await given.request(), { state: 'open' });
  });

  await t.test('waiting for the lock does not count as trying: one attempt is made afterwards', async (t) => {
    const { outcome, calls } = await merging(async () => ({ kind: 'conflict', conflicts: ['a'] }), {
      others: async (later) => later(2),
    });
    t.match(outcome, { code: 'merge_conflict' });
    t.equal(calls, 1);
  });

  await t.test('a lock that is not released is 503 with Retry-After, and no attempt is made', async (t) => {
    const never = () => new Promise<void>(() => undefined);
    const { outcome, calls } = await merging(async () => ({ kind: 'moved' }), { others: never, waitMs: 10 });
    t.match(outcome, { kind: 'unavailable', code: 'unavailable', detail: /"main".*try again/, retryAfter: 10 });
    t.equal(calls, 0);
  });

  await t.test('a client that disconnects while the merge waits: 503 at once', async (t) => {
    const leaving = new AbortController();
    const { outcome, calls } = await merging(async () => ({ kind: 'moved' }), {
      signal: leaving.signal,
      others: async () => {
        setImmediate(() => leaving.abort());
        await new Promise<void>(() => undefined);
      },
    });
    t.match(outcome, { kind: 'unavailable', code: 'merge_canceled' });
    t.equal(calls, 0);
  });

  await t.test(
    'nothing to merge is recorded only if the caller still has access and the rules still allow it',
    async (t) => {
      const nothing = { kind: 'nothing', target: old } as const;
      const lost = new NotFound('Not found');
      const refused = await merging(async () => nothing, { renew: () => Promise.reject(lost) });
      t.equal(refused.outcome, lost);
      t.match(await refused.given.request(), { state: 'open', mergeCommit: null });
      const closed = await merging(async (_hooks, _land, { parts, request }) => {
        const { id } = (await request()) ?? { id: '' };
        await parts.unitOfWork.run(() => parts.store.update(id, { state: 'closed', updatedAt: new Date() }));
        return nothing;
      });
      t.match(closed.outcome, { kind: 'conflict', code: 'closed' });
      t.match(await closed.given.request(), { state: 'closed', mergeCommit: null });
      const { given } = await merging(async () => nothing);
      t.match(await given.request(), { state: 'merged', mergeCommit: old });
    },
  );

  await t.test('a client that has disconnected before: 503, and no attempt is made', async (t) => {
    const { outcome, calls } = await merging(async () => ({ kind: 'moved' }), { signal: AbortSignal.abort() });
    t.match(outcome, { kind: 'unavailable', code: 'merge_canceled' });
    t.equal(calls, 0);
  });

  await t.test('a client that disconnects while git works: 503, and the request stays open', async (t) => {
    const leaving = new AbortController();
    const { outcome, given } = await merging(
      async (hooks) => {
        await hooks.announced?.(update);
        leaving.abort(new Error('gone'));
        throw leaving.signal.reason;
      },
      { signal: leaving.signal },
    );
    t.match(outcome, { kind: 'unavailable', code: 'merge_canceled' });
    t.match(await given.request(), { state: 'open' });
  });

  await t.test('a request closed or retargeted while git works: 409, and the change stays', async (t) => {
    for (const [change, refusal] of [
      [{ state: 'closed' }, { kind: 'conflict', code: 'closed' }],
      [{ targetBranch: 'other' }, { kind: 'conflict', code: 'conflict' }],
    ] as const) {
      const { outcome, given } = await merging(async (hooks, _land, { parts, request }) => {
        await hooks.announced?.(update);
        const { id } = (await request()) ?? { id: '' };
        await parts.unitOfWork.run(() => parts.store.update(id, { ...change, updatedAt: new Date() }));
        await hooks.allowed?.();
        throw new Error('unreachable');
      });
      t.match(outcome, refusal);
      t.match(await given.request(), { state: 'open', mergeCommit: null, ...change });
      t.strictSame(await given.events(), []);
    }
  });

  await t.test("a merge that moved the branch is recorded, even if git's reply was lost", async (t) => {
    const { given } = await merging(async (hooks, land) => {
      await hooks.announced?.(update);
      land();
      throw new Unavailable('The reply was lost');
    });
    t.match(await given.request(), { state: 'merged', mergeCommit: made });
  });

  await t.test('a conflict is returned with its paths, and a fault of git unchanged', async (t) => {
    const conflict = await merging(async () => ({ kind: 'conflict', conflicts: ['a', 'b'] }));
    t.match(conflict.outcome, { code: 'merge_conflict', body: { conflicts: ['a', 'b'] } });
    const fault = await merging(async () => Promise.reject(new Unavailable('git was stopped')));
    t.match(fault.outcome, { kind: 'unavailable', message: 'git was stopped' });
  });
});
