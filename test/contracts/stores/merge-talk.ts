// Contract checks for the stores of review comments and reviews of merge requests.
import assert from 'node:assert/strict';
import { Duplicate, StillReferenced } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import type { MergeComment, MergeRequest, MergeReview, MergeStore } from '#core/merges/index';
import { requestOf } from '../../core/forge.ts';
import type { Check } from '../checks.ts';
import type { ForgeUnderTest } from '../forge-under-test.ts';

export interface MergeTalkUnderTest extends ForgeUnderTest {
  readonly store: MergeStore;
  readonly comments: Rows<MergeComment>;
  readonly reviews: Rows<MergeReview>;
}

interface Given extends MergeTalkUnderTest {
  readonly ada: string;
  readonly repository: string;
  /** Writes an open request with the next number. */
  readonly add: () => Promise<MergeRequest>;
}

let made = 0;
const uuid = (): string => `00000000-0000-4000-a000-${String(++made).padStart(12, '0')}`;
const at = (second: number): Date => new Date(Date.UTC(2026, 4, 1, 10, 0, second, 123));
const oid = '0123456789'.repeat(4);

const comment = (requestId: string, authorId: string, more: Partial<MergeComment> = {}): MergeComment => ({
  id: uuid(),
  requestId,
  authorId,
  commitOid: null,
  filePath: null,
  lineNumber: null,
  startLine: null,
  body: 'it&#39;s "said" ✓\n',
  resolved: false,
  createdAt: at(0),
  updatedAt: at(0),
  ...more,
});
const review = (requestId: string, userId: string, more: Partial<MergeReview> = {}): MergeReview => ({
  id: uuid(),
  requestId,
  userId,
  state: 'pending',
  objected: false,
  body: '',
  commitOid: null,
  requestedAt: at(0),
  submittedAt: null,
  ...more,
});

function check(name: string, run: (given: Given) => Promise<void>): Check<MergeTalkUnderTest> {
  return {
    name,
    async run(provider) {
      const { store, unitOfWork } = provider;
      const ada = await provider.addUser('Ada');
      const repository = await provider.addRepository(ada, 'engine');
      const add = (): Promise<MergeRequest> =>
        unitOfWork.run(async () => {
          const number = await store.nextNumber(repository);
          const own = { id: uuid(), repositoryId: repository, number, sourceBranch: `topic-${number}`, authorId: ada };
          const request = requestOf({ ...own, headOid: oid });
          await store.insert(request);
          return request;
        });
      await run({ ...provider, ada, repository, add });
    },
  };
}

export const mergeTalkChecks: readonly Check<MergeTalkUnderTest>[] = [
  check(
    'comments read back in pages with their anchors, and can be changed',
    async ({ comments, unitOfWork, ada, add }) => {
      const [one, two] = [await add(), await add()];
      const said = [
        comment(one.id, ada, {
          createdAt: at(2),
          commitOid: oid,
          filePath: 'ä b/c.txt',
          lineNumber: 2 ** 31 - 1,
          startLine: 7,
        }),
        comment(one.id, ada, { createdAt: at(1), commitOid: oid }),
        comment(one.id, ada, { createdAt: at(3), commitOid: oid, filePath: 'x', resolved: true }),
      ] as const;
      await unitOfWork.run(async () => {
        for (const each of [...said, comment(two.id, ada)]) await comments.insert(each);
      });
      const query = { where: { requestId: one.id }, orderBy: ['createdAt', 'id'] } as const;
      assert.deepEqual((await comments.page(query, { page: 1, perPage: 2 })).items, [said[1], said[0]]);
      assert.deepEqual((await comments.page(query, { page: 2, perPage: 2 })).items, [said[2]]);
      const after = await unitOfWork.run(() =>
        comments.update({ id: said[0].id }, { body: 'other', resolved: true, updatedAt: at(9) }),
      );
      assert.deepEqual(after, { ...said[0], body: 'other', resolved: true, updatedAt: at(9) });
      assert.deepEqual(await comments.findOne({ id: said[0].id, requestId: one.id }), after);
      assert.equal(await comments.findOne({ id: said[0].id, requestId: two.id }), undefined);
      assert.deepEqual(await unitOfWork.run(() => comments.delete({ id: said[0].id })), after);
      assert.equal(await comments.count({ requestId: one.id }), 2);
    },
  ),

  check('a person has one review per request, which changes from requested to submitted', async (given) => {
    const { reviews, unitOfWork, ada, add, addUser } = given;
    const [one, two, bob] = [await add(), await add(), await addUser('bob')];
    const asked = review(one.id, bob);
    await unitOfWork.run(async () => {
      await reviews.insert(asked);
      await reviews.insert(review(one.id, ada, { state: 'approved', requestedAt: null, submittedAt: at(1) }));
      await reviews.insert(review(two.id, bob));
    });
    const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'merges_review_user';
    await assert.rejects(
      unitOfWork.run(() => reviews.insert(review(one.id, bob))),
      clash,
    );
    const said = { state: 'changes_requested', body: 'no\n', commitOid: oid, submittedAt: at(5) } as const;
    assert.deepEqual(await unitOfWork.run(() => reviews.update({ id: asked.id }, said)), { ...asked, ...said });
    assert.deepEqual(await reviews.findOne({ requestId: one.id, userId: bob }), { ...asked, ...said });
    assert.equal(await reviews.count({ requestId: one.id }), 2);
  }),

  check('comments and reviews count for their author, who cannot be deleted while they exist', async (given) => {
    const { comments, reviews, unitOfWork, store, add, addUser, removeUser, repository, removeRepository } = given;
    const [bob, carol] = [await addUser('bob'), await addUser('carol')];
    const request = await add();
    const counts = async () => {
      const found = await store.countByUser([bob, carol]);
      return [found.get(bob) ?? 0, found.get(carol) ?? 0];
    };
    assert.deepEqual(await counts(), [0, 0]);
    await unitOfWork.run(async () => {
      await comments.insert(comment(request.id, bob));
      await comments.insert(comment(request.id, bob));
      await reviews.insert(review(request.id, carol));
    });
    assert.deepEqual(await counts(), [2, 1]);
    for (const id of [bob, carol]) await assert.rejects(removeUser(id), StillReferenced);
    await removeRepository(repository);
    assert.deepEqual(await counts(), [0, 0]);
    for (const id of [bob, carol]) await removeUser(id);
  }),

  check('comments and reviews are deleted with the repository', async (given) => {
    const { comments, reviews, unitOfWork, add, ada, repository, removeRepository } = given;
    const request = await add();
    const [said, asked] = [comment(request.id, ada), review(request.id, ada)];
    await unitOfWork.run(async () => {
      await comments.insert(said);
      await reviews.insert(asked);
    });
    await removeRepository(repository);
    assert.equal(await comments.findOne({ id: said.id }), undefined);
    assert.equal(await reviews.findOne({ id: asked.id }), undefined);
  }),
];
