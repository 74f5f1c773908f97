// Merging amid what goes wrong: others who move the target, a client that leaves, a record that fails, a process that
// ends; on in-memory stores, with a git of which a test says what it does.
import t from 'tap';
import { systemClock } from '#adapters/memory/index';
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { NotFound, Unavailable } from '#core/kernel/errors';
import { mergeIntents } from '#core/merges/merge-intents';
import { mergeRequest, type MergeCommand } from '#core/merges/merge';
import type { MergeParts } from '#core/merges/parts';
import {
  zeroOid,
  type GitBackend,
  type MergeHooks,
  type Merged,
  type Oid,
  type Repository,
} from '#core/repositories/index';
import { commit, target, world } from './world.ts';

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
  /** The branch moves; nobody has recorded it. */
  const land = (): void => {
    parents.set(made, [old, head]);
    tips.set(`${target} main`, made);
  };
  const request = () => store.find(target, 1);
  return { ...given, parts, land, request };
}

type Bench = Awaited<ReturnType<typeof bench>>;

void t.test('the bracket around a merge', async (t) => {
  await t.test('recorded with the push: the row, one event, and no intent left', async (t) => {
    const { parts, land, request, events, storage } = await bench();
    const bracket = mergeIntents(parts).bracket(target, facts);
    await bracket.hooks.announced?.(update);
    land();
    await storage.unitOfWork.run(async () => bracket.hooks.recorded?.(update));
    t.equal(await bracket.conclude(), true);
    t.match(await request(), { state: 'merged', mergeCommit: made, baseOid: old, mergedById: 'alice', closedAt: null });
    t.strictSame(await events(), ['merge.merged 1']);
  });

  await t.test('not recorded: the branch tells, also where others pushed on top of it', async (t) => {
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

  await t.test('never landed, or never announced: nothing changes', async (t) => {
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

  await t.test('one that is closed meanwhile is merged, one that is merged stays as it is', async (t) => {
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

  await t.test('what cannot be concluded is concluded within a minute', async (t) => {
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

void t.test('what a merge answers where it is not made', async (t) => {
  /** Merges where git does what `merge` does. */
  const merging = async (
    merge: (hooks: MergeHooks, land: () => void, given: Bench) => Promise<Merged>,
    options: {
      readonly signal?: AbortSignal;
      readonly minutesEach?: number;
      /** What others do while they merge into the branch; it begins before. */
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
    // What a merge waits by keeps no process alive.
    const alive = setInterval(() => undefined, 1_000);
    const times = { waitMs: options.waitMs ?? 60_000, tryMs: 60_000 };
    const outcome = await mergeRequest(parts, times)(granted, command).catch((error: unknown) => error);
    clearInterval(alive);
    return { outcome, calls, given };
  };

  await t.test('a target that others move again and again: tried for a minute, then 504', async (t) => {
    const { outcome, calls, given } = await merging(async () => ({ kind: 'moved' }), { minutesEach: 0.4 });
    t.match(outcome, { kind: 'timed_out', code: 'merge_timed_out' });
    t.equal(calls, 3);
    t.match(await given.request(), { state: 'open' });
  });

  await t.test('waiting for others is not trying: it is tried once its turn has come', async (t) => {
    const { outcome, calls } = await merging(async () => ({ kind: 'conflict', conflicts: ['a'] }), {
      others: async (later) => later(2),
    });
    t.match(outcome, { code: 'merge_conflict' });
    t.equal(calls, 1);
  });

  await t.test('a turn that does not come: 503 with what to do, and nothing is tried', async (t) => {
    const never = () => new Promise<void>(() => undefined);
    const { outcome, calls } = await merging(async () => ({ kind: 'moved' }), { others: never, waitMs: 10 });
    t.match(outcome, { kind: 'unavailable', code: 'unavailable', detail: /"main".*try again/, retryAfter: 10 });
    t.equal(calls, 0);
  });

  await t.test('a client that leaves while it waits: 503 at once', async (t) => {
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

  await t.test('nothing to move is recorded for who may still merge, where the rules still say so', async (t) => {
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
  });

  await t.test('a client that has left: 503, and nothing is tried', async (t) => {
    const { outcome, calls } = await merging(async () => ({ kind: 'moved' }), { signal: AbortSignal.abort() });
    t.match(outcome, { kind: 'unavailable', code: 'merge_canceled' });
    t.equal(calls, 0);
  });

  await t.test('a client that leaves while git works: 503, and the request stays open', async (t) => {
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

  await t.test('one that is closed while git works, or gets another target: 409, and it stays so', async (t) => {
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

  await t.test('what landed is merged, whatever was heard of it', async (t) => {
    const { given } = await merging(async (hooks, land) => {
      await hooks.announced?.(update);
      land();
      throw new Unavailable('The reply was lost');
    });
    t.match(await given.request(), { state: 'merged', mergeCommit: made });
  });

  await t.test('a conflict with its paths, and a fault of git as it is', async (t) => {
    const conflict = await merging(async () => ({ kind: 'conflict', conflicts: ['a', 'b'] }));
    t.match(conflict.outcome, { code: 'merge_conflict', body: { conflicts: ['a', 'b'] } });
    const fault = await merging(async () => Promise.reject(new Unavailable('git was stopped')));
    t.match(fault.outcome, { kind: 'unavailable', message: 'git was stopped' });
  });
});
