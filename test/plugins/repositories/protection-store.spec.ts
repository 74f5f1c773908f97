// The stores of branch protection, held to their contract on every engine.
import { rawSql, type SqlDatabase } from 'hexforge/plugin';
import t from 'tap';
import { openMemory, systemClock, systemIds } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import { defaultProtection, type ProtectionStore } from '#core/repositories/index';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import repositories from '#plugins/repositories/plugin';
import { memoryProtectionStore } from '#plugins/repositories/protection/store-memory';
import { sqlProtectionStore } from '#plugins/repositories/protection/store';
import { entities } from '#plugins/repositories/tables';
import { contract, failures, type Made } from '../../contracts/checks.ts';
import { protectionStoreChecks, type ProtectionStoreUnderTest } from '../../contracts/protection-store.ts';
import { eachEngine, quietLog, type TestData, setOf } from '../../contracts/storage-engines.ts';

function onMemory(): Made<ProtectionStoreUnderTest> {
  const { database, unitOfWork, close } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const repositories = database.table<{ readonly id: string }>('repositories_repository', { key: 'id' });
  return {
    provider: {
      store: memoryProtectionStore(database),
      unitOfWork,
      async addRepository() {
        const id = systemIds.uuid();
        repositories.insert({ id });
        return id;
      },
      async deleteRepository(id) {
        repositories.delete(id);
      },
    },
    dispose: () => close(),
  };
}

async function onSql(data: TestData): Promise<ProtectionStoreUnderTest> {
  const storage = (await data.open({
    entities: [...identityEntities, ...entities],
    migrations: [setOf(identity), setOf(repositories)],
  })) as PostgresStorage;
  const { database, unitOfWork } = storage;
  let statements = 0;
  const counted: SqlDatabase = {
    em: () => database.em(),
    kysely: <DB>() =>
      database.kysely<DB>().withPlugin({
        transformQuery: ({ node }) => {
          statements++;
          return node;
        },
        transformResult: async ({ result }) => result,
      }),
  };
  const db = () => database.kysely<Record<never, never>>();
  const owner = systemIds.uuid();
  await rawSql`insert into identity_user (id, username, username_key, email, email_key, display_name, display_name_key, bio, avatar_url, is_admin, status, email_verified, password_hash, created_at)
    values (${owner}, 'ada', 'ada', 'a@example.com', 'a@example.com', '', '', '', '', false, 'active', true, 'x', now())`.execute(
    db(),
  );
  return {
    store: sqlProtectionStore(counted),
    unitOfWork,
    statements: () => statements,
    async addRepository() {
      const id = systemIds.uuid();
      await rawSql`insert into repositories_repository (id, owner_id, name, name_key, description, visibility, default_branch, issue_code, created_at, updated_at)
        values (${id}, ${owner}, ${id}, ${id}, '', 'private', 'main', '', now(), now())`.execute(db());
      return id;
    },
    async deleteRepository(id) {
      await rawSql`delete from repositories_repository where id = ${id}`.execute(db());
    },
  };
}

void t.test('the contract fails on stores that break it', async (t) => {
  const breaks: Readonly<Record<string, (store: ProtectionStore) => Partial<ProtectionStore>>> = {
    'a lost write': () => ({ put: async () => undefined }),
    'rules of every repository': (store) => ({
      all: async () => store.all('the one and only'),
      put: (_, ...rest) => store.put('the one and only', ...rest),
    }),
    'the first rule stays': (store) => ({
      put: async (id, branch, ...rest) => {
        if (!(await store.all(id)).has(branch)) await store.put(id, branch, ...rest);
      },
    }),
    'forgotten roles': (store) => ({
      put: (id, branch, rule, at) => store.put(id, branch, { ...rule, pushRoles: defaultProtection.pushRoles }, at),
    }),
    'case that does not count': (store) => ({
      put: (id, branch, ...rest) => store.put(id, branch.toLowerCase(), ...rest),
    }),
    'nothing is deleted': () => ({ delete: async () => true }),
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const made = onMemory();
      return {
        ...made,
        provider: { ...made.provider, store: { ...made.provider.store, ...broken(made.provider.store) } },
      };
    };
    t.not((await failures(protectionStoreChecks, make, 2000)).length, 0, name);
  }
});

void t.test('stores of branch protection', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, protectionStoreChecks, async () => onMemory());
    const provider = await onSql(data);
    await contract(t, engine, protectionStoreChecks, async () => ({ provider, dispose: async () => undefined }));
  }),
);
