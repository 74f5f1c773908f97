// Contract checks for IssueStore: numbers, replaced sets, filters, order, hierarchy, counts and rollback.
import assert from 'node:assert/strict';
import { Duplicate } from '#core/kernel/errors';
import { builtInTypes, issueDefaults, type Issue, type IssueFilter, type IssueStore } from '#core/issues/index';
import type { Check } from '../checks.ts';
import type { ForgeUnderTest } from '../forge-under-test.ts';

export interface IssueStoreUnderTest extends ForgeUnderTest {
  readonly store: IssueStore;
}

export interface Given extends IssueStoreUnderTest {
  readonly ada: string;
  readonly repository: string;
  /** Writes an issue with the next number. */
  readonly add: (patch?: Partial<Issue>) => Promise<Issue>;
  /** The numbers of the issues that match a filter. */
  readonly numbers: (filter: IssueFilter) => Promise<readonly number[]>;
}

let made = 0;
export const uuid = (): string => `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`;
export const typeId = (name: (typeof builtInTypes)[number]['name']): string =>
  builtInTypes.find((type) => type.name === name)?.id ?? '';
const all = { order: 'newest', limit: 100, offset: 0 } as const;

/** Makes a check. `P` is the type of the provider if it has more stores. */
export function check<P extends IssueStoreUnderTest = IssueStoreUnderTest>(
  name: string,
  run: (given: Given & P) => Promise<void>,
): Check<P> {
  return {
    name,
    async run(provider) {
      const { store, unitOfWork } = provider;
      const ada = await provider.addUser('Ada');
      const repository = await provider.addRepository(ada, 'engine');
      const add = (patch: Partial<Issue> = {}): Promise<Issue> =>
        unitOfWork.run(async () => {
          const repositoryId = patch.repositoryId ?? repository;
          const at = new Date('2026-05-01T10:00:00.123Z');
          const issue: Issue = {
            id: uuid(),
            repositoryId,
            number: await store.nextNumber(repositoryId),
            authorId: ada,
            title: 'An issue',
            ...issueDefaults,
            state: 'open',
            closedAt: null,
            createdAt: at,
            updatedAt: at,
            typeId: typeId('task'),
            parentId: null,
            ...patch,
          };
          await store.insert(issue);
          return issue;
        });
      const numbers = async (filter: IssueFilter) => {
        const rows = await store.list(repository, filter, all);
        assert.equal(await store.count(repository, filter), rows.length);
        return rows.map(({ number }) => number);
      };
      await run({ ...provider, ada, repository, add, numbers });
    },
  };
}

export const issueStoreChecks: readonly Check<IssueStoreUnderTest>[] = [
  check('an issue reads back unchanged, with its author, type and parent', async (given) => {
    const { store, add, repository, ada } = given;
    const parent = await add({ title: 'Above', typeId: typeId('epic') });
    const issue = await add({
      title: 'it\'s "ok" \\ ✓ ?',
      description: 'a\nb',
      state: 'closed',
      status: 'in_progress',
      priority: 'high',
      locked: true,
      closedAt: new Date('2026-05-02T00:00:00.001Z'),
      parentId: parent.id,
      dueDate: '2028-02-29',
      milestoneId: uuid(),
      storyPoints: 0,
      inputTokens: Number.MAX_SAFE_INTEGER,
      outputTokens: 5,
      assumptions: 'x',
      acceptanceCriteria: 'y',
    });
    assert.deepEqual(await store.byNumber(repository, 2), {
      ...issue,
      author: { id: ada, username: 'Ada', displayName: '', avatarUrl: '' },
      type: builtInTypes[2],
      parent: { id: parent.id, number: 1, title: 'Above' },
      assignees: [],
      labelIds: [],
      childrenCount: 0,
      commentsCount: 0,
    });
    assert.equal((await store.byNumber(repository, 1))?.childrenCount, 1);
    assert.equal(await store.byNumber(repository, 3), undefined);
    assert.equal(await store.byNumber(uuid(), 2), undefined, 'of another repository');
    assert.deepEqual(
      await store.titles(repository, [2, 3, 1]),
      new Map([
        [1, 'Above'],
        [2, issue.title],
      ]),
    );
    assert.deepEqual(await store.titles(repository, []), new Map());
    assert.deepEqual(await store.titles(uuid(), [1]), new Map(), 'of another repository');
  }),

  check(
    'numbers are per repository from 1; a number is not reused after a deletion, and is reused after a rollback',
    async (given) => {
      const { store, unitOfWork, add, ada, addRepository } = given;
      const other = await addRepository(ada, 'other');
      assert.equal((await add()).number, 1);
      const second = await add();
      assert.equal((await add({ repositoryId: other })).number, 1);
      await unitOfWork.run(() => store.delete(second.id));
      await assert.rejects(add({ authorId: uuid() }), 'an author who does not exist');
      assert.equal((await add()).number, 3);
      const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'issues_issue_number';
      await assert.rejects(add({ number: 1 }), clash);
    },
  ),

  check('sets are replaced as a whole; watchers are added; a rollback keeps the previous sets', async (given) => {
    const { store, unitOfWork, add, addUser, repository, ada } = given;
    const bob = await addUser('bob');
    const { id } = await add();
    const [one, two, three] = [uuid(), uuid(), uuid()];
    const replace = (labels: readonly string[], people: readonly string[]) =>
      unitOfWork.run(async () => {
        await store.replaceLabels(id, labels);
        await store.replaceAssignees(id, people);
        await store.watch(id, people);
      });
    await replace([one, two], [bob, ada]);
    await replace([two, three], [bob]);
    const read = async () => {
      const row = await store.byNumber(repository, 1);
      return [row?.labelIds.toSorted(), row?.assignees.map(({ username }) => username)];
    };
    assert.deepEqual(await read(), [[two, three].sort(), ['bob']]);
    const held = await unitOfWork.run(() => store.held(repository, 1));
    assert.deepEqual([held?.labelIds.toSorted(), held?.assigneeIds], [[two, three].sort(), [bob]]);
    assert.deepEqual(await store.watching(id, ada), { watchers: 2, watching: true });
    assert.deepEqual(await store.watching(id, undefined), { watchers: 2, watching: false });
    for (let round = 0; round < 2; round++) await unitOfWork.run(() => store.unwatch(id, ada));
    assert.deepEqual(await store.watching(id, ada), { watchers: 1, watching: false });
    await assert.rejects(
      unitOfWork.run(async () => {
        await store.replaceLabels(id, []);
        await store.replaceAssignees(id, []);
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(await read(), [[two, three].sort(), ['bob']]);
    await replace([], [ada, bob]);
    assert.deepEqual(await read(), [[], ['Ada', 'bob']], 'by username ignoring case');
    await store.dropLabel(one);
  }),

  check('an update changes only the given members', async (given) => {
    const { store, unitOfWork, add, repository } = given;
    const before = await add({ storyPoints: 3, title: 'Old' });
    const updatedAt = new Date('2026-06-01T00:00:00.000Z');
    await unitOfWork.run(() => store.update(before.id, { title: 'New ÄÖ', storyPoints: null, updatedAt }));
    const after = await unitOfWork.run(() => store.held(repository, 1));
    assert.deepEqual(after, {
      ...before,
      title: 'New ÄÖ',
      storyPoints: null,
      updatedAt,
      labelIds: [],
      assigneeIds: [],
    });
    assert.equal(await store.count(repository, { q: 'w äö' }), 1, 'the title ignoring case');
    assert.equal(await store.count(repository, { q: 'old' }), 0);
    assert.equal(await unitOfWork.run(() => store.held(repository, 2)), undefined);
  }),

  check('a list is newest or oldest first, in pages, of one repository', async (given) => {
    const { store, add, ada, addRepository, repository } = given;
    const other = await addRepository(ada, 'other');
    for (let count = 0; count < 5; count++) await add();
    await add({ repositoryId: other });
    const page = async (slice: object) =>
      (await store.list(repository, {}, { ...all, ...slice })).map(({ number }) => number);
    assert.deepEqual(await page({}), [5, 4, 3, 2, 1]);
    assert.deepEqual(await page({ limit: 2, offset: 2 }), [3, 2]);
    assert.deepEqual(await page({ order: 'oldest', limit: 2 }), [1, 2]);
    assert.deepEqual(await page({ offset: 9 }), []);
    assert.deepEqual(await page({ beyond: 3 }), [2, 1]);
    assert.deepEqual(await page({ order: 'oldest', beyond: 3, limit: 1 }), [4]);
    assert.deepEqual(await page({ beyond: 1 }), []);
    assert.equal(await store.count(repository, {}), 5);
  }),

  check(
    'each filter matches what it names, and several filters combine',
    async ({ store, unitOfWork, add, addUser, numbers, ada }) => {
      const [milestoneId, bob] = [uuid(), await addUser('Bob')];
      const first = await add({
        title: 'Login fails',
        description: 'A crash of the server',
        typeId: typeId('bug'),
        authorId: bob,
      });
      const second = await add({ state: 'closed', status: 'completed', dueDate: '2026-01-10', parentId: first.id });
      const third = await add({ priority: 'critical', milestoneId, storyPoints: 5, dueDate: '2026-01-10' });
      await add({ inputTokens: 100, outputTokens: 0, dueDate: '2026-02-01', storyPoints: 8, title: '100% \\_' });
      const label = uuid();
      await unitOfWork.run(() => store.replaceLabels(second.id, [label, uuid()]));
      await unitOfWork.run(() => store.replaceAssignees(third.id, [ada, bob]));
      const expected: readonly (readonly [IssueFilter, readonly number[]])[] = [
        [{ state: 'open' }, [4, 3, 1]],
        [{ state: 'closed' }, [2]],
        [{ status: 'completed' }, [2]],
        [{ priority: 'critical' }, [3]],
        [{ type: 'bug' }, [1]],
        [{ type: 'nothing' }, []],
        [{ labelIds: [label] }, [2]],
        [{ labelIds: [label, uuid()] }, []],
        [{ labelIds: [] }, [4, 3, 2, 1]],
        [{ authorId: bob }, [1]],
        [{ assigneeId: bob }, [3]],
        [{ assigneeId: bob, authorId: bob }, []],
        [{ milestoneId }, [3]],
        [{ hasParent: true }, [2]],
        [{ hasParent: false }, [4, 3, 1]],
        [{ parentId: first.id }, [2]],
        [{ parentId: third.id }, []],
        [{ ranges: { dueDate: { max: '2026-01-10' } } }, [3, 2]],
        [{ ranges: { dueDate: { min: '2026-01-11' } } }, [4]],
        [{ ranges: { dueDate: { min: '2026-01-10', max: '2026-02-01' } } }, [4, 3, 2]],
        [{ overdue: { is: true, today: '2026-01-11' } }, [3]],
        [{ overdue: { is: true, today: '2026-01-10' } }, []],
        [{ overdue: { is: false, today: '2026-01-11' } }, [4, 2, 1]],
        [{ ranges: { storyPoints: { min: 6 } } }, [4]],
        [{ ranges: { storyPoints: { max: 5 } } }, [3]],
        [{ ranges: { storyPoints: { set: false } } }, [2, 1]],
        [{ ranges: { storyPoints: { set: true } } }, [4, 3]],
        [{ ranges: { inputTokens: { min: 100, max: 100 } } }, [4]],
        [{ ranges: { inputTokens: { set: false } } }, [3, 2, 1]],
        [{ ranges: { outputTokens: { max: 0 } } }, [4]],
        [{ ranges: { outputTokens: { set: false } } }, [3, 2, 1]],
        [{ q: 'LOGIN' }, [1]],
        [{ q: 'gin fai' }, [1]],
        [{ q: 'server crash' }, [1]],
        [{ q: 'server absent' }, []],
        [{ q: '0% \\_' }, [4]],
        [{ q: '%' }, [4]],
        [{ state: 'open', ranges: { dueDate: { set: true } } }, [4, 3]],
        [{ state: 'closed', priority: 'critical' }, []],
      ];
      for (const [filter, wanted] of expected) assert.deepEqual(await numbers(filter), wanted, JSON.stringify(filter));
    },
  ),

  check('the open issues of a user are those written by or assigned to the user', async (given) => {
    const { store, unitOfWork, add, addUser, addRepository, ada } = given;
    const [bob, other] = [await addUser('Bob'), await addRepository(ada, 'other')];
    const at = (day: number): Pick<Issue, 'createdAt'> => ({ createdAt: new Date(Date.UTC(2026, 4, day)) });
    const written = await add({ authorId: bob, ...at(1) });
    const both = await add({ authorId: bob, repositoryId: other, ...at(3) });
    const assigned = await add({ title: 'Assigned', ...at(2) });
    await add({ authorId: bob, state: 'closed' });
    await add();
    await unitOfWork.run(() => store.replaceAssignees(both.id, [bob]));
    await unitOfWork.run(() => store.replaceAssignees(assigned.id, [ada, bob]));
    const found = await store.ofUser(bob, 10);
    assert.deepEqual(
      found.map(({ id }) => id),
      [both.id, assigned.id, written.id],
    );
    const { id, repositoryId, number, title, createdAt } = assigned;
    assert.deepEqual({ ...found[1] }, { id, repositoryId, number, title, createdAt });
    assert.deepEqual(
      (await store.ofUser(bob, 2)).map(({ id }) => id),
      [both.id, assigned.id],
    );
  }),

  check('a family is the ancestors and descendants of an issue, the higher levels first', async (parts) => {
    const { store, add, repository } = parts;
    const ids = [uuid(), uuid(), uuid(), uuid(), uuid()] as const;
    const [top, aunt, middle, low, lowest] = ids;
    await add({ id: top, title: 'Top' });
    await add({ id: aunt, parentId: top });
    await add({ id: middle, parentId: top });
    await add({ id: low, parentId: middle, state: 'closed' });
    await add({ id: lowest, parentId: low });
    const second = await add({ parentId: middle });
    const family = async (id: string, limit = 10) => (await store.family(repository, id, limit)).map((one) => one.id);
    assert.deepEqual(await family(middle), [top, low, second.id, lowest]);
    assert.deepEqual(await family(lowest), [top, middle, low]);
    assert.deepEqual(await family(top, 3), [aunt, middle, low]);
    const [first, below] = await store.family(repository, middle, 2);
    assert.deepEqual({ ...first }, { id: top, number: 1, title: 'Top', state: 'open', parentId: null });
    assert.deepEqual([below?.number, below?.state, below?.parentId], [4, 'closed', middle]);
    assert.deepEqual(await store.family(uuid(), middle, 10), [], 'of another repository');
  }),

  check('lineage and height follow the parents of an issue', async ({ store, add, repository }) => {
    const [top, middle] = [await add(), uuid()];
    await add({ id: middle, parentId: top.id, typeId: typeId('story') });
    const low = await add({ parentId: middle, typeId: typeId('bug') });
    assert.deepEqual(await store.lineage(repository, { number: 3 }).then((one) => one?.ancestorIds), [middle, top.id]);
    const found = await store.lineage(repository, { id: middle });
    assert.deepEqual([found?.id, found?.type.name, found?.type.isSubtask], [middle, 'story', false]);
    assert.equal(await store.lineage(repository, { number: 4 }), undefined);
    assert.equal(await store.lineage(uuid(), { id: middle }), undefined);
    assert.deepEqual([await store.height(top.id), await store.height(middle), await store.height(low.id)], [3, 2, 1]);
    assert.deepEqual(
      (await store.childTypes(top.id)).map(({ name }) => name),
      ['story'],
    );
    assert.deepEqual(await store.childTypes(low.id), []);
  }),

  check('deleting an issue keeps its children and deletes its labels, assignees and watchers', async (given) => {
    const { store, unitOfWork, add, repository, ada } = given;
    const parent = await add();
    await add({ parentId: parent.id });
    await unitOfWork.run(async () => {
      await store.replaceLabels(parent.id, [uuid()]);
      await store.replaceAssignees(parent.id, [ada]);
      await store.watch(parent.id, [ada]);
    });
    await unitOfWork.run(() => store.delete(parent.id));
    assert.equal(await store.byNumber(repository, 1), undefined);
    const child = await store.byNumber(repository, 2);
    assert.deepEqual([child?.parentId, child?.parent], [null, null]);
    assert.deepEqual(await store.watching(parent.id, ada), { watchers: 0, watching: false });
  }),

  check('counts by author, by repository and by milestone take a batch of ids', async (given) => {
    const { store, unitOfWork, add, addUser, addRepository, repository, ada } = given;
    const [bob, other, milestoneId] = [await addUser('bob'), await addRepository(ada, 'other'), uuid()];
    await add({ milestoneId });
    await add({ milestoneId, authorId: bob });
    await add({ milestoneId, state: 'closed' });
    await add({ repositoryId: other, milestoneId });
    const written = await store.countByAuthor([ada, bob, uuid()]);
    assert.deepEqual([written.get(ada), written.get(bob), written.size <= 3], [3, 1, true]);
    const open = await store.countOpen([repository, other, uuid()]);
    assert.deepEqual([open.get(repository), open.get(other)], [2, 1]);
    assert.deepEqual((await store.countByMilestone(repository, [milestoneId, uuid()])).get(milestoneId), {
      open: 2,
      closed: 1,
    });
    for (const none of [store.countByAuthor([]), store.countOpen([]), store.countByMilestone(repository, [])])
      assert.equal((await none).size, 0);
    await unitOfWork.run(() => store.dropMilestone(milestoneId));
    assert.equal((await store.countByMilestone(repository, [milestoneId])).get(milestoneId)?.open ?? 0, 0);
  }),

  check('a dropped label is removed from every issue', async ({ store, unitOfWork, add, repository }) => {
    const [gone, kept] = [uuid(), uuid()];
    for (let count = 0; count < 2; count++) {
      const { id } = await add();
      await unitOfWork.run(() => store.replaceLabels(id, [gone, kept]));
    }
    await unitOfWork.run(() => store.dropLabel(gone));
    assert.deepEqual(
      (await store.list(repository, {}, all)).map(({ labelIds }) => labelIds),
      [[kept], [kept]],
    );
  }),

  check(
    'issues and numbers are deleted with their repository',
    async ({ store, add, repository, removeRepository }) => {
      await add();
      await removeRepository(repository);
      assert.equal(await store.count(repository, {}), 0);
    },
  ),

  check(
    'texts of a list are cut one character past the bound if a bound is given',
    async ({ store, repository, add }) => {
      await add({ description: '字'.repeat(9), assumptions: 'short', acceptanceCriteria: null });
      for (const [texts, description] of [
        [undefined, '字'.repeat(9)],
        [9, '字'.repeat(9)],
        [5, '字'.repeat(6)],
      ] as const) {
        const [issue] = await store.list(repository, {}, { ...all, texts });
        assert.deepEqual(
          [issue?.description, issue?.assumptions, issue?.acceptanceCriteria],
          [description, 'short', null],
          `${texts}`,
        );
      }
    },
  ),

  check('one issue and a page of twenty take the same number of statements', async (given) => {
    const { store, unitOfWork, add, repository, ada, statements } = given;
    const read = async (limit: number): Promise<number> => {
      const before = statements?.() ?? 0;
      const rows = await store.list(repository, {}, { ...all, limit });
      assert.equal(rows.length, limit);
      assert.ok(rows.every(({ assignees, labelIds }) => assignees.length === 1 && labelIds.length === 1));
      return (statements?.() ?? 1) - before;
    };
    for (let count = 0; count < 20; count++) {
      const { id } = await add();
      await unitOfWork.run(async () => {
        await store.replaceLabels(id, [uuid()]);
        await store.replaceAssignees(id, [ada]);
      });
    }
    assert.deepEqual([await read(1), await read(20)], [1, 1]);
  }),
];
