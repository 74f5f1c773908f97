// The stores of merge requests, held to their contract on every engine.
import { rawSql, type SqlDatabase } from 'hexforge/plugin';
import t from 'tap';
import { openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { MergeStore } from '#core/merges/index';
import type { RepositoryStore } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import merges from '#plugins/merges/plugin';
import { memoryMergeStore } from '#plugins/merges/requests/store-memory';
import { sqlMergeStore } from '#plugins/merges/requests/store';
import { reviewRows } from '#plugins/merges/reviews/store';
import { entities as mergeEntities } from '#plugins/merges/tables';
import repositories from '#plugins/repositories/plugin';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { entities } from '#plugins/repositories/tables';
import { contract, failures, type Made } from '../../contracts/checks.ts';
import { mergeStoreChecks, type MergeStoreUnderTest } from '../../contracts/merge-store.ts';
import { eachEngine, quietLog, setOf, type TestData } from '../../contracts/storage-engines.ts';
import { addAccount } from '../../support/accounts.ts';

const repositoriesIn = (store: RepositoryStore): Pick<MergeStoreUnderTest, 'addRepository' | 'removeRepository'> => ({
  async addRepository(ownerId, name) {
    const [id, at] = [systemIds.uuid(), new Date()];
    await store.insert({
      id,
      ownerId,
      owner: '',
      name,
      description: '',
      visibility: 'private',
      defaultBranch: 'main',
      issueCode: '',
      createdAt: at,
      updatedAt: at,
    });
    return id;
  },
  removeRepository: (id) => store.delete(id),
});

function onMemory(): Made<MergeStoreUnderTest> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  return {
    provider: {
      ...repositoriesIn(memoryRepositoryStore(database)),
      store: memoryMergeStore(database),
      reviews: reviewRows.memory(database),
      unitOfWork,
      addUser: (username) => addAccount(accounts, { id: systemIds.uuid(), username }),
      removeUser: (id) => unitOfWork.run(() => accounts.delete(id)),
    },
    dispose: () => storage.close(),
  };
}

/** Opened once: each test works on emptied tables. */
async function onSql(data: TestData) {
  const storage = (await data.open({
    entities: [...identityEntities, ...entities, ...mergeEntities],
    migrations: [setOf(identity), setOf(repositories), setOf(merges)],
  })) as PostgresStorage;
  let statements = 0;
  const counted: SqlDatabase = {
    em: () => storage.database.em(),
    kysely: <DB>() =>
      storage.database.kysely<DB>().withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          statements++;
          return result;
        },
      }),
  };
  const accounts = sqlAccountStore(storage.database);
  return async (): Promise<Made<MergeStoreUnderTest>> => {
    await rawSql`truncate identity_user cascade`.execute(storage.database.kysely<Record<never, never>>());
    return {
      provider: {
        ...repositoriesIn(sqlRepositoryStore(storage.database)),
        store: sqlMergeStore(counted),
        reviews: reviewRows.sql(counted),
        unitOfWork: storage.unitOfWork,
        addUser: (username) => addAccount(accounts, { id: systemIds.uuid(), username }),
        removeUser: (id) => storage.unitOfWork.run(() => accounts.delete(id)),
        statements: () => statements,
      },
      dispose: async () => undefined,
    };
  };
}

void t.test('the contract finds stores that break it', async (t) => {
  const breaks: Readonly<Record<string, (store: MergeStore) => Partial<MergeStore>>> = {
    'a number twice': () => ({ nextNumber: async () => 1 }),
    'the wrong order': ({ list }) => ({ list: async (...args) => (await list(...args)).toReversed() }),
    'every state': ({ list }) => ({ list: (id, _, slice) => list(id, {}, slice) }),
    'the wrong pair': ({ openOf }) => ({ openOf: (pair) => openOf({ ...pair, targetBranch: 'main' }) }),
    'closed ones too': ({ list }) => ({
      openFrom: async ({ repositoryId }, _, limit) => list(repositoryId, {}, { order: 'oldest', limit, offset: 0 }),
    }),
    'no patch': () => ({ update: async () => undefined }),
    'labels that stay': () => ({ dropLabel: async () => undefined }),
    'nobody who wrote': () => ({ countByUser: async () => new Map() }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return { provider: { ...provider, store: { ...provider.store, ...broken(provider.store) } }, dispose };
    };
    t.not((await failures(mergeStoreChecks, make, 2000)).length, 0, name);
  }
});

void t.test('stores of merge requests', (t) =>
  eachEngine(t, async (t, engine, data) =>
    contract(t, engine, mergeStoreChecks, engine === 'memory' ? async () => onMemory() : await onSql(data)),
  ),
);
