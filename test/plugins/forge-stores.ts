// Contract suites of a plugin's stores next to those of users and repositories, on every engine, with mutants.
import { rawSql, type MemoryDatabase, type SqlDatabase } from 'hexforge/plugin';
import type { Test } from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { AccountStore } from '#core/identity/index';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { RepositoryStore } from '#core/repositories/index';
import type { PluginDefinition } from '#host/plugin/definition';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import repositories from '#plugins/repositories/plugin';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { entities } from '#plugins/repositories/tables';
import { contract, firstFailure, type Check, type Made } from '../contracts/checks.ts';
import type { ForgeUnderTest } from '../contracts/forge-under-test.ts';
import { eachEngine, quietLog, setOf, type TestData } from '../contracts/storage/storage-engines.ts';
import { addAccount } from '../support/clients/accounts.ts';

/** Wraps a database. @returns the wrapped one, and the number of statements read through it so far. */
export function countedReads(database: SqlDatabase): {
  readonly counted: SqlDatabase;
  readonly statements: () => number;
} {
  let statements = 0;
  const plugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++;
      return result;
    },
  } satisfies Parameters<ReturnType<SqlDatabase['kysely']>['withPlugin']>[0];
  return {
    counted: { em: () => database.em(), kysely: <DB>() => database.kysely<DB>().withPlugin(plugin) },
    statements: () => statements,
  };
}

const inhabited = (
  unitOfWork: UnitOfWork,
  accounts: AccountStore,
  store: RepositoryStore,
): Omit<ForgeUnderTest, 'statements'> => ({
  unitOfWork,
  addUser: (username) => addAccount(accounts, { id: systemIds.uuid(), username }),
  removeUser: (id) => unitOfWork.run(() => accounts.delete(id)),
  async addRepository(ownerId, name) {
    const [id, at] = [systemIds.uuid(), new Date()];
    const record = { id, ownerId, owner: '', name, description: '', visibility: 'private' } as const;
    await store.insert({ ...record, defaultBranch: 'main', issueCode: '', createdAt: at, updatedAt: at });
    return id;
  },
  removeRepository: (id) => store.delete(id),
});

/** Stores in the form of a plugin definition. */
type Halves = Readonly<
  Record<string, { sql(database: SqlDatabase): object; memory(database: MemoryDatabase): object }>
>;
type StoresOf<H extends Halves> = { readonly [M in keyof H]: ReturnType<H[M]['memory']> };
/** Member of a provider → planted fault → the members of the mutant. */
type Breaks<P> = { readonly [M in keyof P]?: Readonly<Record<string, (good: P[M]) => Partial<P[M]>>> };

/** @param onSql members of the provider besides its stores on SQL engines. */
export function forgeStores<H extends Halves, S extends object>(
  plugin: PluginDefinition,
  {
    entities: own = [],
    stores,
    onSql,
  }: { readonly entities?: readonly object[]; readonly stores: H; readonly onSql?: S },
) {
  type Provider = StoresOf<H> & ForgeUnderTest & Partial<S>;
  const made = (storeOf: (halves: Halves[string]) => object): StoresOf<H> =>
    Object.fromEntries(Object.entries(stores).map(([name, halves]) => [name, storeOf(halves)])) as StoresOf<H>;

  function memory(): Made<Provider> {
    const { database, unitOfWork, close } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
    const provider = {
      ...inhabited(unitOfWork, memoryAccountStore(database), memoryRepositoryStore(database)),
      ...made((halves) => halves.memory(database)),
    };
    return { provider: provider as Provider, dispose: () => close() };
  }

  /** Opened once: each check starts with empty tables. */
  async function sql(data: TestData): Promise<() => Promise<Made<Provider>>> {
    const { database, unitOfWork } = (await data.open({
      entities: [...identityEntities, ...entities, ...own],
      migrations: [setOf(identity), setOf(repositories), ...(plugin === repositories ? [] : [setOf(plugin)])],
    })) as PostgresStorage;
    const { counted, statements } = countedReads(database);
    const provider = {
      ...inhabited(unitOfWork, sqlAccountStore(database), sqlRepositoryStore(database)),
      ...made((halves) => halves.sql(counted)),
      ...onSql,
      statements,
    };
    return async () => {
      await rawSql`truncate identity_user cascade`.execute(database.kysely<object>());
      return { provider: provider as Provider, dispose: async () => undefined };
    };
  }

  return {
    /** Runs every check on every engine. */
    hold: (t: Test, checks: readonly Check<Provider>[]): Promise<void> =>
      eachEngine(t, async (t, engine, data) =>
        contract(t, engine, checks, engine === 'memory' ? async () => memory() : await sql(data)),
      ),
    /** Asserts that at least one check fails for each mutant. */
    async find(t: Test, checks: readonly Check<Provider>[], breaks: Breaks<Provider>): Promise<void> {
      for (const [member, broken] of Object.entries(breaks) as [
        keyof Provider,
        Record<string, (good: never) => object>,
      ][])
        for (const [name, breaking] of Object.entries(broken)) {
          const make = async () => {
            const { provider, dispose } = memory();
            const good = provider[member] as never;
            return { provider: { ...provider, [member]: { ...(good as object), ...breaking(good) } }, dispose };
          };
          t.type(await firstFailure(checks, make, 2000), 'string', name);
        }
    },
  };
}
