// The contract suites of the stores of the authorization server on every engine, with mutants.
import t from 'tap';
import { openMemory, type MemoryStorage } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { Account } from '#core/identity/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import { memoryClientStore, sqlClientStore } from '#plugins/oauth-server/applications/store';
import { memoryGrantStore, sqlGrantStore } from '#plugins/oauth-server/grants/store';
import oauthServer from '#plugins/oauth-server/plugin';
import { entities } from '#plugins/oauth-server/tables';
import { memoryIssuedStore } from '#plugins/oauth-server/token/store-memory';
import { sqlIssuedStore } from '#plugins/oauth-server/token/store';
import { contract, firstFailure, type Made } from '#test/contracts/checks';
import { oauthChecks, type OAuthStores } from '#test/contracts/stores/oauth-stores';
import { eachEngine, quietLog, setOf } from '#test/contracts/storage/storage-engines';

const account: Account = {
  id: '00000000-0000-4000-8000-000000000001',
  username: 'ada',
  email: 'ada@example.org',
  displayName: '',
  bio: '',
  avatarUrl: '',
  isAdmin: false,
  status: 'active',
  approval: undefined,
  emailVerified: true,
  createdAt: new Date(0),
  lastActiveAt: undefined,
};

function storesOn(storage: MemoryStorage | PostgresStorage): Omit<OAuthStores, 'userId'> & {
  readonly accounts: ReturnType<typeof memoryAccountStore>;
} {
  const { unitOfWork } = storage;
  if (storage.engine === 'memory') {
    const { database } = storage as MemoryStorage;
    return {
      unitOfWork,
      accounts: memoryAccountStore(database),
      clients: memoryClientStore(database),
      grants: memoryGrantStore(database),
      issued: memoryIssuedStore(database),
    };
  }
  const { database } = storage as PostgresStorage;
  return {
    unitOfWork,
    accounts: sqlAccountStore(database),
    clients: sqlClientStore(database),
    grants: sqlGrantStore(database),
    issued: sqlIssuedStore(database),
  };
}

async function inhabited(storage: MemoryStorage | PostgresStorage): Promise<OAuthStores> {
  const { accounts, ...stores } = storesOn(storage);
  await stores.unitOfWork.run(() => accounts.insert(account, 'hash'));
  return { ...stores, userId: account.id };
}

async function fresh(): Promise<Made<OAuthStores>> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  return { provider: await inhabited(storage), dispose: () => storage.close() };
}

void t.test('stores of the authorization server', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, oauthChecks, fresh);
    const storage = (await data.open({
      entities: [...identityEntities, ...entities],
      migrations: [setOf(identity), setOf(oauthServer)],
    })) as PostgresStorage;
    return contract(t, engine, oauthChecks, async () => ({
      provider: await inhabited(storage),
      dispose: async () => {
        await storage.database
          .em()
          .execute(
            'truncate identity_user, oauth_server_client, oauth_server_refresh_token, oauth_server_access_token cascade',
          );
      },
    }));
  }),
);

void t.test('the contract suite finds mutants', async (t) => {
  const broken = (over: (stores: OAuthStores) => Partial<OAuthStores>): Promise<string | undefined> =>
    firstFailure(
      oauthChecks,
      async () => {
        const { provider, dispose } = await fresh();
        return { provider: { ...provider, ...over(provider) }, dispose };
      },
      5000,
    );
  t.equal(await broken(() => ({})), undefined, 'a correct store passes');
  for (const [name, over] of Object.entries<(stores: OAuthStores) => Partial<OAuthStores>>({
    'a code is taken twice': ({ issued }) => ({ issued: { ...issued, takeCode: async () => true } }),
    'a refresh token is taken twice': ({ issued }) => ({ issued: { ...issued, takeRefreshToken: async () => true } }),
    'a family never ends': ({ issued }) => ({ issued: { ...issued, endFamily: async () => undefined } }),
    'misses do not count': ({ issued }) => ({ issued: { ...issued, missCode: async () => undefined } }),
    'grants stay': ({ grants }) => ({ grants: { ...grants, deleteAll: async () => 0 } }),
    'nothing is pruned': ({ issued }) => ({ issued: { ...issued, prune: async () => 0 } }),
    'nothing makes room': ({ issued }) => ({ issued: { ...issued, roomForFamily: async () => undefined } }),
    'pruning has no limit': ({ grants }) => ({
      grants: { ...grants, prune: (now) => grants.prune(now, Infinity) },
    }),
    'clients are never found': ({ clients }) => ({
      clients: { ...clients, search: async (_q, page) => ({ items: [], total: 0, ...page }) },
    }),
  }))
    t.type(await broken(over), 'string', name);
});
