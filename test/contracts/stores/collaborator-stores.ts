// Contract checks for the stores of collaborators, role templates and marks, for the counts of a repository and for its
// forks, run on every engine.
import assert from 'node:assert/strict';
import { Duplicate } from '#core/kernel/errors';
import { roleTemplateName, type Collaboration, type Repository, type RoleTemplate } from '#core/repositories/index';
import type { Check } from '../checks.ts';
import type { RepositoryStoreUnderTest } from './repository-store.ts';

let made = 0;
const uuid = (): string => `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`;
const at = new Date('2026-01-02T03:04:05.678Z');
const later = new Date('2026-02-02T03:04:05.678Z');

type Under = RepositoryStoreUnderTest & {
  add(ownerId: string, name: string, more?: Partial<Repository>, parentId?: string): Promise<Repository>;
  template(repositoryId: string, name: string): Promise<RoleTemplate>;
};

function check(name: string, run: (under: Under) => Promise<void>): Check<RepositoryStoreUnderTest> {
  return {
    name,
    run: (under) =>
      run({
        ...under,
        async add(ownerId, name, more = {}, parentId) {
          const repository: Repository = {
            id: uuid(),
            ownerId,
            owner: '',
            name,
            description: '',
            visibility: 'public',
            defaultBranch: 'main',
            issueCode: '',
            createdAt: at,
            updatedAt: at,
            ...more,
          };
          await under.unitOfWork.run(() => under.store.insert(repository, parentId));
          return repository;
        },
        async template(repositoryId, name) {
          const template: RoleTemplate = {
            id: uuid(),
            repositoryId,
            name,
            permissions: ['repo.read', 'a,b "c"'],
            createdAt: at,
            updatedAt: at,
          };
          await under.unitOfWork.run(() => under.roleTemplates.insert(template));
          return template;
        },
      }),
  };
}

export const collaboratorStoreChecks: readonly Check<RepositoryStoreUnderTest>[] = [
  check(
    'collaborators are listed by username in one query for any number of them, and keep the time they were added',
    async ({ collaborators, unitOfWork, statements, add, addUser }) => {
      const [ada, zoe, bob] = [await addUser('ada'), await addUser('zoe'), await addUser('Bob')];
      const [{ id }, other] = [await add(ada, 'a'), await add(ada, 'b')];
      const put = (user: string, collaboration: Collaboration, when = at) =>
        unitOfWork.run(() => collaborators.put(id, user, collaboration, when));
      const list = async () => {
        const before = statements?.() ?? 0;
        const rows = await collaborators.list(id);
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return rows.map(({ user, collaboration, createdAt }) => [user.username, collaboration, createdAt]);
      };
      assert.deepEqual(await list(), []);
      const templateId = uuid();
      await put(zoe, { role: 'crew', permissions: ['repo.read'], roleTemplateId: templateId });
      await put(bob, { role: 'write', permissions: [] });
      assert.deepEqual(await list(), [
        ['Bob', { role: 'write', permissions: [] }, at],
        ['zoe', { role: 'crew', permissions: ['repo.read'], roleTemplateId: templateId }, at],
      ]);
      await put(zoe, { role: 'read', permissions: [] }, later);
      assert.deepEqual(
        (await list())[1],
        ['zoe', { role: 'read', permissions: [] }, at],
        'removing the role also removes its template',
      );
      assert.deepEqual(await collaborators.find(id, zoe), {
        user: { id: zoe, username: 'zoe', displayName: '', avatarUrl: '' },
        collaboration: { role: 'read', permissions: [] },
        createdAt: at,
      });
      assert.equal(await collaborators.find(other.id, zoe), undefined);
      const among = async (repository: string, ...users: readonly string[]) => {
        const before = statements?.() ?? 0;
        const given = await collaborators.among(repository, users);
        if (statements !== undefined) assert.equal(statements() - before, users.length === 0 ? 0 : 1);
        return given;
      };
      assert.deepEqual(await among(id, ada, zoe, uuid()), new Map([[zoe, { role: 'read', permissions: [] }]]));
      assert.deepEqual([...(await among(id, bob, zoe)).keys()].sort(), [bob, zoe].sort());
      assert.equal((await among(other.id, ada, zoe)).size, 0);
      assert.equal((await among(id)).size, 0);
      assert.equal(await unitOfWork.run(() => collaborators.remove(id, zoe)), true);
      assert.equal(await unitOfWork.run(() => collaborators.remove(id, zoe)), false);
      assert.equal((await list()).length, 1);
    },
  ),

  check(
    'names of role templates are unique in a repository ignoring case; templates are changed and removed one by one',
    async ({ roleTemplates, unitOfWork, add, addUser, template }) => {
      const ada = await addUser('ada');
      const [one, two] = [await add(ada, 'one'), await add(ada, 'two')];
      const crew = await template(one.id, 'Crew');
      const audit = await template(one.id, 'audit');
      const elsewhere = await template(two.id, 'crew');
      assert.deepEqual(await roleTemplates.list(one.id), [audit, crew]);
      assert.deepEqual(await roleTemplates.byId(elsewhere.id), elsewhere);
      assert.equal(await roleTemplates.byId(uuid()), undefined);
      const clash = (error: unknown) => assert.ok(error instanceof Duplicate && error.constraint === roleTemplateName);
      await template(one.id, 'CREW').then(() => assert.fail('the name was taken'), clash);
      await unitOfWork
        .run(() => roleTemplates.update(audit.id, { name: 'cReW', updatedAt: later }))
        .then(() => assert.fail('the name was taken'), clash);
      assert.equal(
        await unitOfWork.run(() =>
          roleTemplates.update(audit.id, { name: 'zoo', permissions: ['x'], updatedAt: later }),
        ),
        true,
      );
      assert.deepEqual(await roleTemplates.list(one.id), [
        crew,
        { ...audit, name: 'zoo', permissions: ['x'], updatedAt: later },
      ]);
      assert.equal(await unitOfWork.run(() => roleTemplates.update(uuid(), { updatedAt: later })), false);
      assert.equal(await unitOfWork.run(() => roleTemplates.delete(crew.id)), true);
      assert.equal(await unitOfWork.run(() => roleTemplates.delete(crew.id)), false);
      assert.deepEqual(await roleTemplates.list(two.id), [elsewhere]);
    },
  ),

  check(
    'marks are set and removed once, and counted for many repositories in one query',
    async ({ store, marks, unitOfWork, statements, add, addUser }) => {
      const [ada, bob] = [await addUser('ada'), await addUser('bob')];
      const all: Repository[] = [];
      for (let index = 0; index < 5; index++) all.push(await add(ada, `r${index}`));
      const [first, second] = all;
      assert.ok(first !== undefined && second !== undefined);
      const set = (mark: 'star' | 'watch', id: string, user: string) =>
        unitOfWork.run(() => marks.set(mark, id, user, at));
      assert.deepEqual(
        [
          await set('star', first.id, bob),
          await set('star', first.id, bob),
          await set('star', first.id, ada),
          await set('watch', second.id, bob),
        ],
        [true, false, true, true],
      );
      await add(bob, 'fork', { visibility: 'public' }, first.id);
      await add(bob, 'own', { visibility: 'private' }, second.id);
      const counts = async (ids: readonly string[], user: string | undefined) => {
        const before = statements?.() ?? 0;
        const map = await store.ownCounts(ids, user);
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return map;
      };
      const none = { stars: 0, watchers: 0, forks: 0, starred: false, watching: false };
      assert.deepEqual(
        await counts([first.id], bob),
        new Map([[first.id, { ...none, stars: 2, forks: 1, starred: true }]]),
      );
      const many = await counts(
        all.map(({ id }) => id),
        bob,
      );
      assert.equal(many.size, 5);
      assert.deepEqual(many.get(second.id), { ...none, watchers: 1, watching: true, forks: 1 });
      assert.deepEqual((await counts([first.id], undefined)).get(first.id), { ...none, stars: 2, forks: 1 });
      assert.deepEqual((await counts([second.id], ada)).get(second.id), { ...none, watchers: 1 }, 'a private fork');
      assert.deepEqual((await counts([second.id], undefined)).get(second.id), { ...none, watchers: 1 });
      const whole = async (name: string, user: string | undefined) => {
        const before = statements?.() ?? 0;
        const stood = await store.standing('ada', name, user, []);
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return stood?.counts;
      };
      assert.deepEqual(await whole('r0', bob), { ...none, stars: 2, forks: 1, starred: true });
      assert.deepEqual(await whole('r1', bob), { ...none, watchers: 1, watching: true, forks: 1 });
      assert.deepEqual(await whole('r1', ada), { ...none, watchers: 1 });
      assert.deepEqual(await whole('r0', undefined), { ...none, stars: 2, forks: 1 });
      assert.equal((await store.standing('ada', 'r0', bob))?.counts, undefined);
      assert.deepEqual(
        [await marks.has('star', first.id, bob), await marks.has('watch', first.id, bob)],
        [true, false],
      );
      const removed = (user: string) => unitOfWork.run(() => marks.remove('star', first.id, user));
      assert.deepEqual([await removed(bob), await removed(bob)], [true, false]);
      assert.deepEqual((await counts([first.id], bob)).get(first.id), { ...none, stars: 1, forks: 1 });
      assert.deepEqual(await store.ownCounts([], bob), new Map());
    },
  ),

  check('of concurrent requests to set one mark exactly one sets it', async ({ marks, unitOfWork, add, addUser }) => {
    const ada = await addUser('ada');
    const { id } = await add(ada, 'a');
    const results = await Promise.all(
      Array.from({ length: 6 }, () => unitOfWork.run(() => marks.set('star', id, ada, at))),
    );
    assert.equal(results.filter(Boolean).length, 1);
  }),

  check(
    'forks are listed if the reader may read them, and name their parent while it exists',
    async ({ store, unitOfWork, statements, add, addUser }) => {
      const [ada, bob] = [await addUser('ada'), await addUser('bob')];
      const parent = await add(ada, 'parent');
      const old = await add(bob, 'old', { updatedAt: at }, parent.id);
      const young = await add(bob, 'young', { updatedAt: later }, parent.id);
      const hidden = await add(bob, 'hidden', { visibility: 'private' }, parent.id);
      const list = async (page: { limit: number; offset?: number }, userId?: string) => {
        const before = statements?.() ?? 0;
        const rows = await store.list({
          reader: userId === undefined ? { kind: 'anonymous' } : { kind: 'user', id: userId, isAdmin: false },
          parentId: parent.id,
          ...page,
        });
        if (statements !== undefined) assert.equal(statements() - before, 1);
        return rows.map(({ name }) => name);
      };
      assert.deepEqual(await list({ limit: 50 }), ['young', 'old']);
      assert.deepEqual(await list({ limit: 1, offset: 1 }), ['old']);
      assert.deepEqual(await list({ limit: 1, offset: 2 }), []);
      assert.equal((await list({ limit: 50 }, bob)).length, 3);
      assert.equal((await store.parentOf(young.id))?.id, parent.id);
      assert.equal(await store.parentOf(parent.id), undefined);
      await unitOfWork.run(() => store.delete(hidden.id));
      assert.equal((await list({ limit: 50 }, bob)).length, 2);
      await unitOfWork.run(() => store.delete(parent.id));
      assert.equal(await store.parentOf(young.id), undefined);
      assert.equal((await store.byId(old.id))?.name, 'old', 'forks remain');
    },
  ),

  check(
    'deleting a repository deletes its role templates and marks',
    async ({ store, marks, roleTemplates, unitOfWork, add, addUser, template }) => {
      const ada = await addUser('ada');
      const [gone, kept] = [await add(ada, 'gone'), await add(ada, 'kept')];
      for (const { id } of [gone, kept]) {
        await template(id, 'crew');
        await unitOfWork.run(async () => {
          await marks.set('star', id, ada, at);
          await marks.set('watch', id, ada, at);
        });
      }
      await unitOfWork.run(() => store.delete(gone.id));
      await unitOfWork.run(() => store.insert(gone));
      assert.deepEqual(await roleTemplates.list(gone.id), []);
      assert.deepEqual(
        await store.ownCounts([gone.id, kept.id], ada),
        new Map([
          [gone.id, { stars: 0, watchers: 0, forks: 0, starred: false, watching: false }],
          [kept.id, { stars: 1, watchers: 1, forks: 0, starred: true, watching: true }],
        ]),
      );
      assert.equal((await roleTemplates.list(kept.id)).length, 1);
    },
  ),

  check(
    'a rollback undoes changes of collaborators, marks and role templates',
    async ({ store, marks, roleTemplates, collaborators, unitOfWork, add, addUser, template }) => {
      const ada = await addUser('ada');
      const { id } = await add(ada, 'a');
      const crew = await template(id, 'crew');
      await assert.rejects(
        unitOfWork.run(async () => {
          await marks.set('star', id, ada, at);
          await collaborators.put(id, ada, { role: 'read', permissions: [] }, at);
          await roleTemplates.delete(crew.id);
          throw new Error('rolled back');
        }),
        { message: 'rolled back' },
      );
      assert.equal((await store.ownCounts([id], ada)).get(id)?.stars, 0);
      assert.deepEqual(await collaborators.list(id), []);
      assert.deepEqual(await roleTemplates.list(id), [crew]);
    },
  ),
];
