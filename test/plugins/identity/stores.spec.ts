// The contract suites of the stores of identity on every engine, with mutants.
import t from 'tap';
import type { Test } from 'tap';
import type { MemoryStorage } from '#adapters/memory/index';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { PublicUserRow } from '#core/identity/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import { memoryExternalIdentityStore } from '#plugins/identity/external/store-memory';
import { sqlExternalIdentityStore } from '#plugins/identity/external/store';
import { memoryGroupStore } from '#plugins/identity/groups/store-memory';
import { sqlGroupStore } from '#plugins/identity/groups/store';
import identity from '#plugins/identity/plugin';
import { memorySessionStore } from '#plugins/identity/sessions/store-memory';
import { sqlSessionStore } from '#plugins/identity/sessions/store';
import { identityEntities } from '#plugins/identity/tables';
import type { IdentityRows } from '#plugins/identity/tables';
import { memoryTokenStore } from '#plugins/identity/tokens/store-memory';
import { sqlTokenStore } from '#plugins/identity/tokens/store';
import { contract, firstFailure } from '#test/contracts/checks';
import type { Made } from '#test/contracts/checks';
import { externalIdentityChecks } from '#test/contracts/stores/identity/external-identity-store';
import { groupStoreChecks } from '#test/contracts/stores/identity/group-store';
import { accountChecks, sessionChecks, tokenChecks } from '#test/contracts/stores/identity/identity-stores';
import type { IdentityStores } from '#test/contracts/stores/identity/identity-stores';
import { eachEngine, quietLog, setOf } from '#test/contracts/storage/storage-engines';
import type { TestData } from '#test/contracts/storage/storage-engines';

function storesOn(storage: MemoryStorage | PostgresStorage): IdentityStores {
  if (storage.engine === 'memory') {
    const { database } = storage as MemoryStorage;
    return {
      accounts: memoryAccountStore(database),
      sessions: memorySessionStore(database),
      tokens: memoryTokenStore(database),
      groups: memoryGroupStore(database),
      identities: memoryExternalIdentityStore(database),
      unitOfWork: storage.unitOfWork,
      publicRows: async () => database.published<PublicUserRow>('identity_public_user'),
    };
  }
  const { database } = storage as PostgresStorage;
  return {
    accounts: sqlAccountStore(database),
    sessions: sqlSessionStore(database),
    tokens: sqlTokenStore(database),
    groups: sqlGroupStore(database),
    identities: sqlExternalIdentityStore(database),
    unitOfWork: storage.unitOfWork,
    publicRows: () => database.kysely<IdentityRows>().selectFrom('identity_public_user').selectAll().execute(),
  };
}

/** Opened once for all checks of an engine, because opening is slower than emptying the tables. */
async function maker(data: TestData): Promise<() => Promise<Made<IdentityStores>>> {
  if (data.engine === 'memory') return async () => fresh();
  const storage = (await data.open({
    entities: identityEntities,
    migrations: [setOf(identity)],
  })) as PostgresStorage;
  return async () => ({
    provider: storesOn(storage),
    dispose: async () => {
      await storage.database
        .em()
        .execute('truncate identity_user, identity_refresh_token, identity_used_answer cascade');
      await storage.database.em().execute('delete from identity_group where not is_system');
    },
  });
}

function fresh(): Made<IdentityStores> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  return { provider: storesOn(storage), dispose: () => storage.close() };
}

void t.test('stores of identity', async (t) => {
  await eachEngine(t, async (t: Test, _engine, data) => {
    const make = await maker(data);
    await contract(t, 'accounts', accountChecks, make);
    await contract(t, 'sessions', sessionChecks, make);
    await contract(t, 'tokens', tokenChecks, make);
    await contract(t, 'groups', groupStoreChecks, make);
    await contract(t, 'external identities', externalIdentityChecks, make);
  });

  await t.test('the contract suite finds mutants', async (t) => {
    const broken = async (spoil: (stores: IdentityStores) => IdentityStores): Promise<string | undefined> =>
      firstFailure(
        [...accountChecks, ...sessionChecks, ...tokenChecks],
        async () => {
          const made = fresh();
          return { provider: spoil(made.provider), dispose: () => made.dispose() };
        },
        5000,
      );
    const accounts = (over: (store: IdentityStores['accounts']) => Partial<IdentityStores['accounts']>) =>
      broken((stores) => ({ ...stores, accounts: { ...stores.accounts, ...over(stores.accounts) } }));
    const sessions = (over: (store: IdentityStores['sessions']) => Partial<IdentityStores['sessions']>) =>
      broken((stores) => ({ ...stores, sessions: { ...stores.sessions, ...over(stores.sessions) } }));
    const tokens = (over: (store: IdentityStores['tokens']) => Partial<IdentityStores['tokens']>) =>
      broken((stores) => ({ ...stores, tokens: { ...stores.tokens, ...over(stores.tokens) } }));

    t.equal(await broken((stores) => stores), undefined, 'a correct store passes');
    const cases: readonly [string, Promise<string | undefined>][] = [
      ['lost write', accounts(() => ({ update: async () => undefined }))],
      [
        'no uniqueness',
        accounts((store) => ({
          insert: (account, hash) =>
            store.insert({ ...account, username: `${account.username}-${account.id.slice(-2)}` }, hash),
        })),
      ],
      ['ignored filter', accounts((store) => ({ list: (query) => store.list({ ...query, q: undefined }) }))],
      ['ignored limit', accounts((store) => ({ list: (query) => store.list({ ...query, limit: 100, offset: 0 }) }))],
      [
        'wrong order',
        accounts((store) => ({
          list: async (query) => {
            const { accounts: found, total } = await store.list(query);
            return { accounts: found.toReversed(), total };
          },
        })),
      ],
      ['no rollback', broken((stores) => ({ ...stores, unitOfWork: { active: false, run: (work) => work() } }))],
      [
        'suspended administrators count',
        accounts((store) => ({
          lockAdministrators: async () =>
            (await store.list({ q: undefined, limit: 100, offset: 0 })).accounts
              .filter(({ isAdmin }) => isAdmin)
              .map(({ id }) => id)
              .sort(),
        })),
      ],
      ['expiry ignored', sessions((store) => ({ owner: (id) => store.owner(id, new Date(0)) }))],
      [
        'refresh tokens used twice',
        sessions((store) => ({
          useRefreshToken: async (hash) => {
            const found = await store.byRefreshToken(hash);
            return found && { outcome: 'fresh', ...found };
          },
        })),
      ],
      ['all sessions ended', sessions((store) => ({ endAll: (userId) => store.endAll(userId) }))],
      ['no session makes room', sessions(() => ({ endOldest: async () => 0 }))],
      ['pruning without a bound', sessions((store) => ({ prune: (at) => store.prune(at, Infinity) }))],
      ['refresh tokens that are never forgotten', sessions(() => ({ pruneRefreshTokens: async () => 0 }))],
      ['expired tokens stay', tokens(() => ({ deleteExpired: async () => 0 }))],
      ['token expiry ignored', tokens((store) => ({ byHash: (hash) => store.byHash(hash, new Date(0)) }))],
      ['a use that is lost', tokens(() => ({ touch: async () => undefined }))],
      [
        'oldest first',
        tokens((store) => ({
          list: async (userId, slice) => {
            const { tokens: found, total } = await store.list(userId, slice);
            return { tokens: found.toReversed(), total };
          },
        })),
      ],
    ];
    for (const [name, failed] of cases) t.type(await failed, 'string', name);
  });
});
