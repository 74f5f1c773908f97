// The stores of comments and reviews of merge requests, held to their contract on every engine.
import { rawSql } from 'hexforge/plugin';
import t from 'tap';
import { openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { Rows } from '#core/kernel/rows';
import type { MergeComment, MergeReview } from '#core/merges/index';
import type { RepositoryStore } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import { commentRows } from '#plugins/merges/comments/store';
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
import { mergeTalkChecks, type MergeTalkUnderTest } from '../../contracts/merge-talk.ts';
import { eachEngine, quietLog, setOf, type TestData } from '../../contracts/storage-engines.ts';
import { addAccount } from '../../support/accounts.ts';

const repositoriesIn = (store: RepositoryStore): Pick<MergeTalkUnderTest, 'addRepository' | 'removeRepository'> => ({
  async addRepository(ownerId, name) {
    const [id, at] = [systemIds.uuid(), new Date()];
    const record = { id, ownerId, owner: '', name, description: '', visibility: 'private' } as const;
    await store.insert({ ...record, defaultBranch: 'main', issueCode: '', createdAt: at, updatedAt: at });
    return id;
  },
  removeRepository: (id) => store.delete(id),
});

function onMemory(): Made<MergeTalkUnderTest> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  return {
    provider: {
      ...repositoriesIn(memoryRepositoryStore(database)),
      store: memoryMergeStore(database),
      comments: commentRows.memory(database),
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
  const { database, unitOfWork } = storage;
  const accounts = sqlAccountStore(database);
  return async (): Promise<Made<MergeTalkUnderTest>> => {
    await rawSql`truncate identity_user cascade`.execute(database.kysely<Record<never, never>>());
    return {
      provider: {
        ...repositoriesIn(sqlRepositoryStore(database)),
        store: sqlMergeStore(database),
        comments: commentRows.sql(database),
        reviews: reviewRows.sql(database),
        unitOfWork,
        addUser: (username) => addAccount(accounts, { id: systemIds.uuid(), username }),
        removeUser: (id) => unitOfWork.run(() => accounts.delete(id)),
      },
      dispose: async () => undefined,
    };
  };
}

void t.test('the contract fails on stores that break it', async (t) => {
  type Broken = Partial<MergeTalkUnderTest>;
  const lost = <R extends object>(rows: Rows<R>): Rows<R> => ({ ...rows, update: async () => undefined });
  const breaks: Readonly<Record<string, (made: MergeTalkUnderTest) => Broken>> = {
    'a lost change of a comment': ({ comments }) => ({ comments: lost<MergeComment>(comments) }),
    'a lost change of a review': ({ reviews }) => ({ reviews: lost<MergeReview>(reviews) }),
    'an anchor that is forgotten': ({ comments }) => ({
      comments: { ...comments, insert: (row) => comments.insert({ ...row, lineNumber: null }) },
    }),
    'nobody counts': ({ store }) => ({ store: { ...store, countByUser: async () => new Map() } }),
    'a comment that stays': ({ comments }) => ({ comments: { ...comments, delete: async () => undefined } }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return { provider: { ...provider, ...broken(provider) }, dispose };
    };
    t.not((await failures(mergeTalkChecks, make, 2000)).length, 0, name);
  }
});

void t.test('stores of what is said of merge requests', (t) =>
  eachEngine(t, async (t, engine, data) =>
    contract(t, engine, mergeTalkChecks, engine === 'memory' ? async () => onMemory() : await onSql(data)),
  ),
);
