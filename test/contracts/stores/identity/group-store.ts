// Contract checks for the store of user groups, run on every engine.
import assert from 'node:assert/strict';
import { seededGroups, type AccountStore, type GroupStore, type UserGroup } from '#core/identity/index';
import { Duplicate } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { addAccount } from '#test/support/clients/accounts';
import type { Check } from '../../checks.ts';

export interface GroupStoreUnderTest {
  readonly accounts: AccountStore;
  readonly groups: GroupStore;
  readonly unitOfWork: UnitOfWork;
}

const uuid = (number: number): string => `00000000-0000-4000-8004-${String(number).padStart(12, '0')}`;
const at = new Date('2030-01-01T00:00:00.123Z');
const group = (number: number, over: Partial<UserGroup> = {}): UserGroup => ({
  id: uuid(number),
  slug: `group-${number}`,
  name: `Group ${number}`,
  description: "it's\n— ü",
  role: 'member',
  isSystem: false,
  createdAt: at,
  updatedAt: at,
  ...over,
});
const all = { limit: 100, offset: 0 };

async function people({ accounts, unitOfWork }: GroupStoreUnderTest): Promise<readonly [string, string, string]> {
  const add = (number: number, username: string, isAdmin = false) =>
    unitOfWork.run(() => addAccount(accounts, { id: uuid(number), username, isAdmin }));
  return [await add(101, 'Bob'), await add(102, 'ada'), await add(103, 'root', true)];
}

export const groupStoreChecks: readonly Check<GroupStoreUnderTest>[] = [
  {
    name: 'the seeded groups exist in their order, and their member counts follow from the accounts',
    async run(stores) {
      const { groups } = stores;
      const counted = async () => (await groups.all()).map(({ slug, memberCount }) => [slug, memberCount]);
      const none = [
        ['anonymous', 0],
        ['general', 0],
        ['admin', 0],
      ];
      assert.deepEqual(await counted(), none);
      await people(stores);
      assert.deepEqual(await counted(), [
        ['anonymous', 0],
        ['general', 3],
        ['admin', 1],
      ]);
      const names = async (id: string, slice = all) => {
        const { members, total } = await groups.members({ id }, slice);
        return [members.map(({ user }) => user.username), total];
      };
      assert.deepEqual(await names(seededGroups.anonymous), [[], 0]);
      assert.deepEqual(await names(seededGroups.general), [['ada', 'Bob', 'root'], 3]);
      assert.deepEqual(await names(seededGroups.general, { limit: 1, offset: 1 }), [['Bob'], 3]);
      assert.deepEqual(await names(seededGroups.admin), [['root'], 1]);
    },
  },
  {
    name: 'a group reads back unchanged, is changed and deleted, and a rollback undoes both',
    async run({ groups, unitOfWork }) {
      const one = group(1);
      await unitOfWork.run(() => groups.insert(one));
      assert.deepEqual(await groups.byId(one.id), { ...one, memberCount: 0 });
      const changed = { ...one, name: 'Other', slug: 'other', role: 'instance_admin', updatedAt: new Date(0) } as const;
      const failing = unitOfWork.run(async () => {
        assert.deepEqual(await groups.lock(one.id), one);
        await groups.update(changed);
        await groups.insert(group(2));
        throw new Error('no');
      });
      await assert.rejects(failing, { message: 'no' });
      assert.deepEqual(await groups.byId(one.id), { ...one, memberCount: 0 });
      assert.equal(await groups.byId(uuid(2)), undefined);
      await unitOfWork.run(() => groups.update(changed));
      assert.deepEqual(await groups.byId(one.id), { ...changed, memberCount: 0 });
      assert.equal(await unitOfWork.run(() => groups.count()), 4);
      await unitOfWork.run(() => groups.delete(one.id));
      assert.equal(await groups.byId(one.id), undefined);
      assert.equal(await unitOfWork.run(() => groups.lock(one.id)), undefined);
    },
  },
  {
    name: 'slugs are unique, and names are unique ignoring case',
    async run({ groups, unitOfWork }) {
      await unitOfWork.run(() => groups.insert(group(1)));
      for (const taken of [group(2, { slug: 'group-1' }), group(2, { name: 'GROUP 1' }), group(2, { name: 'general' })])
        await assert.rejects(
          unitOfWork.run(() => groups.insert(taken)),
          Duplicate,
        );
      await unitOfWork.run(() => groups.insert(group(2)));
      await assert.rejects(
        unitOfWork.run(() => groups.update(group(2, { name: 'Group 1' }))),
        Duplicate,
      );
      assert.deepEqual(
        (await groups.all()).slice(3).map(({ name }) => name),
        ['Group 1', 'Group 2'],
      );
    },
  },
  {
    name: 'a member is added once, is listed by name, and is removed with the account or the group',
    async run(stores) {
      const { accounts, groups, unitOfWork } = stores;
      const [bob, ada] = await people(stores);
      await unitOfWork.run(async () => {
        await groups.insert(group(1));
        await groups.insert(group(2));
        for (const id of [bob, ada]) await groups.addMember(uuid(1), id, at);
        await groups.addMember(uuid(2), bob, at);
      });
      await assert.rejects(
        unitOfWork.run(() => groups.addMember(uuid(1), bob, at)),
        Duplicate,
      );
      const { members, total } = await groups.members({ id: uuid(1) }, all);
      assert.deepEqual([members.map(({ user }) => user.username), total], [['ada', 'Bob'], 2]);
      assert.deepEqual(members[0], {
        user: { id: ada, username: 'ada', displayName: '', avatarUrl: '' },
        addedAt: at,
      });
      assert.deepEqual((await groups.members({ id: uuid(1) }, { limit: 1, offset: 1 })).total, 2);
      assert.equal((await groups.byId(uuid(1)))?.memberCount, 2);
      assert.equal(await unitOfWork.run(() => groups.removeMember(uuid(1), ada)), true);
      assert.equal(await unitOfWork.run(() => groups.removeMember(uuid(1), ada)), false);
      await unitOfWork.run(() => groups.delete(uuid(2)));
      const slugs = async (id: string) => (await groups.ofUser(id)).map(({ slug }) => slug);
      assert.deepEqual(await slugs(bob), ['general', 'group-1']);
      await unitOfWork.run(() => accounts.delete(bob));
      assert.deepEqual(await groups.members({ id: uuid(1) }, all), { members: [], total: 0 });
    },
  },
  {
    name: 'the groups of a user are those that follow from the account and those the user was added to',
    async run(stores) {
      const { groups, unitOfWork } = stores;
      const [bob, , root] = await people(stores);
      await unitOfWork.run(async () => {
        await groups.insert(group(1, { name: 'Zebra', slug: 'zebra' }));
        await groups.insert(group(2, { name: 'aardvark', slug: 'aardvark' }));
        for (const id of [uuid(1), uuid(2)]) await groups.addMember(id, root, at);
      });
      const slugs = async (id: string) => (await groups.ofUser(id)).map(({ slug }) => slug);
      assert.deepEqual(await slugs(bob), ['general']);
      assert.deepEqual(await slugs(root), ['general', 'admin', 'aardvark', 'zebra']);
      assert.deepEqual(await slugs(uuid(999)), []);
    },
  },
  {
    name: 'a group has an administrator if a member is one, is in a group of them, or is among the ids',
    async run(stores) {
      const { groups, unitOfWork } = stores;
      const [bob, ada, root] = await people(stores);
      const beyond = async (ids: readonly string[], except: string) =>
        groups.hasAdministrator(uuid(1), { ids, except });
      await unitOfWork.run(async () => {
        await groups.insert(group(1));
        await groups.insert(group(2, { role: 'instance_admin' }));
        await groups.addMember(uuid(1), bob, at);
        await groups.addMember(uuid(1), ada, at);
        await groups.addMember(uuid(2), ada, at);
      });
      assert.equal(await groups.hasAdministrator(uuid(1)), false);
      assert.equal(await beyond([], root), true, 'ada is in a group of the role');
      assert.equal(await beyond([], ada), false, 'ada does not count');
      assert.equal(await beyond([bob], ada), true);
      assert.equal(await beyond([bob], bob), true);
      assert.equal(await beyond([root], ada), false, 'root is no member');
      await unitOfWork.run(() => groups.addMember(uuid(1), root, at));
      assert.equal(await groups.hasAdministrator(uuid(1)), true);
      assert.equal(await groups.hasAdministrator(uuid(2)), false);
      assert.equal(await beyond([], ada), true);
    },
  },
];
