// The contracts of what accounts offer: Users, UserGroups, UserReferences and AccountRecovery.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { seededGroups } from '#core/identity/index';
import type { AccountRecovery, PublicUser, UserGroups, UserReferences, Users } from '#core/identity/index';
import { NotFound } from '#core/kernel/errors';
import type { Check } from './checks.ts';

/** Names that nobody has, among them some that mean something to a database, a pattern or an object. */
const nobodies = ['nobody-of-this-name', '*', '%', "' or '1'='1", '\\', 'constructor', '__proto__', ''];

export interface UsersUnderTest {
  readonly users: Users;
  /** Two accounts it knows, with different names, that are no administrators. */
  readonly known: readonly [PublicUser, PublicUser];
  /** The id of an administrator of the instance. */
  readonly administrator: string;
}

export const usersChecks: readonly Check<UsersUnderTest>[] = [
  {
    name: 'a user is found by name, in any case',
    async run({ users, known }) {
      for (const user of known)
        for (const name of [user.username, user.username.toUpperCase(), user.username.toLowerCase()])
          assert.deepEqual(await users.byUsername(name), user, name);
    },
  },
  {
    name: 'a name that nobody has is undefined',
    async run({ users }) {
      for (const name of nobodies) assert.equal(await users.byUsername(name), undefined, JSON.stringify(name));
    },
  },
  {
    name: 'many ids are answered in one map, which leaves out those it does not know',
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
    name: 'administrators of the instance are told among many ids, and nobody else',
    async run({ users, known: [one, other], administrator }) {
      const asked = [other.id, randomUUID(), administrator, one.id, administrator];
      assert.deepEqual([...(await users.administrators(asked))], [administrator]);
      assert.deepEqual([...(await users.administrators([]))], []);
    },
  },
];

export interface UserReferencesUnderTest {
  readonly references: UserReferences;
  /** The id of an account that something refers to, and how often. */
  readonly referred: { readonly id: string; readonly count: number };
  /** The id of one that nothing refers to. */
  readonly free: string;
}

export const userReferencesChecks: readonly Check<UserReferencesUnderTest>[] = [
  {
    name: 'it says in words what refers to users',
    async run({ references: { what } }) {
      assert.match(what, /^\S(.*\S)?$/);
    },
  },
  {
    name: 'a batch is counted each for itself; who has none may be missing',
    async run({ references, referred, free }) {
      const unknown = randomUUID();
      const counts = await references.counts([free, referred.id, unknown]);
      assert.equal(counts.get(referred.id), referred.count);
      for (const id of [free, unknown]) assert.equal(counts.get(id) ?? 0, 0);
      assert.ok([...counts.keys()].every((id) => [free, referred.id, unknown].includes(id)));
    },
  },
  {
    name: 'nobody asked for, nobody counted',
    async run({ references }) {
      assert.equal((await references.counts([])).size, 0);
    },
  },
];

export interface AccountRecoveryUnderTest {
  readonly recovery: AccountRecovery;
  /** Of an account it can reset. */
  readonly username: string;
  signsIn(password: string): Promise<boolean>;
}

export const accountRecoveryChecks: readonly Check<AccountRecoveryUnderTest>[] = [
  {
    name: 'a reset answers with a password that signs in, and the one before it does no more',
    async run({ recovery, username, signsIn }) {
      const first = await recovery.resetPassword(username);
      assert.equal(await signsIn(first.password), true);
      const second = await recovery.resetPassword(username.toUpperCase());
      assert.notEqual(second.password, first.password);
      assert.deepEqual([await signsIn(first.password), await signsIn(second.password)], [false, true]);
    },
  },
  {
    name: 'a name that nobody has is NotFound',
    async run({ recovery }) {
      for (const name of nobodies) await assert.rejects(recovery.resetPassword(name), NotFound, JSON.stringify(name));
    },
  },
];

export interface UserGroupsUnderTest {
  readonly groups: UserGroups;
  /** Who is no administrator, and in no group but the seeded ones. */
  readonly user: string;
  readonly administrator: string;
}

export const userGroupsChecks: readonly Check<UserGroupsUnderTest>[] = [
  {
    name: 'the seeded groups come first, and each group is found by its id',
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
    name: 'everybody is in general, administrators in admin too, and who is nobody in none',
    async run({ groups, user, administrator }) {
      const slugs = async (id: string) => (await groups.groupsOf(id)).map(({ slug }) => slug);
      assert.deepEqual(await slugs(user), ['general']);
      assert.deepEqual((await slugs(administrator)).slice(0, 2), ['general', 'admin']);
      assert.deepEqual(await slugs(randomUUID()), []);
    },
  },
];
