// The contract suites of the stores of administration on every engine.
import t from 'tap';
import { openMemory, type MemoryStorage } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import { adminGrantStore } from '#plugins/administration/admin-scopes/store';
import { knownPluginStore } from '#plugins/administration/known-plugins/store';
import administration from '#plugins/administration/plugin';
import { administrationEntities } from '#plugins/administration/tables';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import { administrationStoreChecks, type AdministrationStores } from '#test/contracts/stores/administration-stores';
import { contract, firstFailure, type Made } from '#test/contracts/checks';
import { eachEngine, quietLog, setOf } from '#test/contracts/storage/storage-engines';

async function onMemory(): Promise<Made<AdministrationStores>> {
  const storage: MemoryStorage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  return {
    provider: {
      accounts: memoryAccountStore(database),
      grants: adminGrantStore.memory(database),
      plugins: knownPluginStore.memory(database),
      unitOfWork,
    },
    dispose: () => storage.close(),
  };
}

void t.test('stores of the administration', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, administrationStoreChecks, onMemory);
    const storage = (await data.open({
      entities: [...identityEntities, ...administrationEntities],
      migrations: [setOf(identity), setOf(administration)],
    })) as PostgresStorage;
    const { database, unitOfWork } = storage;
    return contract(t, engine, administrationStoreChecks, async () => ({
      provider: {
        accounts: sqlAccountStore(database),
        grants: adminGrantStore.sql(database),
        plugins: knownPluginStore.sql(database),
        unitOfWork,
      },
      dispose: async () =>
        void (await database.em().execute('truncate identity_user, administration_known_plugin cascade')),
    }));
  }),
);

void t.test('the contract suite finds mutants', async (t) => {
  const broken = (spoil: Partial<AdministrationStores['grants']>) =>
    firstFailure(
      administrationStoreChecks,
      async () => {
        const made = await onMemory();
        return { ...made, provider: { ...made.provider, grants: { ...made.provider.grants, ...spoil } } };
      },
      2000,
    );
  t.type(await broken({ add: async () => true }), 'string', 'a lost grant');
  t.type(await broken({ remove: async () => false }), 'string', 'a grant that is not removed');
  t.type(await broken({ ofScope: async () => ({ grants: [], total: 0 }) }), 'string', 'no grants are returned');
});
