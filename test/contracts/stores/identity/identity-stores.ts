// Contract checks for the stores of accounts, sessions and tokens, run on every engine.
import assert from 'node:assert/strict';
import type {
  AccessToken,
  Account,
  AccountStore,
  ExternalIdentityStore,
  GroupStore,
  PublicUserRow,
  Session,
  SessionStore,
  TokenStore,
} from '#core/identity/index';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Check } from '../../checks.ts';

export interface IdentityStores {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly groups: GroupStore;
  readonly identities: ExternalIdentityStore;
  readonly unitOfWork: UnitOfWork;
  /** The rows of `identity_public_user`. */
  publicRows(): Promise<readonly PublicUserRow[]>;
}

const uuid = (kind: number, number: number): string =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(number).padStart(12, '0')}`;
const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, 0, 123) + seconds * 1000);
const now = at(0);

const account = (number: number, username: string, over: Partial<Account> = {}): Account => ({
  id: uuid(1, number),
  username,
  email: `${username}@Example.org`,
  displayName: `Name of ${username}`,
  bio: 'two\nlines — ü 😀',
  avatarUrl: 'https://example.org/a.png',
  isAdmin: false,
  status: 'active',
  approval: undefined,
  emailVerified: true,
  createdAt: at(-100 + number),
  lastActiveAt: undefined,
  ...over,
});
const session = (number: number, userId: string, over: Partial<Session> = {}): Session => ({
  id: uuid(2, number),
  userId,
  createdAt: now,
  expiresAt: at(60),
  ip: '192.0.2.1',
  userAgent: "it's; --",
  ...over,
});
const token = (number: number, userId: string, over: Partial<AccessToken> = {}): AccessToken => ({
  id: uuid(3, number),
  userId,
  name: `token ${number}`,
  scopes: ['repo:read', 'admin:users'],
  createdAt: at(number),
  expiresAt: undefined,
  lastUsedAt: undefined,
  ...over,
});

const duplicate = (constraint: string) => ({ name: 'Duplicate', constraint });

/** Runs the work in one unit of work. */
const write = <T>({ unitOfWork }: IdentityStores, work: () => Promise<T>): Promise<T> => unitOfWork.run(work);
const add = (stores: IdentityStores, ...made: readonly Account[]): Promise<void> =>
  write(stores, async () => {
    for (const one of made) await stores.accounts.insert(one, `hash of ${one.username}`);
  });

export const accountChecks: readonly Check<IdentityStores>[] = [
  {
    name: 'an account reads back unchanged, by id, and by name and address ignoring case',
    async run(stores) {
      const ada = account(1, 'Ada', { isAdmin: true, approval: 'pending', emailVerified: false, lastActiveAt: at(5) });
      const plain = account(2, 'plain');
      await add(stores, ada, plain);
      for (const found of [
        await stores.accounts.byId(ada.id),
        await stores.accounts.byUsername('aDA'),
        await stores.accounts.byEmail('ADA@example.ORG'),
      ])
        assert.deepEqual(found, ada);
      assert.deepEqual(await stores.accounts.secured('ADA'), { account: ada, passwordHash: 'hash of Ada' });
      assert.deepEqual(await stores.accounts.byId(plain.id), plain);
      assert.deepEqual(
        (await stores.accounts.byIds([plain.id, uuid(1, 9), ada.id])).map(({ username }) => username).sort(),
        ['Ada', 'plain'],
      );
      assert.deepEqual(await stores.accounts.byUsernames(['aDA', 'eve', "' or '1'='1"]), [ada]);
      assert.deepEqual(await stores.accounts.byUsernames([]), []);
    },
  },
  {
    name: 'unknown ids, names and addresses return undefined',
    async run(stores) {
      assert.equal(await stores.accounts.any(), false);
      await add(stores, account(1, 'ada'));
      assert.equal(await stores.accounts.any(), true);
      assert.equal(await stores.accounts.byId(uuid(1, 2)), undefined);
      assert.equal(await stores.accounts.byUsername("ada' or '1'='1"), undefined);
      assert.equal(await stores.accounts.byEmail('ada'), undefined);
      assert.equal(await stores.accounts.secured('eve'), undefined);
      assert.equal(await write(stores, () => stores.accounts.lock(uuid(1, 2))), undefined);
    },
  },
  {
    name: 'names and addresses are unique ignoring case, and the error names the constraint',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      await assert.rejects(
        add(stores, account(3, 'ADA', { email: 'other@example.org' })),
        duplicate('identity_user_username_key'),
      );
      await assert.rejects(
        add(stores, account(3, 'other', { email: 'ADA@EXAMPLE.ORG' })),
        duplicate('identity_user_email_key'),
      );
      await assert.rejects(
        write(stores, () => stores.accounts.update(uuid(1, 2), { email: 'Ada@example.org' })),
        duplicate('identity_user_email_key'),
      );
      assert.equal((await stores.accounts.byId(uuid(1, 2)))?.email, 'eve@Example.org');
    },
  },
  {
    name: 'an update changes only the given members of one account; the account is found by the new address',
    async run(stores) {
      const [ada, eve] = [account(1, 'ada'), account(2, 'eve')];
      await add(stores, ada, eve);
      const patch = {
        email: 'New@example.org',
        displayName: '',
        bio: "o'; drop table identity_user",
        avatarUrl: '',
        isAdmin: true,
        status: 'suspended',
        emailVerified: false,
        lastActiveAt: at(7),
      } as const;
      await write(stores, () => stores.accounts.update(ada.id, { ...patch, passwordHash: 'another' }));
      assert.deepEqual(await stores.accounts.secured('ada'), {
        account: { ...ada, ...patch },
        passwordHash: 'another',
      });
      assert.deepEqual((await stores.accounts.byEmail('new@EXAMPLE.org'))?.id, ada.id);
      assert.equal(await stores.accounts.byEmail('ada@example.org'), undefined);
      assert.deepEqual(await stores.accounts.secured('eve'), { account: eve, passwordHash: 'hash of eve' });
    },
  },
  {
    name: 'a list is ordered by name, cut by limit and offset, and counts all matches',
    async run(stores) {
      await add(stores, account(1, 'Zoe'), account(2, 'ada'), account(3, 'Bob'), account(4, 'a-b'));
      const names = async (q: string | undefined, limit = 10, offset = 0) => {
        const { accounts, total } = await stores.accounts.list({ q, limit, offset });
        return [accounts.map(({ username }) => username).join(' '), total];
      };
      assert.deepEqual(await names(undefined), ['a-b ada Bob Zoe', 4]);
      assert.deepEqual(await names(undefined, 2, 1), ['ada Bob', 4]);
      assert.deepEqual(await names(undefined, 2, 4), ['', 4]);
      assert.deepEqual(await names(undefined, 2, Number.MAX_SAFE_INTEGER), ['', 4]);
    },
  },
  {
    name: 'a search matches a substring of name, address or display name ignoring case, without wildcards',
    async run(stores) {
      await add(
        stores,
        account(1, 'ada', { displayName: 'Countess ÄÖ' }),
        account(2, 'bob', { email: 'robert_x@work.example' }),
        account(3, 'eve', { displayName: '100%' }),
      );
      const found = async (q: string) =>
        (await stores.accounts.list({ q, limit: 10, offset: 0 })).accounts.map(({ username }) => username).join(' ');
      assert.equal(await found('DA'), 'ada');
      assert.equal(await found('countess ä'), 'ada');
      assert.equal(await found('ROBERT_X@'), 'bob');
      assert.equal(await found('%'), 'eve');
      assert.equal(await found('_'), 'bob');
      assert.equal(await found('\\'), '');
      assert.equal(await found("'"), '');
      assert.deepEqual(await stores.accounts.list({ q: 'bob', limit: 0, offset: 0 }).then(({ total }) => total), 1);
    },
  },
  {
    name: 'a rolled-back unit of work leaves nothing',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      await assert.rejects(
        write(stores, async () => {
          await stores.accounts.insert(account(2, 'eve'), 'hash');
          await stores.accounts.update(uuid(1, 1), { displayName: 'changed' });
          await stores.sessions.insert(session(1, uuid(1, 1)));
          await stores.tokens.insert(token(1, uuid(1, 1)), 'hash');
          throw new Error('no');
        }),
        { message: 'no' },
      );
      assert.equal(await stores.accounts.byUsername('eve'), undefined);
      assert.equal((await stores.accounts.byUsername('ada'))?.displayName, 'Name of ada');
      assert.equal(await stores.sessions.owner(uuid(2, 1), now), undefined);
      assert.equal((await stores.tokens.list(uuid(1, 1), { limit: 1, offset: 0 })).total, 0);
    },
  },
  {
    name: 'locking an account waits for the unit of work that holds it, and reads what that one wrote',
    async run(stores) {
      await add(stores, account(1, 'ada', { bio: '' }));
      const id = uuid(1, 1);
      await Promise.all(
        Array.from({ length: 5 }, () =>
          write(stores, async () => {
            const held = await stores.accounts.lock(id);
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
            await stores.accounts.update(id, { bio: `${held?.account.bio}x` });
          }),
        ),
      );
      assert.equal((await stores.accounts.byId(id))?.bio, 'xxxxx');
    },
  },
  {
    name: 'active super-admins are locked by one unit of work at a time; suspended and other accounts are left out',
    async run(stores) {
      await add(
        stores,
        account(1, 'one', { isAdmin: true }),
        account(2, 'two', { isAdmin: true }),
        account(3, 'gone', { isAdmin: true, status: 'suspended' }),
        account(4, 'ada'),
      );
      const seen: (readonly string[])[] = [];
      await Promise.all(
        [uuid(1, 2), uuid(1, 1)].map((id) =>
          write(stores, async () => {
            const held = await stores.accounts.lockAdministrators();
            seen.push(held);
            if (held.length > 1) await stores.accounts.update(id, { isAdmin: false });
          }),
        ),
      );
      assert.deepEqual(seen[0], [uuid(1, 1), uuid(1, 2)]);
      assert.equal(seen[1]?.length, 1);
    },
  },
  {
    name: 'deleting an account deletes its sessions and tokens, and those of no other account',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      await write(stores, async () => {
        for (const number of [1, 2]) {
          await stores.sessions.insert(session(number, uuid(1, number)));
          await stores.sessions.addRefreshToken({
            hash: `refresh ${number}`,
            sessionId: uuid(2, number),
            createdAt: now,
          });
          await stores.tokens.insert(token(number, uuid(1, number)), `token ${number}`);
        }
      });
      await write(stores, () => stores.accounts.delete(uuid(1, 1)));
      assert.equal(await stores.accounts.byId(uuid(1, 1)), undefined);
      assert.equal(await stores.sessions.byRefreshToken('refresh 1'), undefined);
      assert.equal(await stores.tokens.byHash('token 1', now), undefined);
      assert.equal((await stores.sessions.owner(uuid(2, 2), now))?.username, 'eve');
      assert.equal((await stores.tokens.byHash('token 2', now))?.owner.username, 'eve');
      await add(stores, account(3, 'ada'));
    },
  },
  {
    name: 'the published view has the fixed columns for every account and no others',
    async run(stores) {
      await add(stores, account(1, 'Ada', { status: 'suspended' }));
      assert.deepEqual(await stores.publicRows(), [
        {
          id: uuid(1, 1),
          username: 'Ada',
          username_key: 'ada',
          display_name: 'Name of Ada',
          avatar_url: 'https://example.org/a.png',
        },
      ]);
    },
  },
];

export const sessionChecks: readonly Check<IdentityStores>[] = [
  {
    name: 'a session returns its active user until it expires or ends',
    async run(stores) {
      await add(stores, account(1, 'Ada', { isAdmin: true }));
      await write(stores, () => stores.sessions.insert(session(1, uuid(1, 1))));
      const owner = { id: uuid(1, 1), username: 'Ada', isAdmin: true, emailVerified: true, approval: undefined };
      assert.deepEqual(await stores.sessions.owner(uuid(2, 1), at(59)), owner);
      assert.equal(await stores.sessions.owner(uuid(2, 1), at(60)), undefined);
      assert.equal(await stores.sessions.owner(uuid(2, 2), now), undefined);
      await write(stores, () => stores.sessions.extend(uuid(2, 1), at(120)));
      assert.deepEqual(await stores.sessions.owner(uuid(2, 1), at(60)), owner);
      await write(stores, () => stores.accounts.update(uuid(1, 1), { status: 'suspended' }));
      assert.equal(await stores.sessions.owner(uuid(2, 1), now), undefined);
      await write(stores, () => stores.accounts.update(uuid(1, 1), { status: 'active' }));
      assert.equal(await write(stores, () => stores.sessions.end(uuid(2, 1))), uuid(1, 1));
      assert.equal(await stores.sessions.owner(uuid(2, 1), now), undefined);
      assert.equal(await write(stores, () => stores.sessions.end(uuid(2, 1))), undefined);
    },
  },
  {
    name: 'a refresh token is fresh once',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      const of = { sessionId: uuid(2, 1), userId: uuid(1, 1) };
      await write(stores, async () => {
        await stores.sessions.insert(session(1, uuid(1, 1)));
        await stores.sessions.addRefreshToken({ hash: 'h', sessionId: uuid(2, 1), createdAt: now });
      });
      const use = (hash: string, moment = now) => write(stores, () => stores.sessions.useRefreshToken(hash, moment));
      assert.deepEqual(await stores.sessions.byRefreshToken('h'), of);
      assert.equal(await use('unknown'), undefined);
      assert.deepEqual(await use('h'), { outcome: 'fresh', ...of });
      assert.deepEqual(await use('h'), { outcome: 'reused', ...of });
      assert.deepEqual(await stores.sessions.byRefreshToken('h'), of);
      assert.equal(await use('h', at(60)), undefined);
      await write(stores, () => stores.sessions.end(uuid(2, 1)));
      assert.equal(await use('h'), undefined);
    },
  },
  {
    name: 'of many concurrent uses of one refresh token exactly one finds it fresh',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      await write(stores, async () => {
        await stores.sessions.insert(session(1, uuid(1, 1)));
        await stores.sessions.addRefreshToken({ hash: 'h', sessionId: uuid(2, 1), createdAt: now });
      });
      const seen = await Promise.all(
        Array.from({ length: 6 }, () =>
          write(stores, async () => {
            const used = await stores.sessions.useRefreshToken('h', now);
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
            return used?.outcome;
          }),
        ),
      );
      assert.deepEqual(
        seen.toSorted((a, b) => String(a).localeCompare(String(b))),
        ['fresh', 'reused', 'reused', 'reused', 'reused', 'reused'],
      );
    },
  },
  {
    name: 'all sessions of a user end except the given one; expired sessions are pruned',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      await write(stores, async () => {
        for (const number of [1, 2, 3]) await stores.sessions.insert(session(number, uuid(1, 1)));
        await stores.sessions.insert(session(4, uuid(1, 2), { expiresAt: at(10) }));
        await stores.sessions.addRefreshToken({ hash: 'h', sessionId: uuid(2, 4), createdAt: now });
      });
      assert.equal(await write(stores, () => stores.sessions.endAll(uuid(1, 1), uuid(2, 2))), 2);
      assert.equal((await stores.sessions.owner(uuid(2, 2), now))?.username, 'ada');
      assert.equal(await stores.sessions.owner(uuid(2, 1), now), undefined);
      assert.equal(await write(stores, () => stores.sessions.endAll(uuid(1, 1))), 1);
      assert.equal((await stores.sessions.owner(uuid(2, 4), now))?.username, 'eve');
      assert.equal(await stores.sessions.prune(at(9), 10), 0);
      assert.equal(await stores.sessions.prune(at(10), 10), 1);
      assert.equal(await stores.sessions.byRefreshToken('h'), undefined);
    },
  },
  {
    name: 'sessions past the limit end, those that expire first; sessions of other users remain',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      await write(stores, async () => {
        for (const [number, expires] of [20, 40, 10, 30].entries())
          await stores.sessions.insert(session(number, uuid(1, 1), { expiresAt: at(expires) }));
        await stores.sessions.insert(session(9, uuid(1, 2), { expiresAt: at(5) }));
      });
      const { sessions, total } = await stores.sessions.list(uuid(1, 1), { now: at(10), limit: 2, offset: 1 });
      assert.deepEqual([sessions.map(({ id }) => id), total], [[uuid(2, 3), uuid(2, 0)], 3]);
      assert.deepEqual(sessions[1], session(0, uuid(1, 1), { expiresAt: at(20) }));
      const end = (most: number) => write(stores, () => stores.sessions.endOldest(uuid(1, 1), most));
      assert.deepEqual([await end(5), await end(3), await end(3)], [0, 2, 0]);
      const living = [0, 1, 2, 3, 9].map((number) => stores.sessions.startedAt(uuid(2, number), now));
      assert.deepEqual(
        (await Promise.all(living)).map((started) => started !== undefined),
        [false, true, false, true, true],
      );
    },
  },
  {
    name: 'pruning deletes at most the given number, and only refresh tokens that are used or have no session',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      await write(stores, async () => {
        for (const number of [1, 2, 3]) {
          const [sessionId, hash] = [uuid(2, number), `h${number}`];
          await stores.sessions.insert(session(number, uuid(1, 1)));
          await stores.sessions.addRefreshToken({ hash, sessionId, createdAt: at(number) });
          if (number < 3) await stores.sessions.useRefreshToken(hash, at(10));
        }
      });
      const used = (before: Date) => write(stores, () => stores.sessions.pruneRefreshTokens(before, 1));
      assert.deepEqual([await used(at(0)), await used(at(1)), await used(at(1))], [0, 1, 0]);
      assert.equal(await stores.sessions.byRefreshToken('h1'), undefined);
      assert.deepEqual([await used(at(9)), await used(at(9))], [1, 0]);
      assert.notEqual(await stores.sessions.byRefreshToken('h3'), undefined);
      const prune = () => write(stores, () => stores.sessions.prune(at(60), 2));
      assert.deepEqual([await prune(), await prune(), await prune()], [2, 1, 0]);
      assert.deepEqual([await used(at(2)), await used(at(3)), await used(at(3))], [0, 1, 0]);
      assert.equal(await write(stores, () => stores.sessions.extend(uuid(2, 3), at(90))), false);
    },
  },
];

export const tokenChecks: readonly Check<IdentityStores>[] = [
  {
    name: 'a token returns its active user and its scopes until it expires',
    async run(stores) {
      await add(stores, account(1, 'Ada', { emailVerified: false, approval: 'pending' }));
      await write(stores, async () => {
        await stores.tokens.insert(token(1, uuid(1, 1)), 'one');
        await stores.tokens.insert(token(2, uuid(1, 1), { scopes: [], expiresAt: at(60) }), 'two');
      });
      const owner = { id: uuid(1, 1), username: 'Ada', isAdmin: false, emailVerified: false, approval: 'pending' };
      assert.deepEqual(await stores.tokens.byHash('one', at(1e6)), {
        token: { id: uuid(3, 1), scopes: ['repo:read', 'admin:users'], lastUsedAt: undefined },
        owner,
      });
      assert.deepEqual(await stores.tokens.byHash('two', at(59)), {
        token: { id: uuid(3, 2), scopes: [], lastUsedAt: undefined },
        owner,
      });
      assert.equal(await stores.tokens.byHash('two', at(60)), undefined);
      assert.equal(await stores.tokens.byHash('three', now), undefined);
      assert.deepEqual(await stores.tokens.known([uuid(3, 2), uuid(3, 9)]), new Map([[uuid(3, 2), uuid(1, 1)]]));
      assert.deepEqual(await stores.tokens.known([]), new Map());
      await write(stores, () => stores.accounts.update(uuid(1, 1), { status: 'suspended' }));
      assert.equal(await stores.tokens.byHash('one', now), undefined);
    },
  },
  {
    name: 'tokens are listed newest first, per user, and read back as written',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      const made = [
        token(1, uuid(1, 1)),
        token(2, uuid(1, 1), { expiresAt: at(99), lastUsedAt: at(5) }),
        token(3, uuid(1, 1)),
        token(4, uuid(1, 2)),
        token(6, uuid(1, 2)),
        token(5, uuid(1, 2), { createdAt: at(6) }),
      ];
      await write(stores, async () => {
        for (const one of made) await stores.tokens.insert(one, one.id);
      });
      assert.deepEqual(await stores.tokens.list(uuid(1, 1), { limit: 2, offset: 0 }), {
        tokens: [made[2], made[1]],
        total: 3,
      });
      assert.deepEqual(await stores.tokens.list(uuid(1, 1), { limit: 2, offset: 2 }), { tokens: [made[0]], total: 3 });
      const { tokens } = await stores.tokens.list(uuid(1, 2), { limit: 9, offset: 0 });
      assert.deepEqual(tokens, [made[5], made[4], made[3]], 'tokens of the same time are in the order of their ids');
    },
  },
  {
    name: 'a token is deleted only by its owner, or with all tokens of the user',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      const made = [token(1, uuid(1, 1)), token(2, uuid(1, 1)), token(3, uuid(1, 2))];
      await write(stores, async () => {
        for (const one of made) await stores.tokens.insert(one, one.id);
      });
      assert.equal(await write(stores, () => stores.tokens.delete(uuid(1, 2), uuid(3, 1))), undefined);
      assert.deepEqual(await write(stores, () => stores.tokens.delete(uuid(1, 1), uuid(3, 1))), made[0]);
      assert.equal(await write(stores, () => stores.tokens.delete(uuid(1, 1), uuid(3, 1))), undefined);
      assert.equal(await write(stores, () => stores.tokens.deleteAll(uuid(1, 1))), 1);
      assert.equal((await stores.tokens.list(uuid(1, 2), { limit: 9, offset: 0 })).total, 1);
    },
  },
  {
    name: 'tokens of a user are counted, and expired tokens are deleted',
    async run(stores) {
      await add(stores, account(1, 'ada'), account(2, 'eve'));
      await write(stores, async () => {
        for (const [number, expires] of [undefined, 10, 11].entries())
          await stores.tokens.insert(
            token(number, uuid(1, 1), { expiresAt: expires === undefined ? undefined : at(expires) }),
            `${number}`,
          );
        await stores.tokens.insert(token(9, uuid(1, 2), { expiresAt: at(1) }), '9');
      });
      assert.equal(await stores.tokens.count(uuid(1, 1)), 3);
      assert.equal(await write(stores, () => stores.tokens.deleteExpired(uuid(1, 1), at(10))), 1);
      assert.equal(await stores.tokens.count(uuid(1, 1)), 2);
      assert.equal(await stores.tokens.count(uuid(1, 2)), 1);
    },
  },
  {
    name: 'a use is recorded, also outside a unit of work; for a deleted token nothing happens',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      await write(stores, () => stores.tokens.insert(token(1, uuid(1, 1)), 'h'));
      await stores.tokens.touch(uuid(3, 1), at(3));
      assert.deepEqual((await stores.tokens.byHash('h', now))?.token.lastUsedAt, at(3));
      await stores.tokens.touch(uuid(3, 9), at(3));
    },
  },
  {
    name: 'two tokens cannot share a secret',
    async run(stores) {
      await add(stores, account(1, 'ada'));
      await write(stores, () => stores.tokens.insert(token(1, uuid(1, 1)), 'h'));
      await assert.rejects(
        write(stores, () => stores.tokens.insert(token(2, uuid(1, 1)), 'h')),
        duplicate('identity_token_hash_key'),
      );
    },
  },
];
