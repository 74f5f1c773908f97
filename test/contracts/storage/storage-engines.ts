// The storage engines that tests run on: memory, the embedded database, and PostgreSQL if a server is configured.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Memory, openMemory, type MemoryStorage } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres, type MigrationOutcome, type MigrationSet, type PostgresStorage } from '#adapters/postgres/index';
import type { Log } from '#core/kernel/services/log';
import type { Clock, Ids } from '#core/kernel/time';
import type { PluginDefinition } from '#host/plugin/definition';
import { layCluster } from '#test/support/servers/cluster';

export type EngineName = 'memory' | 'embedded' | 'postgresql';

export interface EngineOptions {
  /** `defineEntity` schemas. */
  readonly entities?: readonly object[];
  readonly migrations?: readonly MigrationSet[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Log;
  /** How delivery retries. */
  readonly tuning?: { readonly attempts?: number; readonly pause?: number; readonly closing?: number };
  /** The backlog that is kept for a subscription of a disabled plugin. */
  readonly kept?: { readonly events: number; readonly days: number };
  readonly deadline?: number;
  /** Returns the caller key of the current work. */
  readonly caller?: () => string | undefined;
  /** The time limit of one statement of a migration on a server, in milliseconds. */
  readonly migrationLimit?: number;
  /** The time limit of a statement outside of units of work on a server, in milliseconds. */
  readonly readLimit?: number;
}

/** The data of one test, which can be opened several times. */
export interface TestData {
  readonly engine: EngineName;
  /**
   * Opens the data: empty at first, later with the data of the previous opening. Applies the migrations. Closed when
   * the test ends if it is still open.
   */
  open(options?: EngineOptions): Promise<MemoryStorage | PostgresStorage>;
}

export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Reads HEXFORGE_TEST_ENGINES, a comma-separated list. `postgresql` needs HEXFORGE_TEST_POSTGRES_URL, a server on which
 * databases may be created.
 */
export function testEngines(): readonly EngineName[] {
  const names = (
    process.env['HEXFORGE_TEST_ENGINES'] ??
    `memory,embedded${process.env['HEXFORGE_TEST_POSTGRES_URL'] === undefined ? '' : ',postgresql'}`
  )
    .split(',')
    .map((name) => name.trim());
  const unknown = names.find((name) => !(name in makers));
  if (unknown !== undefined)
    throw new Error(`HEXFORGE_TEST_ENGINES names "${unknown}"; there are ${Object.keys(makers).join(', ')}`);
  return names as EngineName[];
}

/** Runs `body` as a subtest for each engine, each with its own data. */
export async function eachEngine(
  t: Test,
  body: (t: Test, engine: EngineName, data: TestData) => Promise<unknown>,
  engines = testEngines(),
): Promise<void> {
  for (const engine of engines) {
    await t.test(engine, { timeout: 120_000 }, async (subtest) => {
      await body(subtest, engine, await testData(subtest, engine));
    });
  }
}

/** Runs `body` for each SQL engine, on its own opened data without tables of a plugin. */
export async function eachSqlEngine(
  t: Test,
  body: (t: Test, storage: PostgresStorage, data: TestData) => Promise<unknown>,
): Promise<void> {
  for (const engine of testEngines()) {
    if (engine === 'memory') continue;
    await t.test(engine, { timeout: 120_000 }, async (subtest) => {
      const data = await testData(subtest, engine);
      await body(subtest, (await data.open()) as PostgresStorage, data);
    });
  }
}

/** Fresh data on one engine, removed when `t` ends. */
export async function testData(t: Test, engine: EngineName): Promise<TestData> {
  const openings: (MemoryStorage | PostgresStorage)[] = [];
  const { open, remove } = await makers[engine]();
  t.teardown(async () => {
    for (const storage of openings) await storage.close();
    await remove();
  });
  return {
    engine,
    async open(options = {}) {
      const storage = await open(options);
      openings.push(storage);
      if (storage.engine !== 'memory') await migrated(storage, options.migrations ?? []);
      return storage;
    },
  };
}

/** Migrates. @throws the first refusal. */
export async function migrated(
  storage: PostgresStorage,
  sets: readonly MigrationSet[],
): Promise<readonly MigrationOutcome[]> {
  const outcomes = await storage.migrate(sets);
  for (const { refused } of outcomes) if (refused !== undefined) throw refused;
  return outcomes;
}

/** The migration set that the host applies for a plugin. */
export const setOf = ({
  name: plugin,
  migrations = [],
  tables = [],
  references = [],
}: Pick<PluginDefinition, 'name' | 'migrations' | 'tables' | 'references'>): MigrationSet => ({
  plugin,
  migrations,
  tables,
  references,
});

interface Maker {
  open(options: EngineOptions): Promise<MemoryStorage | PostgresStorage>;
  remove(): Promise<void>;
}

const makers: Record<EngineName, () => Promise<Maker>> = {
  async memory() {
    const memory = new Memory();
    return { open: async (options) => openMemory({ ...parts(options), memory }), remove: async () => undefined };
  },

  async embedded() {
    const directory = mkdtempSync(join(tmpdir(), 'hexforge-test-'));
    cpSync(await seed(), directory, { recursive: true });
    return {
      open: (options) => openPostgres({ ...parts(options), directory }),
      remove: async () => rmSync(directory, { recursive: true, force: true }),
    };
  },

  async postgresql() {
    const { url, drop } = await testDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'hexforge-test-'));
    return {
      open: (options) => openPostgres({ ...parts(options), url, directory }),
      async remove() {
        rmSync(directory, { recursive: true, force: true });
        await drop();
      },
    };
  },
};

/** A new database on the test server. */
async function testDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = process.env['HEXFORGE_TEST_POSTGRES_URL'];
  if (server === undefined)
    throw new Error(
      'HEXFORGE_TEST_POSTGRES_URL is not set: it names a PostgreSQL server on which databases may be made',
    );
  const name = `hexforge_test_${randomBytes(8).toString('hex')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `drop database ${name} with (force)`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const storage = await openPostgres({ ...parts({}), url, directory: tmpdir() });
  try {
    await storage.database.em().execute(statement);
  } finally {
    await storage.close();
  }
}

function parts({
  entities = [],
  clock = systemClock,
  ids = systemIds,
  log = quietLog,
  tuning,
  kept,
  deadline,
  readLimit,
  caller,
  migrationLimit,
}: EngineOptions) {
  return {
    entities,
    clock,
    ids,
    log,
    ...(tuning === undefined ? {} : { tuning }),
    ...(kept === undefined ? {} : { kept }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(readLimit === undefined ? {} : { readLimit }),
    ...(caller === undefined ? {} : { caller }),
    ...(migrationLimit === undefined ? {} : { migrationLimit }),
  };
}

let seeded: Promise<string> | undefined;

/** A data directory with an empty embedded database, made once per process because making one takes seconds. */
function seed(): Promise<string> {
  seeded ??= (async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hexforge-seed-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    await layCluster(directory);
    const storage = await openPostgres({ ...parts({}), directory });
    await storage.migrate([]);
    await storage.close();
    return directory;
  })();
  return seeded;
}
