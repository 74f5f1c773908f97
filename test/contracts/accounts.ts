// Contract checks for the ports of accounts: Users, UserGroups, UserReferences, ProfileLists and AccountRecovery.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { seededGroups } from '#core/identity/index';
import type {
  AccountRecovery,
  ProfileLists,
  PublicUser,
  UserGroups,
  UserReferences,
  Users,
} from '#core/identity/index';
import { anonymous, type Caller } from '#core/kernel/caller';
import { NotFound } from '#core/kernel/errors';
import type { Check } from './checks.ts';

/** Names that no user has. Some of them have a meaning in SQL, in patterns or as object keys. */
const nobodies = ['nobody-of-this-name', '*', '%', "' or '1'='1", '\\', 'constructor', '__proto__', ''];

export interface UsersUnderTest {
  readonly users: Users;
  /** Two existing accounts with different names. Neither is an administrator. */
  readonly known: readonly [PublicUser, PublicUser];
  /** The id of an administrator of the instance. */
  readonly administrator: string;
}

export const usersChecks: readonly Check<UsersUnderTest>[] = [
  {
    name: 'finds a user by name, ignoring case',
    async run({ users, known }) {
      for (const user of known)
        for (const name of [user.username, user.username.toUpperCase(), user.username.toLowerCase()])
          assert.deepEqual(await users.byUsername(name), user, name);
    },
  },
  {
    name: 'returns undefined for a name that no user has',
    async run({ users }) {
      for (const name of nobodies) assert.equal(await users.byUsername(name), undefined, JSON.stringify(name));
    },
  },
  {
    name: 'looks up many names at once and leaves out unknown ones',
    async run({ users, known: [one, other] }) {
      const found = await users.byUsernames([other.username.toUpperCase(), ...nobodies, one.username, one.username]);
      assert.deepEqual(
        new Map(found.map((user) => [user.id, user])),
        new Map([
          [one.id, one],
          [other.id, other],
        ]),
      );
      assert.equal(found.length, 2);
      assert.deepEqual(await users.byUsernames(nobodies), []);
    },
  },
  {
    name: 'looks up many ids at once and omits unknown ids from the map',
    async run({ users, known: [one, other] }) {
      assert.deepEqual(
        new Map(await users.byIds([other.id, randomUUID(), one.id, one.id])),
        new Map([
          [one.id, one],
          [other.id, other],
        ]),
      );
      assert.deepEqual(new Map(await users.byIds([])), new Map());
    },
  },
  {
    name: 'returns the ids that belong to administrators of the instance and no others',
    async run({ users, known: [one, other], administrator }) {
      const asked = [other.id, randomUUID(), administrator, one.id, administrator];
      assert.deepEqual([...(await users.administrators(asked))], [administrator]);
      assert.deepEqual([...(await users.administrators([]))], []);
    },
  },
  {
    name: 'returns the active users of many ids, and no unknown one',
    async run({ users, known: [one, other], administrator }) {
      const active = await users.active([other.id, randomUUID(), one.id, administrator]);
      assert.deepEqual([...active].toSorted(), [one.id, other.id, administrator].toSorted());
      assert.deepEqual([...(await users.active([]))], []);
    },
  },
];

export interface UserReferencesUnderTest {
  readonly references: UserReferences;
  /** The id of an account with references, and the number of references. */
  readonly referred: { readonly id: string; readonly count: number };
  /** The id of an account without references. */
  readonly free: string;
}

export const userReferencesChecks: readonly Check<UserReferencesUnderTest>[] = [
  {
    name: 'names in words what refers to users',
    async run({ references: { what } }) {
      assert.match(what, /^\S(.*\S)?$/);
    },
  },
  {
    name: 'counts each account of a batch separately; an account without references may be missing',
    async run({ references, referred, free }) {
      const unknown = randomUUID();
      const counts = await references.counts([free, referred.id, unknown]);
      assert.equal(counts.get(referred.id), referred.count);
      for (const id of [free, unknown]) assert.equal(counts.get(id) ?? 0, 0);
      assert.ok([...counts.keys()].every((id) => [free, referred.id, unknown].includes(id)));
    },
  },
  {
    name: 'returns an empty map for an empty batch',
    async run({ references }) {
      assert.equal((await references.counts([])).size, 0);
    },
  },
];

export interface ProfileListsUnderTest {
  readonly lists: ProfileLists;
  /** A user with at least two things, none of which is public, and the user as a caller. */
  readonly owner: { readonly id: string; readonly caller: Caller };
}

export const profileListsChecks: readonly Check<ProfileListsUnderTest>[] = [
  {
    name: 'lists the things of a user in slices, for callers who can read them',
    async run({ lists, owner }) {
      assert.match(lists.title, /^\S(.*\S)?$/);
      const all = await lists.list(owner.caller, owner.id, { limit: 100, offset: 0 });
      assert.ok(all.length >= 2);
      for (const { path, mark } of all) assert.match(`${path} ${mark}`, /^\/[^/\s]\S* \S+$/);
      const second = await lists.list(owner.caller, owner.id, { limit: 1, offset: 1 });
      assert.deepEqual(second, all.slice(1, 2));
      const times = all.map(({ changedAt }) => changedAt.getTime());
      assert.deepEqual(
        times,
        times.toSorted((left, right) => right - left),
      );
      assert.deepEqual(await lists.list(anonymous, owner.id, { limit: 100, offset: 0 }), []);
      assert.deepEqual(await lists.list(owner.caller, randomUUID(), { limit: 100, offset: 0 }), []);
    },
  },
];

export interface AccountRecoveryUnderTest {
  readonly recovery: AccountRecovery;
  /** The name of an account whose password can be reset. */
  readonly username: string;
  signsIn(password: string): Promise<boolean>;
}

export const accountRecoveryChecks: readonly Check<AccountRecoveryUnderTest>[] = [
  {
    name: 'a reset returns a password that signs in, and the previous password no longer does',
    async run({ recovery, username, signsIn }) {
      const first = await recovery.resetPassword(username);
      assert.equal(await signsIn(first.password), true);
      const second = await recovery.resetPassword(username.toUpperCase());
      assert.notEqual(second.password, first.password);
      assert.deepEqual([await signsIn(first.password), await signsIn(second.password)], [false, true]);
    },
  },
  {
    name: 'a name that no user has is NotFound',
    async run({ recovery }) {
      for (const name of nobodies) await assert.rejects(recovery.resetPassword(name), NotFound, JSON.stringify(name));
    },
  },
];

export interface UserGroupsUnderTest {
  readonly groups: UserGroups;
  /** A user that is not an administrator and is only in the seeded groups. */
  readonly user: string;
  readonly administrator: string;
}

export const userGroupsChecks: readonly Check<UserGroupsUnderTest>[] = [
  {
    name: 'lists the seeded groups first, and finds each group by its id',
    async run({ groups }) {
      const all = await groups.list();
      assert.deepEqual(
        all.slice(0, 3).map(({ id, slug, isSystem }) => [id, slug, isSystem]),
        Object.entries(seededGroups).map(([slug, id]) => [id, slug, true]),
      );
      for (const group of all) assert.deepEqual(await groups.byId(group.id), group);
      assert.equal(await groups.byId(randomUUID()), undefined);
    },
  },
  {
    name: 'every user is in general, administrators are also in admin, and an unknown id is in no group',
    async run({ groups, user, administrator }) {
      const slugs = async (id: string) => (await groups.groupsOf(id)).map(({ slug }) => slug);
      assert.deepEqual(await slugs(user), ['general']);
      assert.deepEqual((await slugs(administrator)).slice(0, 2), ['general', 'admin']);
      assert.deepEqual(await slugs(randomUUID()), []);
    },
  },
];
