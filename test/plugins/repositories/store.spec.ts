// The contract suite of the stores of repositories on every engine.
import { rawSql } from 'hexforge/plugin';
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { RepositoryStore, RepositoryViews } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities, UserTable } from '#plugins/identity/tables';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { sqlCollaboratorStore } from '#plugins/repositories/collaborators/store';
import { roleTemplateStore } from '#plugins/repositories/role-templates/store';
import { markStore } from '#plugins/repositories/stars/store';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import repositories from '#plugins/repositories/plugin';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { broughtRows, entities } from '#plugins/repositories/tables';
import { contract, firstFailure, type Made } from '../../contracts/checks.ts';
import { collaboratorStoreChecks } from '../../contracts/stores/collaborator-stores.ts';
import {
  repositoryStoreChecks as recordChecks,
  type RepositoryStoreUnderTest,
} from '../../contracts/stores/repository-store.ts';
import { eachEngine, quietLog, type TestData, setOf, testEngines } from '../../contracts/storage/storage-engines.ts';
import { addAccount } from '../../support/clients/accounts.ts';
import { countedReads } from '../forge-stores.ts';

const repositoryStoreChecks = [...recordChecks, ...collaboratorStoreChecks];

function onMemory(): Made<RepositoryStoreUnderTest> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  const provider: RepositoryStoreUnderTest = {
    store: memoryRepositoryStore(database),
    collaborators: memoryCollaboratorStore(database),
    roleTemplates: roleTemplateStore.memory(database),
    marks: markStore.memory(database),
    brought: broughtRows.memory(database),
    unitOfWork,
    addUser: (username) => addAccount(accounts, { id: `${username}-id`, username }),
  };
  return { provider, dispose: () => storage.close() };
}

/** Opened once: each test starts with empty tables. */
async function onSql(data: TestData) {
  const storage = (await data.open({
    entities: [...identityEntities, ...entities],
    migrations: [setOf(identity), setOf(repositories)],
  })) as PostgresStorage;
  const { counted, statements } = countedReads(storage.database);
  const db = () => storage.database.kysely<Record<never, never>>();
  const accounts = sqlAccountStore(storage.database);
  const provide = async () => {
    await rawSql`truncate identity_user cascade`.execute(db());
    return {
      store: sqlRepositoryStore(counted),
      collaborators: sqlCollaboratorStore(counted),
      brought: broughtRows.sql(counted),
      roleTemplates: roleTemplateStore.sql(counted),
      marks: markStore.sql(counted),
      unitOfWork: storage.unitOfWork,
      addUser: (username: string) => addAccount(accounts, { id: systemIds.uuid(), username }),
      readable: async (reader: string | null, repositoryId: string) => {
        const { rows } = await rawSql<{
          readable: boolean;
        }>`select repositories_readable(${reader}::uuid, ${repositoryId}::uuid) as readable`.execute(db());
        return rows[0]?.readable === true;
      },
      statements,
    };
  };
  return { storage, provide };
}

void t.test('the contract suite finds mutants', async (t) => {
  const breaks: Readonly<Record<string, (store: RepositoryStore) => Partial<RepositoryStore>>> = {
    'a lost write': () => ({ update: async () => true }),
    'an ignored patch': (store) => ({ update: (id, { updatedAt }) => store.update(id, { updatedAt }) }),
    'no uniqueness': (store) => ({ insert: (repository) => store.insert(repository).catch(() => undefined) }),
    'case that counts': (store) => ({
      idByName: async (ownerId, name) => (name === name.toLowerCase() ? store.idByName(ownerId, name) : undefined),
    }),
    'everything is listed for every reader': (store) => ({
      list: (filter) => store.list({ ...filter, reader: { kind: 'user', id: '', isAdmin: true } }),
    }),
    'an ignored filter': (store) => ({ list: ({ owner: _, ...filter }) => store.list(filter) }),
    'an ignored search': (store) => ({ list: ({ words: _, ...filter }) => store.list(filter) }),
    'an ignored visibility': (store) => ({ list: ({ visibility: _, ...filter }) => store.list(filter) }),
    'an ignored user': (store) => ({ list: ({ involving: _, ...filter }) => store.list(filter) }),
    'an ignored sort': (store) => ({ list: ({ sort: _, ...filter }) => store.list(filter) }),
    'a wrong order': (store) => ({ list: async (filter) => (await store.list(filter)).toReversed() }),
    'no limit': (store) => ({ list: (filter) => store.list({ ...filter, limit: 1000 }) }),
    'a role for everybody': (store) => ({
      standing: async (owner, name) => {
        const found = await store.standing(owner, name, undefined);
        return found && { ...found, collaboration: { role: 'read', permissions: [] } };
      },
    }),
    'collaborators that stay': () => ({ delete: async () => true }),
    'marks of all users': (store) => ({
      ownCounts: async (ids) =>
        new Map([...(await store.ownCounts(ids, undefined))].map(([id, counts]) => [id, { ...counts, starred: true }])),
    }),
    'forks without a parent': (store) => ({ insert: (repository) => store.insert(repository) }),
    'a plan made twice': (store) => ({
      planPrune: async (id, at) => {
        for (const { pruneAt } of await store.duePrunes({ now: new Date(8e14), idleSince: new Date(8e14), limit: 9 }))
          await store.replanPrune(id, { pruneAt }, undefined);
        await store.planPrune(id, at);
      },
    }),
    'a plan changed after an update of the repository': (store) => ({
      replanPrune: (id, { pruneAt }, next) => store.replanPrune(id, { pruneAt }, next),
    }),
    'plans that are not due': (store) => ({
      duePrunes: ({ limit }) => store.duePrunes({ now: new Date(8e14), idleSince: new Date(8e14), limit }),
    }),
    'counts for all users': (store) => ({
      countByOwner: async (ids) => new Map([...(await store.countByOwner(ids))].map(([id, count]) => [id, count + 1])),
    }),
  };
  const others: Readonly<Record<string, (under: RepositoryStoreUnderTest) => Partial<RepositoryStoreUnderTest>>> = {
    'a lost mark': ({ marks }) => ({ marks: { ...marks, set: async () => true } }),
    'a mark that stays': ({ marks }) => ({ marks: { ...marks, remove: async () => true } }),
    'a mark without its user': ({ marks }) => ({ marks: { ...marks, has: async () => false } }),
    'a template forgotten': ({ collaborators }) => ({
      collaborators: {
        ...collaborators,
        put: (repository, user, { roleTemplateId: _, ...collaboration }, at) =>
          collaborators.put(repository, user, collaboration, at),
      },
    }),
    'a collaborator who stays': ({ collaborators }) => ({
      collaborators: { ...collaborators, remove: async () => true },
    }),
    'templates of all repositories': ({ roleTemplates }) => ({
      roleTemplates: { ...roleTemplates, update: async () => true },
    }),
  };
  const all = [
    ...Object.entries(breaks).map(
      ([name, broken]) =>
        [name, (under: RepositoryStoreUnderTest) => ({ store: { ...under.store, ...broken(under.store) } })] as const,
    ),
    ...Object.entries(others),
  ];
  for (const [name, broken] of all) {
    const make = async () => {
      const made = onMemory();
      return { ...made, provider: { ...made.provider, ...broken(made.provider) } };
    };
    t.type(await firstFailure(repositoryStoreChecks, make, 2000), 'string', name);
  }
});

void t.test('stores of repositories', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, repositoryStoreChecks, async () => onMemory());
    const { storage, provide } = await onSql(data);
    await contract(t, engine, repositoryStoreChecks, async () => ({
      provider: await provide(),
      dispose: async () => undefined,
    }));

    await t.test('an owner of repositories cannot be deleted, and the refusal names the table', async (t) => {
      const { addUser, store, unitOfWork } = await provide();
      const ada = await addUser('ada');
      const at = new Date();
      await unitOfWork.run(() =>
        store.insert({
          id: systemIds.uuid(),
          ownerId: ada,
          owner: '',
          name: 'a',
          description: '',
          visibility: 'private',
          defaultBranch: 'main',
          issueCode: '',
          createdAt: at,
          updatedAt: at,
        }),
      );
      await t.rejects(
        unitOfWork.run(async () => {
          await storage.database.em().nativeDelete(UserTable, { id: ada });
        }),
        { message: /.*/, table: 'repositories_repository' },
      );
    });

    await t.test('the published view has its fixed columns', async (t) => {
      const { addUser, store, unitOfWork } = await provide();
      const [id, ada, at] = [systemIds.uuid(), await addUser('Ada'), new Date()];
      await unitOfWork.run(() =>
        store.insert({
          id,
          ownerId: ada,
          owner: '',
          name: 'Kit',
          description: 'not published',
          visibility: 'internal',
          defaultBranch: 'main',
          issueCode: 'KIT',
          createdAt: at,
          updatedAt: at,
        }),
      );
      const rows = await storage.database
        .kysely<RepositoryViews>()
        .selectFrom('repositories_public_repository')
        .selectAll()
        .execute();
      t.same(rows, [
        {
          id,
          owner_id: ada,
          owner: 'Ada',
          name: 'Kit',
          name_key: 'kit',
          visibility: 'internal',
          default_branch: 'main',
          issue_code: 'KIT',
        },
      ]);
    });
  }),
);

void t.test('keys of role templates from earlier versions are normalized, except where two become equal', (t) =>
  eachEngine(
    t,
    async (t, _, data) => {
      const storage = (await data.open({
        entities: [],
        migrations: [setOf(identity), setOf(repositories)],
      })) as PostgresStorage;
      const db = storage.database.kysely<Record<never, never>>();
      const [owner, repository] = [systemIds.uuid(), systemIds.uuid()];
      await rawSql`insert into identity_user (id, username, username_key, email, email_key, display_name, display_name_key, bio, avatar_url, is_admin, status, email_verified, password_hash, created_at)
      values (${owner}, 'ada', 'ada', 'a@example.com', 'a@example.com', '', '', '', '', false, 'active', true, 'x', now())`.execute(
        db,
      );
      await rawSql`insert into repositories_repository (id, owner_id, name, name_key, description, visibility, default_branch, issue_code, created_at, updated_at)
      values (${repository}, ${owner}, 'a', 'a', '', 'private', 'main', '', now(), now())`.execute(db);
      const names = ['gru\u0308n', 'ro\u0308t', 'r\u00f6t', 'a\u0323\u0301', 'a\u0301\u0323', 'blue'];
      for (const name of names)
        await rawSql`insert into repositories_role_template (id, repository_id, name, name_key, permissions, created_at, updated_at)
        values (${systemIds.uuid()}, ${repository}, ${name}, ${name}, '{}', now(), now())`.execute(db);
      const step = repositories.migrations?.find(({ name }) => name === '009-role-template-keys')?.up[0] ?? '';
      for (let times = 0; times < 2; times += 1) await rawSql.raw(step).execute(db);
      const { rows: found } = await rawSql<{
        name: string;
        key: string;
      }>`select name, name_key as key from repositories_role_template`.execute(db);
      const keys = new Map(found.map(({ name, key }) => [name, key]));
      t.strictSame(
        names.slice(0, 3).map((name) => keys.get(name)),
        ['gr\u00fcn', 'ro\u0308t', 'r\u00f6t'],
      );
      const dotted = names.slice(3, 5).map((name) => keys.get(name));
      t.equal(new Set(dotted).size, 2, 'the two are still different');
      t.ok(dotted.includes('\u1ea1\u0301'));
      t.equal(keys.get('blue'), 'blue');
    },
    testEngines().filter((engine) => engine !== 'memory'),
  ),
);
