// Contract checks for RepositoryStore: uniqueness, case, visibility in the query, order, bounds and rollback.
import assert from 'node:assert/strict';
import { Duplicate } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import {
  longestDescent,
  uniques,
  visibilities,
  type CollaboratorStore,
  type Brought,
  type MarkStore,
  type Repository,
  type RepositoryFilter,
  type RepositoryStore,
  type RoleTemplateStore,
  type Visibility,
} from '#core/repositories/index';
import type { Check } from '../checks.ts';

export interface RepositoryStoreUnderTest {
  readonly store: RepositoryStore;
  readonly collaborators: CollaboratorStore;
  readonly roleTemplates: RoleTemplateStore;
  readonly marks: MarkStore;
  readonly brought: Rows<Brought>;
  readonly unitOfWork: UnitOfWork;
  /** Adds a user of that name. @returns the id of the user. */
  readonly addUser: (username: string) => Promise<string>;
  /** The published SQL function; undefined for storage in memory. */
  readonly readable?: (reader: string | null, repositoryId: string) => Promise<boolean>;
  /** The number of SQL statements that reads have executed; undefined for storage in memory. */
  readonly statements?: () => number;
}

let made = 0;
const uuid = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;

export const repositoryStoreChecks: readonly Check<RepositoryStoreUnderTest>[] = [
  check("a repository reads back unchanged, with its owner's name", async ({ store, add, addUser }) => {
    const repository = await add(await addUser('Ada'), 'Engine', {
      description: 'it\'s "ok" \\ ✓ ?',
      issueCode: 'ENG',
      visibility: 'internal',
      defaultBranch: 'feature/ä',
    });
    assert.deepEqual(await store.byId(repository.id), { ...repository, owner: 'Ada' });
    assert.equal(await store.byId(uuid()), undefined);
    assert.deepEqual(await store.standing('ada', 'engine', undefined), {
      repository: { ...repository, owner: 'Ada' },
      collaboration: undefined,
    });
    assert.equal(await store.standing('ada', 'other', undefined), undefined);
    assert.equal(await store.standing('other', 'engine', undefined), undefined);
    assert.equal(await store.idByName(repository.ownerId, 'ENGINE'), repository.id);
    assert.equal(await store.idByName(uuid(), 'engine'), undefined);
  }),

  check(
    'a name is unique per owner ignoring case, and an issue code unless it is empty',
    async ({ add, addUser, change }) => {
      const [ada, bob] = [await addUser('ada'), await addUser('bob')];
      await add(ada, 'one', { issueCode: 'AA' });
      const two = await add(ada, 'two');
      await add(bob, 'ONE', { issueCode: 'AA' });
      const clash = (constraint: string) => (error: unknown) =>
        assert.ok(error instanceof Duplicate && error.constraint === constraint, constraint);
      await add(ada, 'ONE').then(() => assert.fail('the name was taken'), clash(uniques.name));
      await add(ada, 'three', { issueCode: 'AA' }).then(
        () => assert.fail('the code was taken'),
        clash(uniques.issueCode),
      );
      await change(two.id, { name: 'oNe', updatedAt: new Date() }).then(
        () => assert.fail('the name was taken'),
        clash(uniques.name),
      );
      await change(two.id, { issueCode: 'AA', updatedAt: new Date() }).then(
        () => assert.fail('the code was taken'),
        clash(uniques.issueCode),
      );
    },
  ),

  check('of concurrent inserts of one name exactly one succeeds', async ({ add, addUser }) => {
    const ada = await addUser('ada');
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => add(ada, index % 2 === 0 ? 'race' : 'RACE')),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  }),

  check('an owner who does not exist is refused', async ({ add }) => {
    await assert.rejects(add(uuid(), 'orphan'));
  }),

  check(
    'an update replaces only the given members, and returns whether the repository exists',
    async ({ store, add, addUser, change }) => {
      const before = await add(await addUser('ada'), 'old', { description: 'kept', issueCode: 'AB' });
      const other = await add(before.ownerId, 'other');
      const updatedAt = new Date('2026-05-01T10:00:00.123Z');
      assert.equal(await change(before.id, { name: 'New', updatedAt }), true);
      assert.deepEqual(await store.byId(before.id), { ...before, owner: 'ada', name: 'New', updatedAt });
      assert.equal((await store.standing('ada', 'new', undefined))?.repository.id, before.id);
      assert.equal(await store.standing('ada', 'old', undefined), undefined);
      assert.equal(
        await change(before.id, {
          issueCode: '',
          visibility: 'public',
          defaultBranch: 'b',
          description: '',
          updatedAt,
        }),
        true,
      );
      assert.deepEqual(await store.byId(before.id), {
        ...before,
        owner: 'ada',
        name: 'New',
        issueCode: '',
        visibility: 'public',
        defaultBranch: 'b',
        description: '',
        updatedAt,
      });
      assert.equal(await change(uuid(), { updatedAt }), false);
      assert.equal((await store.byId(other.id))?.name, 'other', 'others are unchanged');
    },
  ),

  check(
    'deleting removes the collaborators, and returns whether the repository existed',
    async ({ store, collaborators, unitOfWork, add, addUser }) => {
      const [ada, bob] = [await addUser('ada'), await addUser('bob')];
      const gone = await add(ada, 'gone');
      const kept = await add(ada, 'kept');
      for (const { id } of [gone, kept])
        await unitOfWork.run(() => collaborators.put(id, bob, { role: 'read', permissions: [] }, new Date()));
      assert.equal(await unitOfWork.run(() => store.delete(gone.id)), true);
      assert.equal(await unitOfWork.run(() => store.delete(gone.id)), false);
      assert.equal(await store.byId(gone.id), undefined);
      await unitOfWork.run(() => store.insert(gone));
      assert.equal((await store.standing('ada', 'gone', bob))?.collaboration, undefined);
      assert.deepEqual((await store.standing('ada', 'kept', bob))?.collaboration, { role: 'read', permissions: [] });
    },
  ),

  check(
    "a collaborator's row is found with the repository, only for that user, and is replaced",
    async ({ store, collaborators, unitOfWork, add, addUser }) => {
      const [ada, bob, eve] = [await addUser('ada'), await addUser('bob'), await addUser('eve')];
      const { id } = await add(ada, 'a');
      const given = async (userId: string | undefined) => (await store.standing('ada', 'a', userId))?.collaboration;
      const put = (role: string, permissions: string[]) =>
        unitOfWork.run(() => collaborators.put(id, bob, { role, permissions }, new Date()));
      await put('write', ['ignored.for.a.role.of.the.table']);
      assert.deepEqual(await given(bob), { role: 'write', permissions: [] });
      await put('custom', ['repo.read', 'a,b "c"']);
      assert.deepEqual(await given(bob), { role: 'custom', permissions: ['repo.read', 'a,b "c"'] });
      assert.equal(await given(eve), undefined);
      assert.equal(await given(ada), undefined);
      assert.equal(await given(undefined), undefined);
    },
  ),

  check(
    'the list and the published function agree on who may read which repository',
    async ({ store, collaborators, unitOfWork, add, addUser, readable }) => {
      const [ada, bob, eve] = [await addUser('ada'), await addUser('bob'), await addUser('eve')];
      const all = [];
      for (const visibility of visibilities) all.push(await add(ada, visibility, { visibility }));
      const shared = await add(ada, 'shared');
      const blind = await add(ada, 'blind');
      const custom = await add(ada, 'custom');
      await unitOfWork.run(async () => {
        await collaborators.put(shared.id, bob, { role: 'triage', permissions: [] }, new Date());
        await collaborators.put(blind.id, bob, { role: 'odd', permissions: ['repo.write'] }, new Date());
        await collaborators.put(custom.id, bob, { role: 'odd', permissions: ['issue.read', 'repo.read'] }, new Date());
      });
      const table = [
        [undefined, ['public']],
        [eve, ['internal', 'public']],
        [bob, ['custom', 'internal', 'public', 'shared']],
        [ada, ['blind', 'custom', 'internal', 'private', 'public', 'shared']],
      ] as const;
      for (const [reader, expected] of table) {
        const rows = await store.list({
          reader: reader === undefined ? { kind: 'anonymous' } : { kind: 'user', id: reader, isAdmin: false },
          limit: 50,
        });
        assert.deepEqual(rows.map((row) => row.name).sort(), expected);
        for (const { id, name: repository } of [...all, shared, blind, custom]) {
          if (readable !== undefined)
            assert.equal(
              await readable(reader ?? null, id),
              (expected as readonly string[]).includes(repository),
              repository,
            );
        }
      }
      if (readable !== undefined)
        assert.equal(await readable(ada, uuid()), false, 'a missing repository is not readable');
      assert.equal(
        (await store.list({ reader: { kind: 'user', id: eve, isAdmin: true }, limit: 50 })).length,
        6,
        'an administrator reads all',
      );
    },
  ),

  check(
    'the list is ordered, filtered and bounded in one query of any length',
    async ({ store, add, addUser, statements }) => {
      const [ada, bob] = [await addUser('Ada'), await addUser('bob')];
      const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
      for (let index = 0; index < 12; index++)
        await add(index % 3 === 0 ? bob : ada, `r${index}`, { visibility: 'public', updatedAt: at(index % 6) });
      const list = async (limit: number, filter: { ownerId?: string; owner?: string } = {}) => {
        const before = statements?.() ?? 0;
        const rows = await store.list({ reader: { kind: 'anonymous' }, limit, ...filter });
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return rows;
      };
      const rows = await list(50);
      assert.deepEqual(
        rows.map(({ updatedAt }) => updatedAt),
        [5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0].map(at),
      );
      assert.deepEqual(
        (await list(5)).map(({ id }) => id),
        rows.slice(0, 5).map(({ id }) => id),
        'ties have one order',
      );
      assert.equal((await list(1)).length, 1);
      assert.deepEqual(new Set((await list(50, { owner: 'ADA' })).map(({ owner }) => owner)), new Set(['Ada']));
      assert.equal((await list(50, { ownerId: bob })).length, 4);
      assert.equal((await list(50, { ownerId: bob, owner: 'ada' })).length, 0);
      assert.equal((await list(50, { owner: 'nobody' })).length, 0);
    },
  ),

  check(
    'the list is searched, sorted and filtered by visibility and by the user who takes part, in one query',
    async ({ store, marks, collaborators, unitOfWork, add, addUser, statements }) => {
      const [ada, bob] = [await addUser('Ada'), await addUser('bob')];
      const at = (day: number) => new Date(Date.UTC(2026, 0, day));
      const make = (owner: string, name: string, days: readonly [number, number], rest: Partial<Repository> = {}) =>
        add(owner, name, { visibility: 'public', createdAt: at(days[0]), updatedAt: at(days[1]), ...rest });
      await make(ada, 'Engine', [1, 5], { description: 'Burns 100% of COAL' });
      await make(ada, 'a_b', [2, 4]);
      const watched = await make(ada, 'axb', [3, 3], { visibility: 'internal' });
      const shared = await make(ada, 'secret', [4, 2], { visibility: 'private', description: 'engine room' });
      await make(bob, 'Zoo', [5, 1], { visibility: 'private' });
      await unitOfWork.run(async () => {
        await collaborators.put(shared.id, bob, { role: 'read', permissions: [] }, at(1));
        await marks.set('watch', watched.id, bob, at(1));
      });
      const names = async (filter: Partial<RepositoryFilter>) => {
        const before = statements?.() ?? 0;
        const rows = await store.list({ reader: { kind: 'user', id: bob, isAdmin: false }, limit: 50, ...filter });
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return rows.map(({ name }) => name);
      };
      assert.deepEqual(await names({ sort: 'updated' }), ['Engine', 'a_b', 'axb', 'secret', 'Zoo']);
      assert.deepEqual(await names({ sort: 'created' }), ['Zoo', 'secret', 'axb', 'a_b', 'Engine']);
      assert.deepEqual(await names({ sort: 'name' }), ['a_b', 'axb', 'Engine', 'secret', 'Zoo']);
      assert.deepEqual(await names({ sort: 'name', limit: 2, offset: 1 }), ['axb', 'Engine']);
      for (const [words, expected] of [
        [['ENG'], ['Engine', 'secret']],
        [['coal'], ['Engine']],
        [['100%'], ['Engine']],
        [['%'], ['Engine']],
        [['A_B'], ['a_b']],
        [['ada/e'], ['Engine']],
        [['engine', 'room'], ['secret']],
        [['bob/'], ['Zoo']],
        [['nothing'], []],
      ] as const)
        assert.deepEqual(await names({ words }), expected, words.join(' '));
      assert.deepEqual(await names({ visibility: 'private' }), ['secret', 'Zoo']);
      assert.deepEqual(await names({ visibility: 'internal', words: ['a'] }), ['axb']);
      assert.deepEqual(await names({ involving: bob }), ['axb', 'secret', 'Zoo']);
      assert.deepEqual(await names({ involving: bob, reader: { kind: 'anonymous' } }), [], 'no more than is readable');
      assert.deepEqual(await names({ involving: ada }), ['Engine', 'a_b', 'axb', 'secret']);
    },
  ),

  check('known returns those of a batch of ids that are repositories', async ({ store, add, addUser }) => {
    const [{ id }, ada] = [await add(await addUser('bob'), 'a'), await addUser('ada')];
    assert.deepEqual(await store.known([ada, id]), new Set([id]));
    assert.deepEqual(await store.known([]), new Set());
  }),

  check('repositories are counted by owner', async ({ store, add, addUser }) => {
    const [ada, bob, eve] = [await addUser('ada'), await addUser('bob'), await addUser('eve')];
    await add(ada, 'a');
    await add(ada, 'b');
    await add(bob, 'c');
    assert.deepEqual(await store.countByOwner([ada, eve]), new Map([[ada, 2]]));
    assert.deepEqual(await store.countByOwner([]), new Map());
  }),

  check(
    'a pruning is planned once, and its plan changes only if it is the plan that was read',
    async ({ store, unitOfWork, add, addUser, change }) => {
      const at = (seconds: number) => new Date(Date.UTC(2026, 3, 1, 0, 0, 0, seconds));
      const { id, updatedAt } = await add(await addUser('ada'), 'a');
      const plan = (time: Date) => unitOfWork.run(() => store.planPrune(id, time));
      const replan = (...args: Parameters<RepositoryStore['replanPrune']>) =>
        unitOfWork.run(() => store.replanPrune(...args));
      const planned = async () =>
        (await store.duePrunes({ now: at(900), idleSince: at(900), limit: 9 })).map((due) => [
          due.repositoryId,
          due.pruneAt,
          due.updatedAt,
        ]);
      assert.deepEqual(await planned(), []);
      assert.equal(await replan(id, { pruneAt: at(1) }, at(2)), false, 'there is no plan to change');
      await plan(at(1));
      await plan(at(5));
      assert.deepEqual(await planned(), [[id, at(1), updatedAt]]);
      const sooner = (time: Date) => unitOfWork.run(() => store.planPrune(id, time, 'sooner'));
      await sooner(at(2));
      assert.deepEqual(await planned(), [[id, at(1), updatedAt]], 'not sooner');
      await sooner(at(0));
      assert.deepEqual(await planned(), [[id, at(0), updatedAt]]);
      await unitOfWork.run(() => store.replanPrune(id, { pruneAt: at(0) }, at(1)));
      assert.equal(await replan(id, { pruneAt: at(5) }, at(2)), false, 'it was not the plan that was read');
      assert.equal(
        await replan(id, { pruneAt: at(1), updatedAt: at(7) }, at(2)),
        false,
        'the repository was updated meanwhile',
      );
      assert.equal(await replan(uuid(), { pruneAt: at(1) }, at(2)), false);
      assert.deepEqual(await planned(), [[id, at(1), updatedAt]]);
      assert.equal(await replan(id, { pruneAt: at(1), updatedAt }, at(2)), true);
      await change(id, { updatedAt: at(3) });
      assert.deepEqual(await planned(), [[id, at(2), at(3)]], 'an update keeps the plan');
      assert.equal(await replan(id, { pruneAt: at(2) }, undefined), true);
      assert.deepEqual(await planned(), []);
      await plan(at(8));
      assert.deepEqual(await planned(), [[id, at(8), at(3)]]);
      assert.deepEqual(
        Object.keys((await store.byId(id)) ?? {}).includes('pruneAt'),
        false,
        'the plan is not a member of the repository',
      );
    },
  ),

  check(
    'due and idle repositories are returned for pruning, the longest due first, in one query',
    async ({ store, unitOfWork, add, addUser, statements }) => {
      const at = (seconds: number) => new Date(Date.UTC(2026, 3, 1, 0, 0, seconds));
      const ada = await addUser('ada');
      const ids: string[] = [];
      for (const [index, [pruneAt, updatedAt]] of [
        [5, 1],
        [3, 1],
        [3, 2],
        [9, 1],
        [1, 8],
        [undefined, 1],
      ].entries()) {
        const { id } = await add(ada, `r${index}`, { updatedAt: at(updatedAt ?? 0) });
        if (pruneAt !== undefined) await unitOfWork.run(() => store.planPrune(id, at(pruneAt)));
        ids.push(id);
      }
      const before = statements?.() ?? 0;
      const due = async (limit: number, now = 5, idleSince = 8) =>
        (await store.duePrunes({ now: at(now), idleSince: at(idleSince), limit })).map(({ repositoryId }) =>
          ids.indexOf(repositoryId),
        );
      assert.deepEqual(await due(9), [1, 2, 0]);
      if (statements !== undefined) assert.equal(statements() - before, 1);
      assert.deepEqual(await due(2), [1, 2]);
      assert.deepEqual(await due(9, 4), [1, 2]);
      assert.deepEqual(await due(9, 9, 9), [4, 1, 2, 0, 3]);
      await unitOfWork.run(() => store.delete(ids[1] ?? ''));
      assert.deepEqual(await due(9), [2, 0]);
    },
  ),

  check(
    'the totals of an owner count repositories, forks and bytes, and are locked for one unit of work at a time',
    async ({ store, unitOfWork, add, addUser }) => {
      const [ada, bob] = [await addUser('ada'), await addUser('bob')];
      const parent = await add(bob, 'parent');
      const one = await add(ada, 'one');
      await unitOfWork.run(() => store.insert({ ...one, id: uuid(), name: 'fork' }, parent.id));
      assert.deepEqual(await store.owned(ada), { repositories: 2, forks: 1, bytes: 0 });
      assert.deepEqual(await store.owned(uuid()), { repositories: 0, forks: 0, bytes: 0 });
      const asked = Array.from({ length: 8 }, (_, index) =>
        unitOfWork.run(async () => {
          const { repositories } = await store.owned(ada, 'held');
          if (repositories < 5) await store.insert({ ...one, id: uuid(), name: `parallel-${index}` });
        }),
      );
      await Promise.all(asked);
      assert.deepEqual(await store.owned(ada), { repositories: 5, forks: 1, bytes: 0 });
      const large = 5 * 1024 ** 3;
      await unitOfWork.run(async () => {
        await store.resize(one.id, { to: large });
        await store.resize(one.id, { by: 7 });
        await store.resize(parent.id, { to: 1 });
      });
      await unitOfWork.run(() => store.delete(parent.id));
      assert.deepEqual(await store.owned(ada), { repositories: 5, forks: 0, bytes: large + 7 });
    },
  ),

  check('bytes that were copied for a request count for its author, not for the owner', async (given) => {
    const { store, unitOfWork, add, addUser, brought } = given;
    const [ada, bob] = [await addUser('ada'), await addUser('bob')];
    const [one, other] = [await add(ada, 'one'), await add(bob, 'other')];
    const row = (requestId: string, repositoryId: string, userId: string, bytes: number): Brought => ({
      requestId,
      repositoryId,
      userId,
      bytes,
      letGoAt: null,
    });
    const totals = async () => [(await store.owned(ada)).bytes, (await store.owned(bob)).bytes];
    const requests = [uuid(), uuid(), uuid()] as const;
    await unitOfWork.run(async () => {
      await store.resize(one.id, { to: 100 });
      await store.resize(other.id, { to: 50 });
      await brought.put(row(requests[0], one.id, bob, 30));
      await brought.put(row(requests[1], one.id, ada, 7));
    });
    assert.deepEqual(await totals(), [70, 80]);
    await unitOfWork.run(() => brought.put(row(requests[2], other.id, ada, 60)));
    assert.deepEqual(await totals(), [130, 20]);
    await unitOfWork.run(() => brought.put({ ...row(requests[0], one.id, bob, 40), letGoAt: new Date(0) }));
    assert.deepEqual(await totals(), [120, 30], 'also of a closed request');
    await unitOfWork.run(() => store.delete(one.id));
    assert.deepEqual(await totals(), [60, 0]);
  }),

  check(
    'a fork network is found across intermediate forks, for one owner, until a link is deleted',
    async ({ store, unitOfWork, add, addUser, statements }) => {
      const [ada, bob, eve] = [await addUser('Ada'), await addUser('bob'), await addUser('eve')];
      const at = (seconds: number) => new Date(Date.UTC(2026, 3, 1, 0, 0, seconds));
      const parent = await add(ada, 'parent', { createdAt: at(0) });
      const apart = await add(bob, 'apart', { createdAt: at(1) });
      const fork = async (ownerId: string, name: string, parentId: string, second: number) => {
        const made = { ...parent, id: uuid(), ownerId, name, createdAt: at(second) };
        await unitOfWork.run(() => store.insert(made, parentId));
        return made;
      };
      const between = await fork(eve, 'between', parent.id, 2);
      const second = await fork(bob, 'second', between.id, 4);
      const first = await fork(bob, 'first', parent.id, 3);
      const own = await fork(ada, 'own', second.id, 5);
      const network = async (id: string, owner: string) => {
        const before = statements?.() ?? 0;
        const found = await store.network(id, owner);
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return found.map(({ name }) => name);
      };
      for (const { id } of [parent, between, first, second, own]) {
        assert.deepEqual(await network(id, 'BOB'), ['first', 'second']);
        assert.deepEqual(await network(id, 'ada'), ['parent', 'own']);
      }
      assert.deepEqual((await store.network(own.id, 'eve'))[0], { ...between, owner: 'eve' });
      assert.deepEqual(await network(apart.id, 'bob'), ['apart']);
      assert.deepEqual(await network(apart.id, 'ada'), []);
      assert.deepEqual(await network(parent.id, 'nobody'), []);
      assert.deepEqual(await network(uuid(), 'bob'), []);
      await unitOfWork.run(() => store.delete(between.id));
      assert.deepEqual(await network(parent.id, 'bob'), ['first']);
      assert.deepEqual(await network(second.id, 'ada'), ['own']);
      let deepest = own;
      for (let depth = 1; depth <= longestDescent; depth += 1) {
        assert.equal((await network(deepest.id, 'bob')).length, 1, `at depth ${depth}`);
        deepest = await fork(eve, `depth-${depth}`, deepest.id, 6);
      }
      deepest = await fork(eve, 'too-deep', deepest.id, 7);
      assert.deepEqual(await network(deepest.id, 'bob'), [], 'too deep to be followed');
    },
  ),

  check(
    'a rollback undoes every change of a unit of work',
    async ({ store, collaborators, unitOfWork, add, addUser }) => {
      const repository = await add(await addUser('ada'), 'a');
      const failed = unitOfWork.run(async () => {
        await store.update(repository.id, { name: 'b', updatedAt: new Date() });
        await collaborators.put(repository.id, repository.ownerId, { role: 'read', permissions: [] }, new Date());
        await store.insert({ ...repository, id: uuid(), name: 'c' });
        assert.equal((await store.byId(repository.id))?.name, 'b', 'a unit of work reads its own writes');
        throw new Error('rolled back');
      });
      await assert.rejects(failed, { message: 'rolled back' });
      assert.deepEqual(await store.byId(repository.id), { ...repository, owner: 'ada' });
      assert.equal(await store.idByName(repository.ownerId, 'c'), undefined);
      assert.equal((await store.standing('ada', 'a', repository.ownerId))?.collaboration, undefined);
    },
  ),
];

/** A check with the helper actions that all checks use. */
function check(
  name: string,
  run: (under: RepositoryStoreUnderTest & Acts) => Promise<void>,
): Check<RepositoryStoreUnderTest> {
  return { name, run: (under) => run(acting(under)) };
}

interface Acts {
  readonly add: (
    ownerId: string,
    name: string,
    more?: Partial<Omit<Repository, 'id' | 'ownerId' | 'name' | 'visibility'>> & { readonly visibility?: Visibility },
  ) => Promise<Repository>;
  readonly change: (id: string, patch: Parameters<RepositoryStore['update']>[1]) => Promise<boolean>;
}

function acting(under: RepositoryStoreUnderTest): RepositoryStoreUnderTest & Acts {
  return {
    ...under,
    async add(ownerId, name, more = {}) {
      const at = new Date('2026-01-02T03:04:05.678Z');
      const repository: Repository = {
        id: uuid(),
        ownerId,
        owner: '',
        name,
        description: '',
        visibility: 'private',
        defaultBranch: 'main',
        issueCode: '',
        createdAt: at,
        updatedAt: at,
        ...more,
      };
      await under.unitOfWork.run(() => under.store.insert(repository));
      return repository;
    },
    change: (id, patch) => under.unitOfWork.run(() => under.store.update(id, patch)),
  };
}
