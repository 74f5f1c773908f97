// The contract suite of the store of the settings of repositories on every engine, and their purge.
import t from 'tap';
import type { PostgresStorage } from '#adapters/postgres/index';
import { systemIds } from '#adapters/system/time';
import { identityEntities } from '#plugins/identity/tables';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import repositories from '#plugins/repositories/plugin';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { repositorySettingStore } from '#plugins/repositories/settings/store';
import { entities } from '#plugins/repositories/tables';
import { repositorySettingStoreChecks } from '../../contracts/stores/repository-setting-store.ts';
import { eachSqlEngine, setOf } from '../../contracts/storage/storage-engines.ts';
import { addAccount } from '../../support/clients/accounts.ts';
import { forgeStores } from '../forge-stores.ts';

const stores = forgeStores(repositories, { stores: { store: repositorySettingStore } });

void t.test('the contract suite finds mutants', (t) =>
  stores.find(t, repositorySettingStoreChecks, {
    store: {
      'a lost write': () => ({ put: async () => undefined }),
      'no setting is found': () => ({ all: async () => new Map() }),
      'the first repository only': (store) => ({ ofKey: (ids, key) => store.ofKey(ids.slice(0, 1), key) }),
      'settings of every repository': (store) => ({
        all: () => store.all('the one and only'),
        put: (setting, plugin) => store.put({ ...setting, repositoryId: 'the one and only' }, plugin),
      }),
      'a value that is never replaced': (store) => ({
        put: async (setting, plugin) => {
          if (!(await store.all(setting.repositoryId)).has(setting.key)) await store.put(setting, plugin);
        },
      }),
    },
  }),
);

void t.test('stores of the settings of repositories', (t) => stores.hold(t, repositorySettingStoreChecks));

void t.test('a purge removes the stored settings of the plugin from every repository', (t) =>
  eachSqlEngine(t, async (t, bare, data) => {
    await bare.close();
    const storage = (await data.open({
      entities: [...identityEntities, ...entities],
      migrations: [setOf(identity), setOf(repositories)],
    })) as PostgresStorage;
    const { database, unitOfWork } = storage;
    const ownerId = await addAccount(sqlAccountStore(database), { id: systemIds.uuid(), username: 'ada' });
    const [id, at] = [systemIds.uuid(), new Date()];
    const record = { id, ownerId, owner: '', name: 'code', description: '', visibility: 'private' } as const;
    const store = repositorySettingStore.sql(database);
    await unitOfWork.run(async () => {
      const dated = { createdAt: at, updatedAt: at };
      await sqlRepositoryStore(database).insert({ ...record, defaultBranch: 'main', issueCode: '', ...dated });
      await store.put({ repositoryId: id, key: 'bell.word', text: 'x', updatedAt: at }, 'bell');
      await store.put({ repositoryId: id, key: 'bell.tower.height', text: 'x', updatedAt: at }, 'bell-tower');
    });
    t.strictSame((await storage.purge.purge('bell', [])).records, [{ table: 'repositories_setting', rows: 1 }]);
    t.strictSame([...(await store.all(id)).keys()], ['bell.tower.height']);
  }),
);
