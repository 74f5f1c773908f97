// Contract checks for MergeStore: numbers, one open request per pair of branches, replaced sets, order, counts,
// deletion with a repository, and rollback.
import assert from 'node:assert/strict';
import type { Rows } from '#core/kernel/storage/rows';
import { Duplicate, StillReferenced } from '#core/kernel/errors';
import { openPairUnique, type MergeRequest, type MergeReview, type MergeStore } from '#core/merges/index';
import { requestOf } from '../../core/forge.ts';
import type { Check } from '../checks.ts';
import type { ForgeUnderTest } from '../forge-under-test.ts';

export interface MergeStoreUnderTest extends ForgeUnderTest {
  readonly store: MergeStore;
  readonly reviews: Rows<MergeReview>;
}

interface Given extends MergeStoreUnderTest {
  readonly ada: string;
  readonly repository: string;
  /** Writes a request with the next number and its own branch. */
  readonly add: (patch?: Partial<MergeRequest>) => Promise<MergeRequest>;
}

let made = 0;
const uuid = (): string => `00000000-0000-4000-a000-${String(++made).padStart(12, '0')}`;
const oid = (digit: string): string => digit.repeat(40);
const at = new Date('2026-05-01T10:00:00.123Z');
const all = { order: 'newest', limit: 100, offset: 0 } as const;

const check = (name: string, run: (given: Given) => Promise<void>): Check<MergeStoreUnderTest> => ({
  name,
  async run(provider) {
    const { store, unitOfWork } = provider;
    const ada = await provider.addUser('Ada');
    const repository = await provider.addRepository(ada, 'engine');
    const add = (patch: Partial<MergeRequest> = {}): Promise<MergeRequest> =>
      unitOfWork.run(async () => {
        const repositoryId = patch.repositoryId ?? repository;
        const number = await store.nextNumber(repositoryId);
        const own = { id: uuid(), repositoryId, number, sourceBranch: `topic-${number}`, authorId: ada };
        const request = requestOf({ ...own, headOid: oid('a'), createdAt: at, updatedAt: at, ...patch });
        await store.insert(request);
        return request;
      });
    await run({ ...provider, ada, repository, add });
  },
});

const person = (id: string, username: string) => ({ id, username, displayName: '', avatarUrl: '' });
const review = (requestId: string, userId: string, state: MergeReview['state'] = 'pending'): MergeReview => ({
  id: uuid(),
  requestId,
  userId,
  state,
  objected: false,
  body: '',
  commitOid: null,
  requestedAt: at,
  submittedAt: null,
});

export const mergeStoreChecks: readonly Check<MergeStoreUnderTest>[] = [
  check('a request reads back unchanged, with people, labels and reviewers', async (given) => {
    const { store, reviews, unitOfWork, add, addUser, addRepository, repository, ada } = given;
    const [bob, carol] = [await addUser('bob'), await addUser('Carol')];
    const fork = await addRepository(bob, 'fork');
    const label = uuid();
    const request = await add({
      title: 'it\'s "ok" \\ ✓ ?',
      description: 'a\nb',
      state: 'merged',
      isDraft: true,
      sourceRepositoryId: fork,
      sourceBranch: 'feature/ü',
      reopenedById: carol,
      sourceLoss: 'less_visible',
      sourceVisibility: 'private',
      targetVisibility: 'internal',
      milestoneId: uuid(),
      baseOid: oid('b'),
      mergeCommit: oid('c'),
      mergedById: bob,
      updatedAt: new Date('2026-05-02T00:00:00.001Z'),
      mergedAt: new Date('2026-05-02T00:00:00.001Z'),
      closedAt: new Date('2026-05-03T00:00:00.001Z'),
    });
    await unitOfWork.run(async () => {
      await store.replaceLabels(request.id, [label]);
      await store.replaceAssignees(request.id, [carol, ada]);
      await reviews.insert(review(request.id, carol, 'approved'));
      await reviews.insert(review(request.id, bob));
    });
    const before = given.statements?.();
    const whole = await store.byNumber(repository, 1);
    if (before !== undefined) assert.equal(given.statements?.(), before + 1, 'one query');
    assert.deepEqual(whole, {
      ...request,
      author: person(ada, 'Ada'),
      assignees: [person(ada, 'Ada'), person(carol, 'Carol')],
      labelIds: [label],
      reviewers: [
        { user: person(bob, 'bob'), state: 'pending' },
        { user: person(carol, 'Carol'), state: 'approved' },
      ],
    });
    assert.deepEqual(await store.find(repository, 1), request);
    for (const none of [store.find(repository, 2), store.byNumber(repository, 2), store.byNumber(uuid(), 1)])
      assert.equal(await none, undefined);
  }),

  check('numbers are per repository from 1, and a rollback leaves no gap', async (given) => {
    const { add, ada, addRepository } = given;
    const other = await addRepository(ada, 'other');
    assert.equal((await add()).number, 1);
    assert.equal((await add({ repositoryId: other })).number, 1);
    await assert.rejects(add({ authorId: uuid() }), 'an author who does not exist');
    assert.equal((await add()).number, 2);
    const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'merges_request_number';
    await assert.rejects(add({ number: 1 }), clash);
  }),

  check('twenty concurrent requests get twenty consecutive numbers', async ({ add }) => {
    const numbers = (await Promise.all(Array.from({ length: 20 }, () => add()))).map(({ number }) => number);
    assert.deepEqual(
      numbers.sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  }),

  check('a pair of branches has at most one open request', async (given) => {
    const { store, unitOfWork, add, ada, addRepository, repository } = given;
    const clash = (error: unknown) => error instanceof Duplicate && error.constraint === openPairUnique;
    const pair = { repositoryId: repository, sourceRepositoryId: repository, sourceBranch: 'x', targetBranch: 'main' };
    const first = await add(pair);
    assert.equal(await store.openOf(pair), 1);
    await assert.rejects(add(pair), clash);
    const fork = await addRepository(ada, 'fork');
    await add({ ...pair, sourceRepositoryId: fork });
    await add({ ...pair, targetBranch: 'next' });
    assert.equal(await store.openOf({ ...pair, targetBranch: 'next' }), 3);
    assert.equal(await store.openOf({ ...pair, sourceBranch: 'y' }), undefined);
    const closed = await add({ ...pair, state: 'closed' });
    const reopen = () => unitOfWork.run(() => store.update(closed.id, { state: 'open', updatedAt: at }));
    await assert.rejects(reopen(), clash);
    await unitOfWork.run(() => store.update(first.id, { state: 'merged', updatedAt: at }));
    await reopen();
    assert.equal(await store.openOf(pair), closed.number);
  }),

  check('sets are replaced as a whole, and a rollback keeps the previous ones', async (given) => {
    const { store, unitOfWork, add, addUser, repository, ada } = given;
    const bob = await addUser('bob');
    const { id } = await add();
    const [one, two, three] = [uuid(), uuid(), uuid()];
    const replace = (labels: readonly string[], people: readonly string[]) =>
      unitOfWork.run(async () => {
        await store.replaceLabels(id, labels);
        await store.replaceAssignees(id, people);
      });
    await replace([one, two], [bob, ada]);
    await replace([two, three], [bob]);
    const read = async () => {
      const held = await unitOfWork.run(() => store.held(repository, 1));
      return [held?.labelIds.toSorted(), held?.assigneeIds];
    };
    assert.deepEqual(await read(), [[two, three].sort(), [bob]]);
    const failing = unitOfWork.run(async () => {
      await store.replaceLabels(id, []);
      await store.replaceAssignees(id, []);
      await store.update(id, { title: 'lost', updatedAt: at });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(await read(), [[two, three].sort(), [bob]]);
    assert.equal((await store.find(repository, 1))?.title, 'A request');
    await unitOfWork.run(() => store.dropLabel(two));
    assert.deepEqual(await read(), [[three], [bob]]);
    await replace([], []);
    assert.deepEqual(await read(), [[], []]);
  }),

  check('an update changes only the given members', async (given) => {
    const { store, unitOfWork, add, repository } = given;
    const before = await add({ milestoneId: uuid(), closedAt: at });
    const patch = { title: 'New', headOid: oid('d'), closedAt: null, updatedAt: new Date('2026-06-01T00:00:00.000Z') };
    await unitOfWork.run(() => store.update(before.id, patch));
    const after = await unitOfWork.run(() => store.held(repository, 1));
    assert.deepEqual(after, { ...before, ...patch, labelIds: [], assigneeIds: [] });
    await unitOfWork.run(() => store.dropMilestone(before.milestoneId ?? ''));
    assert.equal((await store.find(repository, 1))?.milestoneId, null);
    assert.equal(await unitOfWork.run(() => store.held(repository, 2)), undefined);
  }),

  check('a list is newest or oldest first, in pages, of one repository and state', async (given) => {
    const { store, add, ada, addRepository, repository } = given;
    const other = await addRepository(ada, 'other');
    for (const state of ['open', 'closed', 'open', 'merged', 'open'] as const) await add({ state });
    await add({ repositoryId: other });
    const page = async (slice: object, filter = {}) =>
      (await store.list(repository, filter, { ...all, ...slice })).map(({ number }) => number);
    assert.deepEqual(await page({}), [5, 4, 3, 2, 1]);
    assert.deepEqual(await page({ limit: 2, offset: 2 }), [3, 2]);
    assert.deepEqual(await page({ order: 'oldest', limit: 2 }), [1, 2]);
    assert.deepEqual(await page({ offset: 9 }), []);
    assert.deepEqual(await page({ beyond: 3 }), [2, 1]);
    assert.deepEqual(await page({ order: 'oldest', beyond: 3, limit: 1 }), [4]);
    for (const [state, numbers] of [
      ['open', [5, 3, 1]],
      ['closed', [2]],
      ['merged', [4]],
    ] as const) {
      assert.deepEqual(await page({}, { state }), numbers);
      assert.equal(await store.count(repository, { state }), numbers.length);
    }
    assert.equal(await store.count(repository, {}), 5);
    const before = given.statements?.();
    const [row] = await store.list(repository, {}, all);
    if (before !== undefined) assert.equal(given.statements?.(), before + 1, 'one query');
    assert.deepEqual([row?.author, row?.assignees], [person(ada, 'Ada'), []]);
  }),

  check('whole lists are filtered by people, labels and titles, in one query', async (given) => {
    const { store, reviews, unitOfWork, add, addUser, repository, ada } = given;
    const bob = await addUser('bob');
    const [label, milestone] = [uuid(), uuid()];
    const one = await add({ title: 'Fix the 100% case_one', milestoneId: milestone });
    const two = await add({ authorId: bob, isDraft: true, title: 'Other' });
    await unitOfWork.run(async () => {
      await store.replaceLabels(one.id, [label]);
      await store.replaceAssignees(two.id, [ada]);
      await reviews.insert(review(one.id, bob));
    });
    const before = given.statements?.();
    const [newest, oldest] = await store.listWhole(repository, {}, all);
    if (before !== undefined) assert.equal(given.statements?.(), before + 1, 'one query');
    assert.deepEqual([newest?.number, newest?.assignees, newest?.commentsCount], [2, [person(ada, 'Ada')], 0]);
    assert.deepEqual(oldest?.labelIds, [label]);
    assert.deepEqual(oldest?.reviewers, [{ user: person(bob, 'bob'), state: 'pending' }]);
    for (const [filter, numbers] of [
      [{ authorId: ada }, [1]],
      [{ authorId: bob }, [2]],
      [{ assigneeId: ada }, [2]],
      [{ reviewerId: bob }, [1]],
      [{ labelId: label }, [1]],
      [{ milestoneId: milestone }, [1]],
      [{ isDraft: true }, [2]],
      [{ isDraft: false }, [1]],
      [{ q: '100% CASE_' }, [1]],
      [{ q: 'caseXone' }, []],
      [{ q: 'o', authorId: bob }, [2]],
      [{ reviewerId: ada }, []],
    ] as const) {
      const found = await store.listWhole(repository, filter, all);
      assert.deepEqual(
        found.map(({ number }) => number),
        numbers,
        JSON.stringify(filter),
      );
      assert.equal(await store.count(repository, filter), numbers.length);
    }
  }),

  check('open requests that a user wrote or is asked to review are found in all repositories', async (given) => {
    const { store, reviews, unitOfWork, add, addUser, addRepository, ada } = given;
    const bob = await addUser('bob');
    const other = await addRepository(bob, 'other');
    const first = await add({ updatedAt: new Date('2026-05-01T00:00:00.000Z') });
    const second = await add({ repositoryId: other, updatedAt: new Date('2026-05-02T00:00:00.000Z') });
    const closed = await add({ state: 'closed' });
    await unitOfWork.run(async () => {
      await reviews.insert(review(first.id, bob));
      await reviews.insert(review(second.id, bob, 'approved'));
      await reviews.insert(review(closed.id, bob));
    });
    const before = given.statements?.();
    const idsOf = async (...asked: Parameters<MergeStore['openOfUser']>) =>
      (await store.openOfUser(...asked)).map(({ id }) => id);
    assert.deepEqual(await idsOf(ada, 'author', 9), [second.id, first.id]);
    if (before !== undefined) assert.equal(given.statements?.(), before + 1, 'one query');
    assert.deepEqual(await idsOf(ada, 'author', 1), [second.id]);
    assert.deepEqual(await idsOf(bob, 'reviewer', 9), [first.id]);
    assert.deepEqual(await idsOf(bob, 'author', 9), []);
  }),

  check('open requests of a branch, as source and as target, are read in batches', async (given) => {
    const { store, add, ada, addRepository, repository } = given;
    const fork = await addRepository(ada, 'fork');
    const ids: string[] = [];
    for (const targetBranch of ['main', 'next', 'old']) {
      const { id } = await add({ sourceRepositoryId: fork, sourceBranch: 'fix', targetBranch });
      ids.push(id);
    }
    await add({ sourceRepositoryId: fork, sourceBranch: 'fix', targetBranch: 'past', state: 'closed' });
    await add({ sourceBranch: 'fix', targetBranch: 'next' });
    const from = { repositoryId: fork, branch: 'fix' };
    const idsOf = (requests: readonly MergeRequest[]) => requests.map(({ id }) => id);
    ids.sort();
    assert.deepEqual(idsOf(await store.openFrom(from, undefined, 9)), ids);
    assert.deepEqual(idsOf(await store.openFrom(from, undefined, 2)), ids.slice(0, 2));
    assert.deepEqual(idsOf(await store.openFrom(from, ids[0], 9)), ids.slice(1));
    assert.deepEqual(idsOf(await store.openFrom({ ...from, branch: 'none' }, undefined, 9)), []);
    assert.equal(await store.countOpenFrom(from, ada), ids.length);
    assert.equal(await store.countOpenFrom(from, uuid()), 0);
    assert.equal(await store.countOpenFrom({ ...from, branch: 'none' }, ada), 0);
    const into = await store.openInto({ repositoryId: repository, branch: 'next' }, undefined, 9);
    assert.deepEqual(into.map(({ number }) => number).sort(), [2, 5]);
    assert.deepEqual(idsOf(await store.openInto({ repositoryId: fork, branch: 'next' }, undefined, 9)), []);
    const any = async (limit: number, ...branches: readonly string[]) =>
      (await store.openIntoAny(repository, branches, limit)).map(({ number }) => number).sort();
    assert.deepEqual(await any(9, 'next', 'main', 'past'), [1, 2, 5]);
    assert.equal((await any(2, 'next', 'main')).length, 2);
    assert.deepEqual(await any(9), []);
  }),

  check(
    'open requests from other repositories that still follow their source, by source, target or user',
    async (given) => {
      const { store, add, addUser, addRepository, repository, ada } = given;
      const bob = await addUser('bob');
      const [fork, other] = [await addRepository(ada, 'fork'), await addRepository(ada, 'other')];
      const open = [
        await add({ sourceRepositoryId: fork }),
        await add({ sourceRepositoryId: other, authorId: bob }),
        await add({ sourceRepositoryId: fork, repositoryId: other, reopenedById: bob }),
      ].map(({ id }) => id);
      await add();
      await add({ sourceRepositoryId: fork, state: 'closed' });
      await add({ sourceRepositoryId: fork, sourceLoss: 'cannot_push' });
      await add({ sourceRepositoryId: undefined });
      const sorted = (...chosen: readonly number[]) => chosen.map((index) => open[index]).sort();
      const idsOf = async (...asked: Parameters<typeof store.openFromOthers>) =>
        (await store.openFromOthers(...asked)).map(({ id }) => id);
      assert.deepEqual(await idsOf({ sourceRepositoryId: fork }, undefined, 9), sorted(0, 2));
      assert.deepEqual(await idsOf({ repositoryId: repository }, undefined, 9), sorted(0, 1));
      assert.deepEqual(await idsOf({ userId: bob }, undefined, 9), sorted(1, 2));
      const [first, second] = sorted(1, 2);
      assert.deepEqual(await idsOf({ userId: bob }, undefined, 1), [first]);
      assert.deepEqual(await idsOf({ userId: bob }, first, 9), [second]);
    },
  ),

  check('open requests from forks, also from deleted ones, are found by their target', async (given) => {
    const { store, add, ada, addRepository, removeRepository, unitOfWork, repository } = given;
    const [fork, other] = [await addRepository(ada, 'fork'), await addRepository(ada, 'other')];
    const gone = await addRepository(ada, 'gone');
    const from = (sourceRepositoryId: string, patch: Partial<MergeRequest> = {}) =>
      add({ sourceRepositoryId, ...patch });
    const wanted = [await from(fork), await from(fork, { sourceLoss: 'cannot_push' }), await from(gone)];
    await from(fork, { state: 'closed' });
    await from(fork, { state: 'merged' });
    await from(fork, { repositoryId: other });
    await from(repository);
    await unitOfWork.run(() => removeRepository(gone));
    const sorted = wanted.map(({ id }) => id).toSorted();
    const idsOf = async (...asked: Parameters<typeof store.openFromForks>) =>
      (await store.openFromForks(...asked)).map(({ id }) => id);
    assert.deepEqual(await idsOf(repository, undefined, 9), sorted);
    assert.deepEqual(await idsOf(repository, undefined, 2), sorted.slice(0, 2));
    assert.deepEqual(await idsOf(repository, sorted[1], 9), sorted.slice(2));
    const [found] = await store.openFromForks(repository, undefined, 1);
    assert.deepEqual(found, await store.find(repository, found?.number ?? 0));
  }),

  check(
    'deleting the fork clears the source of a request; deleting the repository deletes the request',
    async (given) => {
      const { store, add, ada, addRepository, removeRepository, unitOfWork, repository } = given;
      const fork = await addRepository(ada, 'fork');
      const request = await add({ sourceRepositoryId: fork });
      await unitOfWork.run(() => removeRepository(fork));
      assert.deepEqual(await store.find(repository, 1), { ...request, sourceRepositoryId: undefined });
      assert.equal((await store.byNumber(repository, 1))?.sourceRepositoryId, undefined);
      assert.equal(await store.openOf({ ...request, sourceRepositoryId: undefined }), undefined);
      await add({ sourceRepositoryId: undefined, sourceBranch: request.sourceBranch });
      await unitOfWork.run(() => removeRepository(repository));
      assert.equal(await store.find(repository, 1), undefined);
    },
  ),

  check('an author, merger or reviewer cannot be deleted; an assignee can', async (given) => {
    const { store, reviews, unitOfWork, add, addUser, removeUser, repository } = given;
    const [author, merger, reviewer, assignee] = [
      await addUser('author'),
      await addUser('merger'),
      await addUser('reviewer'),
      await addUser('assignee'),
    ];
    const { id } = await add({ authorId: author, mergedById: merger, reopenedById: assignee });
    await unitOfWork.run(async () => {
      await reviews.insert(review(id, reviewer));
      await store.replaceAssignees(id, [assignee]);
    });
    const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'merges_review_user';
    await assert.rejects(
      unitOfWork.run(() => reviews.insert(review(id, reviewer))),
      clash,
    );
    const counts = await store.countByUser([author, merger, reviewer, assignee]);
    assert.deepEqual(
      [author, merger, reviewer, assignee].map((user) => counts.get(user) ?? 0),
      [1, 1, 1, 0],
    );
    for (const user of [author, merger, reviewer])
      await assert.rejects(removeUser(user), (error: unknown) => error instanceof StillReferenced);
    await removeUser(assignee);
    const left = await store.byNumber(repository, 1);
    assert.deepEqual([left?.assignees, left?.reopenedById], [[], null]);
    assert.equal((await store.countByUser([])).size, 0);
  }),

  check('open requests are counted per repository, for a batch', async (given) => {
    const { store, add, ada, addRepository, repository } = given;
    const other = await addRepository(ada, 'other');
    await add();
    await add({ state: 'closed' });
    await add();
    await add({ repositoryId: other });
    const open = await store.countOpen([repository, other, uuid()]);
    assert.deepEqual([open.get(repository), open.get(other)], [2, 1]);
    assert.equal((await store.countOpen([])).size, 0);
  }),
];
