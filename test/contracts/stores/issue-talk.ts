// Contract checks for the stores of comments, description edits and links of issues.
import assert from 'node:assert/strict';
import { Conflict, Duplicate, StillReferenced, Unprocessable } from '#core/kernel/errors';
import type { Granted, User } from '#core/kernel/index';
import type { Rows } from '#core/kernel/storage/rows';
import type { DescriptionEdit, Issue, IssueComment, IssueLink, LinkStore, LinkType } from '#core/issues/index';
import { linkUseCases } from '#core/issues/discussion/links';
import type { Repository } from '#core/repositories/index';
import type { Check } from '../checks.ts';
import { check, uuid, type Given, type IssueStoreUnderTest } from './issue-store.ts';

export interface IssueTalkUnderTest extends IssueStoreUnderTest {
  readonly comments: Rows<IssueComment>;
  readonly edits: Rows<DescriptionEdit>;
  readonly links: LinkStore;
}

const at = (second: number): Date => new Date(Date.UTC(2026, 4, 1, 10, 0, second, 123));
const comment = (issueId: string, authorId: string, second = 0): IssueComment => ({
  id: uuid(),
  issueId,
  authorId,
  body: 'it\'s "said" ✓\n',
  createdAt: at(second),
  updatedAt: at(second),
});
const edit = (issueId: string, editedBy: string): DescriptionEdit => ({
  id: uuid(),
  issueId,
  bodyBefore: '',
  bodyAfter: 'after',
  editedBy,
  editedAt: at(0),
});
const link = (source: Issue, target: Issue, type: LinkType, second = 0): IssueLink => ({
  id: uuid(),
  sourceId: source.id,
  targetId: target.id,
  type,
  createdAt: at(second),
});
const end = ({ id, number, title, state }: Issue) => ({ id, number, title, state });

/** Links two issues as the use case does. @returns 'linked', or the class of the error. */
async function attempt(given: Given & IssueTalkUnderTest, from: Issue, type: LinkType, to: Issue): Promise<unknown> {
  const { store, links, unitOfWork, repository, ada } = given;
  const events = { emit: async () => uuid() };
  const ids = { uuid, bytes: (length: number) => new Uint8Array(length) };
  const granted = {
    resource: { id: repository, issueCode: '' },
    call: { caller: { kind: 'user', id: ada }, now: at(0) },
    may: () => true,
  } as unknown as Granted<Repository, 'issue.write', User>;
  const { create } = linkUseCases({ store, links, unitOfWork, events, ids });
  return create(granted, { number: String(from.number), type, targetNumber: to.number }).then(
    () => 'linked',
    (error: unknown) => (error instanceof Error ? error.constructor : error),
  );
}

export const issueTalkChecks: readonly Check<IssueTalkUnderTest>[] = [
  check('comments read back in pages, and each issue of a list has its own comment count', async (given) => {
    const { comments, unitOfWork, store, repository, ada, add } = given;
    const [one, two] = [await add(), await add()];
    const said = [comment(one.id, ada, 2), comment(one.id, ada, 1), comment(one.id, ada, 3)] as const;
    await unitOfWork.run(async () => {
      for (const each of [...said, comment(two.id, ada)]) await comments.insert(each);
    });
    const query = { where: { issueId: one.id }, orderBy: ['createdAt', 'id'] } as const;
    assert.deepEqual((await comments.page(query, { page: 1, perPage: 2 })).items, [said[1], said[0]]);
    const counts = async () =>
      (await store.list(repository, {}, { order: 'oldest', limit: 9, offset: 0 })).map((row) => row.commentsCount);
    assert.deepEqual(await counts(), [3, 1]);
    await unitOfWork.run(() => comments.delete({ id: said[0].id }));
    assert.deepEqual(await counts(), [2, 1]);
    assert.equal((await store.byNumber(repository, one.number))?.commentsCount, 2);
  }),

  check(
    'comments and description edits count for their author, who cannot be deleted while they exist',
    async (given) => {
      const { comments, edits, unitOfWork, store, add, addUser, removeUser, repository } = given;
      const [bob, carol] = [await addUser('bob'), await addUser('carol')];
      const issue = await add();
      const counts = async () => {
        const found = await store.countByAuthor([bob, carol]);
        return [found.get(bob) ?? 0, found.get(carol) ?? 0];
      };
      assert.deepEqual(await counts(), [0, 0]);
      await unitOfWork.run(async () => {
        await comments.insert(comment(issue.id, bob));
        await comments.insert(comment(issue.id, bob));
        await edits.insert(edit(issue.id, carol));
      });
      assert.deepEqual(await counts(), [2, 1]);
      for (const id of [bob, carol]) await assert.rejects(removeUser(id), StillReferenced);
      await unitOfWork.run(() => store.delete(issue.id));
      assert.deepEqual(await counts(), [0, 0]);
      for (const id of [bob, carol]) await removeUser(id);
      assert.equal(await store.count(repository, {}), 0);
    },
  ),

  check('links read back from both ends, oldest first, with the issues at their ends', async (given) => {
    const { links, unitOfWork, add } = given;
    const [one, two, three] = [await add({ title: 'One' }), await add({ state: 'closed' }), await add()];
    const [first, second] = [link(two, one, 'duplicates', 1), link(one, two, 'relates_to', 2)];
    await unitOfWork.run(async () => {
      await links.insert(second);
      await links.insert(first);
    });
    const shown = [
      { ...first, source: end(two), target: end(one) },
      { ...second, source: end(one), target: end(two) },
    ];
    assert.deepEqual(await links.of(one.id), shown);
    assert.deepEqual(await links.of(two.id), shown);
    assert.deepEqual(await links.of(three.id), []);
  }),

  check(
    'one link of a type in one direction is unique, and each type is independent',
    async ({ links, unitOfWork, add }) => {
      const [one, two] = [await add(), await add()];
      const insert = (made: IssueLink) => unitOfWork.run(() => links.insert(made));
      await insert(link(one, two, 'blocks'));
      await insert(link(one, two, 'duplicates'));
      await insert(link(two, one, 'duplicates'));
      const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'issues_link_ends';
      await assert.rejects(insert(link(one, two, 'blocks')), clash);
      assert.equal((await links.of(one.id)).length, 3);
    },
  ),

  check('a link is deleted from either end, and from no other issue', async ({ links, unitOfWork, add }) => {
    const [one, two, three] = [await add(), await add(), await add()];
    const remove = (issueId: string, id: string) => unitOfWork.run(() => links.delete(issueId, id));
    for (const from of [one, two]) {
      const made = link(one, two, 'blocks');
      await unitOfWork.run(() => links.insert(made));
      assert.equal(await remove(three.id, made.id), undefined);
      assert.deepEqual(await remove(from.id, made.id), made);
      assert.equal(await remove(from.id, made.id), undefined);
    }
    assert.deepEqual(await links.of(one.id), []);
  }),

  check('blocking is transitive; other link types and the reverse direction do not count', async (given) => {
    const { links, unitOfWork, add } = given;
    const issues = [await add(), await add(), await add(), await add(), await add()] as const;
    const [a, b, c, d, e] = issues;
    await unitOfWork.run(async () => {
      // Two paths from the first to the fourth.
      for (const [from, to] of [
        [a, b],
        [b, d],
        [a, c],
        [c, d],
      ] as const)
        await links.insert(link(from, to, 'blocks'));
      await links.insert(link(d, e, 'relates_to'));
      await links.insert(link(d, e, 'duplicates'));
    });
    const blocked = async (from: Issue) => {
      const found: number[] = [];
      for (const to of issues) if (await links.blocks(from.id, to.id)) found.push(to.number);
      return found;
    };
    assert.deepEqual(await blocked(a), [2, 3, 4]);
    assert.deepEqual(await blocked(b), [4]);
    assert.deepEqual(await blocked(d), []);
  }),

  check('of concurrent links that would form a blocking cycle one is refused', async (given) => {
    const { links, add } = given;
    for (let round = 0; round < 5; round++) {
      const [a, b, c] = [await add(), await add(), await add()];
      const answers = await Promise.all([
        attempt(given, a, 'blocks', b),
        attempt(given, b, 'blocks', c),
        attempt(given, c, 'blocks', a),
      ]);
      assert.deepEqual(
        answers.filter((answer) => answer !== 'linked'),
        [Unprocessable],
      );
      for (const one of [a, b, c]) assert.equal(await links.blocks(one.id, one.id), false);
    }
  }),

  check('of concurrent links that relate two issues from both ends exactly one is made', async (given) => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await given.add(), await given.add()];
      const answers = await Promise.all([
        attempt(given, a, 'relates_to', b),
        attempt(given, b, 'relates_to', a),
        attempt(given, a, 'relates_to', b),
      ]);
      assert.deepEqual(
        answers.filter((answer) => answer !== 'linked'),
        [Conflict, Conflict],
      );
      assert.equal((await given.links.of(a.id)).length, 1);
    }
  }),

  check('comments, edits and links are deleted with their issue and with the repository', async (given) => {
    const { comments, edits, links, unitOfWork, store, add, ada, repository, removeRepository } = given;
    const [one, two] = [await add(), await add()];
    const said = [comment(one.id, ada), comment(two.id, ada)] as const;
    const changed = [edit(one.id, ada), edit(two.id, ada)] as const;
    await unitOfWork.run(async () => {
      for (const each of said) await comments.insert(each);
      for (const each of changed) await edits.insert(each);
      await links.insert(link(one, two, 'blocks'));
    });
    await unitOfWork.run(() => store.delete(one.id));
    assert.equal(await comments.findOne({ id: said[0].id }), undefined);
    assert.equal(await edits.findOne({ id: changed[0].id }), undefined);
    assert.deepEqual(await links.of(two.id), []);
    await removeRepository(repository);
    assert.equal(await comments.findOne({ id: said[1].id }), undefined);
    assert.equal(await edits.findOne({ id: changed[1].id }), undefined);
  }),
];
