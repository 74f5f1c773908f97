// Contract checks for the stores of the authorization server, run on every engine.
import assert from 'node:assert/strict';
import type { AuthorizationCode, Client, ClientStore, Family, Grant, GrantStore, IssuedStore } from '#core/oauth/index';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Check } from '../checks.ts';

export interface OAuthStores {
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly issued: IssuedStore;
  readonly unitOfWork: UnitOfWork;
  /** An account that grants and clients can refer to. */
  readonly userId: string;
}

const uuid = (kind: number, number: number): string =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(number).padStart(12, '0')}`;
const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
const firstPage = { page: 1, perPage: 25 };

const client = (number: number, over: Partial<Client> = {}): Client => ({
  id: uuid(1, number),
  clientId: `client-${number}`,
  name: `Name ${number}`,
  nameKey: `name ${number}`,
  description: "o'; drop table oauth_server_client",
  homepageUrl: '',
  logoUrl: '',
  redirectUris: ['https://app.example/cb', 'http://127.0.0.1/cb?a={b}'],
  scopes: ['read:user', 'openid'],
  authMethod: 'client_secret_basic',
  suspended: false,
  ownerId: null,
  secretHash: `hash ${number}`,
  createdAt: at(number),
  updatedAt: at(number),
  lastUsedAt: null,
  scopesChangedAt: null,
  ...over,
});
const grant = (stores: OAuthStores, number: number, over: Partial<Grant> = {}): Grant => ({
  id: uuid(2, number),
  userId: stores.userId,
  clientId: uuid(1, 1),
  resource: number === 1 ? '' : `https://forge.example/${number}`,
  scopes: ['read:user'],
  remembered: null,
  redirectOrigin: 'https://app.example',
  createdAt: at(0),
  updatedAt: at(0),
  ...over,
});
const code = (over: Partial<AuthorizationCode> = {}): AuthorizationCode => ({
  grantId: uuid(2, 1),
  sessionId: uuid(3, 1),
  redirectUri: 'https://app.example/cb',
  challenge: 'challenge',
  scopes: ['read:user'],
  nonce: null,
  authTime: at(-10),
  createdAt: at(0),
  expiresAt: at(600),
  takenAt: null,
  familyId: null,
  ...over,
});
const family = (number: number, over: Partial<Family> = {}): Family => ({
  id: uuid(4, number),
  grantId: uuid(2, 1),
  scopes: ['read:user', 'openid'],
  authTime: at(-10),
  createdAt: at(0),
  expiresAt: at(9000),
  endedAt: null,
  ...over,
});

const write = <T>({ unitOfWork }: OAuthStores, work: () => Promise<T>): Promise<T> => unitOfWork.run(work);
/** One client, one grant of it, and a family with a token of each kind. */
const begin = (stores: OAuthStores): Promise<void> =>
  write(stores, async () => {
    await stores.clients.insert(client(1));
    await stores.grants.insert(grant(stores, 1));
    await stores.issued.insertFamily(family(1));
    await stores.issued.insertRefreshToken({ hash: 'r1', familyId: uuid(4, 1), createdAt: at(0), expiresAt: at(100) });
    await stores.issued.insertAccessToken({
      id: uuid(5, 1),
      hash: 'a1',
      familyId: uuid(4, 1),
      scopes: ['read:user', 'read:repo'],
      createdAt: at(0),
      expiresAt: at(50),
    });
  });

export const oauthChecks: readonly Check<OAuthStores>[] = [
  {
    name: 'a client reads back unchanged; its client_id is unique',
    async run(stores) {
      await write(stores, () => stores.clients.insert(client(1)));
      assert.deepEqual(await stores.clients.findOne({ clientId: 'client-1' }), client(1));
      await assert.rejects(
        write(stores, () => stores.clients.insert(client(2, { clientId: 'client-1' }))),
        { name: 'Duplicate', constraint: 'oauth_server_client_client_id' },
      );
      await write(stores, () =>
        stores.clients.update({ id: uuid(1, 1) }, { scopes: [], redirectUris: ['https://b/'] }),
      );
      assert.deepEqual((await stores.clients.findOne({ id: uuid(1, 1) }))?.scopes, []);
      assert.deepEqual((await stores.clients.findOne({ id: uuid(1, 1) }))?.redirectUris, ['https://b/']);
    },
  },
  {
    name: 'a search matches substrings of names ignoring case and of client ids, without wildcards',
    async run(stores) {
      await write(stores, async () => {
        for (const number of [3, 1, 2]) await stores.clients.insert(client(number));
        await stores.clients.insert(client(4, { name: '100%', nameKey: '100%' }));
      });
      const names = async (q: string | undefined, page = firstPage) => {
        const found = await stores.clients.search(q, page);
        return [found.total, ...found.items.map(({ name }) => name)];
      };
      assert.deepEqual(await names(undefined), [4, '100%', 'Name 1', 'Name 2', 'Name 3']);
      assert.deepEqual(await names('NAME', { page: 2, perPage: 2 }), [3, 'Name 3']);
      assert.deepEqual(await names('client-2'), [1, 'Name 2']);
      assert.deepEqual(await names('%'), [1, '100%']);
      assert.deepEqual(await names('nothing'), [0]);
    },
  },
  {
    name: 'clients without an owner and without use are pruned; others remain',
    async run(stores) {
      await write(stores, async () => {
        await stores.clients.insert(client(1));
        await stores.clients.insert(client(2, { ownerId: stores.userId }));
        await stores.clients.insert(client(3, { lastUsedAt: at(500) }));
        await stores.clients.insert(client(4, { createdAt: at(500) }));
        await stores.clients.insert(client(5));
        await stores.grants.insert(grant(stores, 1, { clientId: uuid(1, 5) }));
      });
      assert.equal(await write(stores, () => stores.clients.pruneUnused(at(100), 10)), 1);
      assert.equal(await stores.clients.findOne({ id: uuid(1, 1) }), undefined);
      assert.equal(await stores.clients.count({}), 4);
    },
  },
  {
    name: 'a grant is unique per user, client and resource; its remembered scopes can be set and cleared',
    async run(stores) {
      await write(stores, () => stores.clients.insert(client(1)));
      await write(stores, () => stores.grants.insert(grant(stores, 1)));
      await assert.rejects(
        write(stores, () => stores.grants.insert(grant(stores, 2, { resource: '' }))),
        { name: 'Duplicate', constraint: 'oauth_server_grant_once' },
      );
      const change = (remembered: readonly string[] | null) =>
        write(stores, () => stores.grants.update({ id: uuid(2, 1) }, { remembered }));
      await change(['openid']);
      assert.deepEqual((await stores.grants.findOne({ id: uuid(2, 1) }))?.remembered, ['openid']);
      await change(null);
      assert.equal((await stores.grants.findOne({ id: uuid(2, 1) }))?.remembered, null);
    },
  },
  {
    name: 'deleting a grant deletes everything issued under it',
    async run(stores) {
      await begin(stores);
      await write(stores, () => stores.issued.insertCode(code(), 'c1'));
      assert.equal(await write(stores, () => stores.grants.deleteAll({ userId: stores.userId })), 1);
      assert.equal(await stores.issued.codeByHash('c1'), undefined);
      assert.equal(await stores.issued.refreshTokenByHash('r1'), undefined);
      assert.equal(await stores.issued.accessTokenByHash('a1', at(1)), undefined);
      assert.equal(await write(stores, () => stores.grants.deleteAll({ clientId: uuid(1, 1) })), 0);
    },
  },
  {
    name: 'a code is taken once, and not after it expires; it keeps the family of its taker',
    async run(stores) {
      await begin(stores);
      await write(stores, () => stores.issued.insertCode(code(), 'c1'));
      assert.deepEqual(await stores.issued.codeByHash('c1'), { code: code(), grant: grant(stores, 1) });
      const take = (now: Date, id = uuid(4, 9)) => write(stores, () => stores.issued.takeCode('c1', id, now));
      assert.equal(await take(at(600)), false);
      assert.equal(await take(at(599)), true);
      assert.equal(await take(at(599), uuid(4, 8)), false);
      const found = (await stores.issued.codeByHash('c1'))?.code;
      assert.deepEqual([found?.familyId, found?.takenAt], [uuid(4, 9), at(599)]);
      assert.equal(await write(stores, () => stores.issued.takeCode('none', uuid(4, 9), at(1))), false);
    },
  },
  {
    name: 'of many concurrent takes of one code exactly one succeeds, and likewise for a refresh token',
    async run(stores) {
      await begin(stores);
      await write(stores, () => stores.issued.insertCode(code(), 'c1'));
      const many = async (take: (index: number) => Promise<boolean>) =>
        (await Promise.all(Array.from({ length: 8 }, (_, index) => write(stores, () => take(index))))).filter(Boolean);
      assert.equal((await many((index) => stores.issued.takeCode('c1', uuid(4, index), at(1)))).length, 1);
      assert.equal((await many(() => stores.issued.takeRefreshToken('r1', at(1)))).length, 1);
    },
  },
  {
    name: 'a code is void after the given number of misses',
    async run(stores) {
      await begin(stores);
      await write(stores, () => stores.issued.insertCode(code(), 'c1'));
      const miss = () => write(stores, () => stores.issued.missCode('c1', 2, at(1)));
      await miss();
      assert.equal((await stores.issued.codeByHash('c1'))?.code.takenAt, null);
      await miss();
      assert.deepEqual((await stores.issued.codeByHash('c1'))?.code.takenAt, at(1));
      assert.equal(await write(stores, () => stores.issued.takeCode('c1', uuid(4, 9), at(2))), false);
    },
  },
  {
    name: 'a refresh token is taken while it and its family are live, and remains known afterwards',
    async run(stores) {
      await begin(stores);
      const take = (hash: string, now: Date) => write(stores, () => stores.issued.takeRefreshToken(hash, now));
      assert.equal(await take('r1', at(100)), false, 'expired');
      assert.equal(await take('r1', at(99)), true);
      const found = await stores.issued.refreshTokenByHash('r1');
      assert.deepEqual(found, {
        family: family(1),
        grant: grant(stores, 1),
        usedAt: at(99),
        createdAt: at(0),
        expiresAt: at(100),
      });
      await write(stores, async () => {
        await stores.issued.insertRefreshToken({
          hash: 'r2',
          familyId: uuid(4, 1),
          createdAt: at(0),
          expiresAt: at(100),
        });
        await stores.issued.endFamily(uuid(4, 1), at(50));
        await stores.issued.endFamily(uuid(4, 1), at(60));
      });
      assert.equal(await take('r2', at(70)), false, 'its family has ended');
      assert.deepEqual((await stores.issued.refreshTokenByHash('r1'))?.family.endedAt, at(50));
    },
  },
  {
    name: 'an access token is found while it, its family and its client are valid, limited to the scopes of the client',
    async run(stores) {
      await begin(stores);
      assert.deepEqual(await stores.issued.accessTokenByHash('a1', at(49)), {
        id: uuid(5, 1),
        userId: stores.userId,
        client: uuid(1, 1),
        clientId: 'client-1',
        ownerId: null,
        familyId: uuid(4, 1),
        scopes: ['read:user'],
        resource: '',
        createdAt: at(0),
        expiresAt: at(50),
      });
      assert.equal(await stores.issued.accessTokenByHash('a1', at(50)), undefined, 'expired');
      const suspend = (suspended: boolean) =>
        write(stores, () => stores.clients.update({ id: uuid(1, 1) }, { suspended }));
      await suspend(true);
      assert.equal(await stores.issued.accessTokenByHash('a1', at(1)), undefined, 'suspended');
      await suspend(false);
      assert.notEqual(await stores.issued.accessTokenByHash('a1', at(1)), undefined);
      await write(stores, () => stores.issued.endFamily(uuid(4, 1), at(1)));
      assert.equal(await stores.issued.accessTokenByHash('a1', at(1)), undefined, 'its family has ended');
    },
  },
  {
    name: 'expired rows are pruned, then grants without tokens; grants with remembered scopes remain',
    async run(stores) {
      await begin(stores);
      await write(stores, async () => {
        await stores.issued.insertCode(code({ expiresAt: at(10) }), 'c1');
        await stores.issued.insertCode(code({ expiresAt: at(10), familyId: uuid(4, 1), takenAt: at(1) }), 'c2');
        await stores.grants.insert(grant(stores, 2, { remembered: ['openid'] }));
      });
      assert.equal(await write(stores, () => stores.grants.prune(at(20), 10)), 0);
      assert.equal(await write(stores, () => stores.issued.prune(at(20), 10)), 1, 'the code that was not taken');
      assert.notEqual(await stores.issued.codeByHash('c2'), undefined, 'a taken one is kept with its family');
      assert.equal(await write(stores, () => stores.issued.prune(at(9000), 10)), 4);
      assert.equal(await stores.issued.refreshTokenByHash('r1'), undefined);
      assert.equal(await write(stores, () => stores.grants.prune(at(9000), 10)), 1);
      assert.notEqual(await stores.grants.findOne({ id: uuid(2, 2) }), undefined);
    },
  },
  {
    name: 'families past a limit are deleted, ended ones first and then the oldest: per client, and per user in total',
    async run(stores) {
      await begin(stores);
      const told = async (): Promise<readonly number[]> => {
        const numbers = [1, 2, 3, 4, 5, 6];
        const found = await Promise.all(numbers.map((number) => stores.issued.refreshTokenByHash(`r${number}`)));
        return numbers.filter((_, index) => found[index] !== undefined);
      };
      const room = (ofUser: number, ofClient: number, clientId = uuid(1, 1)) =>
        write(stores, () => stores.issued.roomForFamily({ userId: stores.userId, clientId }, { ofUser, ofClient }));
      await write(stores, async () => {
        await stores.clients.insert(client(2));
        await stores.grants.insert(grant(stores, 2));
        await stores.grants.insert(grant(stores, 3, { clientId: uuid(1, 2) }));
        for (const [number, of, endedAt] of [
          [2, 2, null],
          [3, 1, at(1)],
          [4, 2, null],
          [5, 3, null],
          [6, 3, null],
        ] as const) {
          const id = uuid(4, number);
          const dates = { createdAt: at(number), endedAt };
          await stores.issued.insertFamily(family(number, { grantId: uuid(2, of), ...dates }));
          const token = { hash: `r${number}`, familyId: id, createdAt: at(0), expiresAt: at(100) };
          await stores.issued.insertRefreshToken(token);
        }
      });
      await room(7, 5);
      assert.deepEqual(await told(), [1, 2, 3, 4, 5, 6]);
      await room(7, 4);
      assert.deepEqual(await told(), [1, 2, 4, 5, 6], 'the one that has ended');
      await room(7, 3);
      assert.deepEqual(await told(), [2, 4, 5, 6], 'the oldest, over all resources of the client');
      await room(7, 2, uuid(1, 2));
      assert.deepEqual(await told(), [2, 4, 6], 'only of that client');
      await room(3, 9, uuid(1, 2));
      assert.deepEqual(await told(), [4, 6], 'the oldest of all');
      const another = { userId: uuid(9, 9), clientId: uuid(1, 1) };
      await write(stores, () => stores.issued.roomForFamily(another, { ofUser: 1, ofClient: 1 }));
      assert.deepEqual(await told(), [4, 6], 'none of another user');
    },
  },
  {
    name: 'pruning deletes at most the given number of each kind',
    async run(stores) {
      await begin(stores);
      await write(stores, async () => {
        for (const hash of ['r2', 'r3'])
          await stores.issued.insertRefreshToken({
            hash,
            familyId: uuid(4, 1),
            createdAt: at(0),
            expiresAt: at(100),
          });
        for (const number of [2, 3]) await stores.grants.insert(grant(stores, number));
        for (const number of [8, 9]) await stores.clients.insert(client(number));
      });
      const prune = () => write(stores, () => stores.issued.prune(at(9000), 1));
      assert.deepEqual([await prune(), await prune(), await prune(), await prune()], [3, 1, 1, 0]);
      const grants = () => write(stores, () => stores.grants.prune(at(9000), 2));
      assert.deepEqual([await grants(), await grants(), await grants()], [2, 1, 0]);
      const clients = () => write(stores, () => stores.clients.pruneUnused(at(9000), 2));
      assert.deepEqual([await clients(), await clients(), await clients()], [2, 1, 0]);
    },
  },
];
