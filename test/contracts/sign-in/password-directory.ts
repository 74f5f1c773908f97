// Contract checks for PasswordDirectory: which users it accepts with the right password, and the members of its result.
import assert from 'node:assert/strict';
import type { PasswordDirectory } from '#core/kernel/access/password-directories';
import type { Check } from '../checks.ts';

interface Person {
  /** The name as typed at sign-in. */
  readonly username: string;
  readonly password: string;
}

/** A password directory that the contract suite runs on, and people in it. */
export interface DirectoryUnderTest {
  readonly directory: PasswordDirectory;
  /** Two people in the directory, with different names and passwords. */
  readonly people: readonly [Person, Person];
}

const asked = ({ directory }: DirectoryUnderTest, username: string, password: string): Promise<unknown> =>
  directory.check(username, password, {
    ip: '192.0.2.1',
    now: new Date('2030-01-01T00:00:00Z'),
    signal: new AbortController().signal,
  });

const members = ['displayName', 'email', 'isAdmin', 'subject', 'username'];

export const passwordDirectoryChecks: readonly Check<DirectoryUnderTest>[] = [
  {
    name: 'a right password returns the user: texts of at most 1024 characters, isAdmin, and no other members',
    async run(made) {
      for (const { username, password } of made.people) {
        const user = await asked(made, username, password);
        assert.ok(typeof user === 'object' && user !== null && !Array.isArray(user), 'an object');
        assert.deepEqual(
          Object.keys(user).filter((name) => !members.includes(name)),
          [],
          'known members only',
        );
        assert.ok('username' in user && user.username !== '', 'a username');
        for (const [name, value] of Object.entries(user))
          assert.ok(
            value === undefined ||
              (name === 'isAdmin' ? typeof value === 'boolean' : typeof value === 'string' && value.length <= 1024),
            name,
          );
      }
    },
  },
  {
    name: 'a person gets the same result each time, and two people get different ones',
    async run(made) {
      const [ada, eve] = made.people;
      const first = await asked(made, ada.username, ada.password);
      assert.notEqual(first, undefined);
      assert.deepEqual(await asked(made, ada.username, ada.password), first);
      assert.notDeepEqual(await asked(made, eve.username, eve.password), first);
    },
  },
  {
    name: "a wrong password, another user's password and a part of the right one are undefined",
    async run(made) {
      const [ada, eve] = made.people;
      for (const password of ['wrong', eve.password, ada.password.slice(0, -1), `${ada.password} `, '*'])
        assert.equal(await asked(made, ada.username, password), undefined, JSON.stringify(password));
    },
  },
  {
    name: 'an unknown name is undefined, also with patterns, quotes and names of object members',
    async run(made) {
      const [ada] = made.people;
      const names = ['nobody-of-this-name', '*', `${ada.username.slice(0, 1)}*`, `${ada.username})(uid=*`];
      for (const name of [...names, "' or '1'='1", '%', '\\', 'constructor', '__proto__', 'x'.repeat(256), '👤'])
        assert.equal(await asked(made, name, ada.password), undefined, JSON.stringify(name));
    },
  },
  {
    name: 'many concurrent checks each return their own user',
    async run(made) {
      const [ada, eve] = made.people;
      const [first, second] = [
        await asked(made, ada.username, ada.password),
        await asked(made, eve.username, eve.password),
      ];
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const { username, password } = index % 3 === 1 ? eve : ada;
          return asked(made, username, index % 3 === 2 ? 'wrong' : password);
        }),
      );
      assert.deepEqual(
        answers,
        answers.map((_, index) => [first, second, undefined][index % 3]),
      );
    },
  },
];
