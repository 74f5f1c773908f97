// The stores of issues, held to their contract on every engine.
import { rawSql, type SqlDatabase } from 'hexforge/plugin';
import t from 'tap';
import { openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { IssueSearchStore, IssueStore, LinkStore } from '#core/issues/index';
import type { RepositoryStore } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import { memoryAssociationStore } from '#plugins/issues/associations/store-memory';
import { sqlAssociationStore } from '#plugins/issues/associations/store';
import { commentRows } from '#plugins/issues/comments/store';
import { componentRows } from '#plugins/issues/components/store';
import { memoryIssueStore } from '#plugins/issues/issues/store-memory';
import { sqlIssueStore } from '#plugins/issues/issues/store';
import { editRows } from '#plugins/issues/description-history/store';
import { memoryLinkStore } from '#plugins/issues/links/store-memory';
import { sqlLinkStore } from '#plugins/issues/links/store';
import issues from '#plugins/issues/plugin';
import { entities as issueEntities } from '#plugins/issues/tables';
import { memoryIssueSearchStore } from '#plugins/issues/search/store-memory';
import { sqlIssueSearchStore } from '#plugins/issues/search/store';
import { memoryTypeSchemeStore } from '#plugins/issues/type-scheme/store-memory';
import { sqlTypeSchemeStore } from '#plugins/issues/type-scheme/store';
import { typeStore } from '#plugins/issues/types/store';
import { versionRows } from '#plugins/issues/versions/store';
import repositories from '#plugins/repositories/plugin';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { entities } from '#plugins/repositories/tables';
import { contract, failures, type Check, type Made } from '../../contracts/checks.ts';
import { issueCatalogueChecks, type IssueCatalogueUnderTest } from '../../contracts/issue-catalogue.ts';
import { issueSearchChecks, type IssueSearchUnderTest } from '../../contracts/issue-search.ts';
import { issueStoreChecks, type IssueStoreUnderTest } from '../../contracts/issue-store.ts';
import { issueTalkChecks, type IssueTalkUnderTest } from '../../contracts/issue-talk.ts';
import { eachEngine, quietLog, setOf, type TestData } from '../../contracts/storage-engines.ts';
import { addAccount } from '../../support/accounts.ts';

const repositoriesIn = (store: RepositoryStore): Pick<IssueStoreUnderTest, 'addRepository' | 'removeRepository'> => ({
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

type UnderTest = IssueCatalogueUnderTest & IssueSearchUnderTest & IssueTalkUnderTest;

function onMemory(): Made<UnderTest> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  return {
    provider: {
      ...repositoriesIn(memoryRepositoryStore(database)),
      store: memoryIssueStore(database),
      searches: memoryIssueSearchStore(database),
      types: typeStore.memory(database),
      schemes: memoryTypeSchemeStore(database),
      components: componentRows.memory(database),
      versions: versionRows.memory(database),
      associations: memoryAssociationStore(database),
      comments: commentRows.memory(database),
      edits: editRows.memory(database),
      links: memoryLinkStore(database),
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
    entities: [...identityEntities, ...entities, ...issueEntities],
    migrations: [setOf(identity), setOf(repositories), setOf(issues)],
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
  return async (): Promise<Made<UnderTest>> => {
    await rawSql`truncate identity_user cascade`.execute(storage.database.kysely<Record<never, never>>());
    return {
      provider: {
        ...repositoriesIn(sqlRepositoryStore(storage.database)),
        store: sqlIssueStore(counted),
        searches: sqlIssueSearchStore(counted),
        thorough: true,
        types: typeStore.sql(counted),
        schemes: sqlTypeSchemeStore(counted),
        components: componentRows.sql(counted),
        versions: versionRows.sql(counted),
        associations: sqlAssociationStore(counted),
        comments: commentRows.sql(counted),
        edits: editRows.sql(counted),
        links: sqlLinkStore(counted),
        unitOfWork: storage.unitOfWork,
        addUser: (username) => addAccount(accounts, { id: systemIds.uuid(), username }),
        removeUser: (id) => storage.unitOfWork.run(() => accounts.delete(id)),
        statements: () => statements,
      },
      dispose: async () => undefined,
    };
  };
}

void t.test('the contract fails on stores that break it', async (t) => {
  const breaks: Readonly<Record<string, (store: IssueStore) => Partial<IssueStore>>> = {
    'numbers with gaps': (store) => ({
      nextNumber: async (id) => (await store.nextNumber(id), store.nextNumber(id)),
    }),
    'a lost update': () => ({ update: async () => undefined }),
    'labels that stay': (store) => ({
      replaceLabels: async (id, labels) => (labels.length === 0 ? undefined : store.replaceLabels(id, labels)),
    }),
    'a wrong order': (store) => ({ list: async (...args) => (await store.list(...args)).toReversed() }),
    'an ignored filter': (store) => ({ list: (id, { overdue: _, ...filter }, slice) => store.list(id, filter, slice) }),
    'a count of all': (store) => ({ count: (id) => store.count(id, {}) }),
    'ancestors from the top': (store) => ({
      lineage: async (...args) => {
        const found = await store.lineage(...args);
        return found && { ...found, ancestorIds: found.ancestorIds.toReversed() };
      },
    }),
    'everything is a leaf': () => ({ height: async () => 1 }),
    'milestones of everybody': (store) => ({
      countByMilestone: async (_, ids) => new Map(ids.map((id) => [id, { open: 3, closed: 1 }])),
      countOpen: store.countOpen,
    }),
    'a label that stays': () => ({ dropLabel: async () => undefined }),
    'a watcher who stays': () => ({ unwatch: async () => undefined }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return { provider: { ...provider, store: { ...provider.store, ...broken(provider.store) } }, dispose };
    };
    t.not((await failures(issueStoreChecks, make, 2000)).length, 0, name);
  }
});

void t.test('the contract of what issues are about, and of schemes, fails on stores that break it', async (t) => {
  type Broken = Partial<Pick<IssueCatalogueUnderTest, 'schemes' | 'associations'>>;
  const breaks: Readonly<Record<string, (made: IssueCatalogueUnderTest) => Broken>> = {
    'a scheme without order': ({ schemes }) => ({
      schemes: { ...schemes, replace: (id, types) => schemes.replace(id, types.toSorted()) },
    }),
    'a scheme that is never empty again': ({ schemes }) => ({
      schemes: { ...schemes, replace: async (id, ids) => (ids.length === 0 ? undefined : schemes.replace(id, ids)) },
    }),
    'one scheme for all': ({ schemes }) => {
      let first = '';
      return {
        schemes: {
          replace: (id, types) => schemes.replace((first ||= id), types),
          typesOf: (id) => schemes.typesOf(first || id),
        },
      };
    },
    'associations that stay': ({ associations }) => ({
      associations: {
        ...associations,
        replace: async (id, which, ids) => (ids.length === 0 ? undefined : associations.replace(id, which, ids)),
      },
    }),
    'one kind of version': ({ associations }) => ({
      associations: {
        ...associations,
        replace: (id, which, ids) => associations.replace(id, which === 'affectsVersions' ? 'fixVersions' : which, ids),
      },
    }),
    'of the first issue alone': ({ associations }) => ({
      associations: { ...associations, of: (ids) => associations.of(ids.slice(0, 1)) },
    }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return { provider: { ...provider, ...broken(provider) }, dispose };
    };
    t.not((await failures(issueCatalogueChecks, make, 2000)).length, 0, name);
  }
});

void t.test('the contract of links fails on stores that break it', async (t) => {
  const breaks: Readonly<Record<string, (links: LinkStore) => Partial<LinkStore>>> = {
    'links of the source alone': (links) => ({
      of: async (id) => (await links.of(id)).filter(({ sourceId }) => sourceId === id),
    }),
    'a wrong order': (links) => ({ of: async (id) => (await links.of(id)).toReversed() }),
    'only the next is blocked': (links) => ({
      blocks: async (id, other) => (await links.of(id)).some(({ targetId }) => targetId === other),
    }),
    'every link blocks': (links) => {
      const blocks = async (id: string, other: string): Promise<boolean> => {
        const targets = (await links.of(id)).filter(({ sourceId }) => sourceId === id).map(({ targetId }) => targetId);
        for (const target of targets) if (target === other || (await blocks(target, other))) return true;
        return false;
      };
      return { blocks };
    },
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return { provider: { ...provider, links: { ...provider.links, ...broken(provider.links) } }, dispose };
    };
    t.not((await failures(issueTalkChecks, make, 2000)).length, 0, name);
  }
});

void t.test('the contract of the search fails on stores that break it', async (t) => {
  const breaks: Readonly<Record<string, (searches: IssueSearchStore) => Partial<IssueSearchStore>>> = {
    'the worst first': ({ search }) => ({ search: async (...args) => (await search(...args)).toReversed() }),
    'no bound': ({ search }) => ({ search: (id, text) => search(id, text, 100) }),
    'words alone': ({ search }) => ({ search: (id, { text }, limit) => search(id, { way: 'words', text }, limit) }),
    'one rank for all': ({ search }) => ({
      search: async (...args) => (await search(...args)).map((hit) => ({ ...hit, rank: 1 })),
    }),
    'facets of nothing': () => ({ facets: async () => [] }),
    'facets twice': ({ facets }) => ({
      facets: async (...args) => (await facets(...args)).flatMap((one) => [one, one]),
    }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const { provider, dispose } = onMemory();
      return {
        provider: { ...provider, searches: { ...provider.searches, ...broken(provider.searches) } },
        dispose,
      };
    };
    t.not((await failures(issueSearchChecks, make, 2000)).length, 0, name);
  }
});

const checks: readonly Check<UnderTest>[] = [
  ...issueStoreChecks,
  ...issueCatalogueChecks,
  ...issueSearchChecks,
  ...issueTalkChecks,
];

void t.test('stores of issues', (t) =>
  eachEngine(t, async (t, engine, data) =>
    contract(t, engine, checks, engine === 'memory' ? async () => onMemory() : await onSql(data)),
  ),
);
