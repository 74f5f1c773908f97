// Schema migrations: each applied once, in one transaction, and frozen by its hash.
import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Log } from '#core/kernel/log';
import type { Locks } from '#core/kernel/unit-of-work';
import type { Migration } from './database.ts';
import { StorageRefused } from './errors.ts';
import { migrationTable, system, systemMigrations, type SystemTables } from './schema.ts';
import { liftBound } from './stalled-connections.ts';

export interface MigrationSet {
  readonly plugin: string;
  readonly migrations: readonly Migration[];
}

export interface MigrationName {
  readonly plugin: string;
  readonly name: string;
}

type Step = MigrationName & { readonly up: readonly string[]; readonly sha256: string };

export class Migrations {
  readonly #database: () => Kysely<SystemTables>;
  readonly #locks: Locks;
  readonly #log: Log;

  constructor(database: () => Kysely<SystemTables>, locks: Locks, log: Log) {
    this.#database = database;
    this.#locks = locks;
    this.#log = log;
  }

  /** What `migrate` would apply, in its order. Changes nothing. @throws {StorageRefused} */
  async pending(sets: readonly MigrationSet[]): Promise<readonly MigrationName[]> {
    return (await this.#missing(withSystem(sets))).map(({ plugin, name }) => ({ plugin, name }));
  }

  /** Applies what is missing, one process at a time; the system's own steps first. @throws {StorageRefused} */
  async migrate(sets: readonly MigrationSet[]): Promise<MigrationName[]> {
    return this.#locks.exclusive('hexforge.migrations', async () => {
      await this.#database().executeQuery(CompiledQuery.raw(migrationTable));
      const applied: MigrationName[] = [];
      for (const step of await this.#missing(withSystem(sets))) {
        await this.#apply(step);
        applied.push({ plugin: step.plugin, name: step.name });
        this.#log.info({ plugin: step.plugin, migration: step.name }, 'migration applied');
      }
      return applied;
    });
  }

  async #apply({ plugin, name, up, sha256 }: Step): Promise<void> {
    try {
      await this.#database()
        .transaction()
        .execute(async (transaction) => {
          // A step over a large table may take its time; a unit of work may not.
          await transaction.executeQuery(CompiledQuery.raw(liftBound));
          for (const statement of up) await transaction.executeQuery(CompiledQuery.raw(statement));
          await transaction.insertInto('hexforge_migration').values({ plugin, name, sha256 }).execute();
        });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StorageRefused(
        `The migration "${name}" of plugin "${plugin}" failed and was rolled back: ${reason}`,
        'The database is as it was before this step; report the failure to the author of the plugin',
        error,
      );
    }
  }

  async #missing(sets: readonly MigrationSet[]): Promise<readonly Step[]> {
    const applied = await this.#applied();
    return sets.flatMap(({ plugin, migrations }) => {
      const known = new Map(
        migrations.map((migration) => [migration.name, { plugin, sha256: hash(migration), ...migration }]),
      );
      if (known.size !== migrations.length) throw new Error(`plugin "${plugin}" lists two migrations of one name`);
      for (const [name, sha256] of applied.get(plugin) ?? []) {
        const step = known.get(name);
        if (step === undefined)
          throw new StorageRefused(
            `The database was written by a newer version of plugin "${plugin}": its migration "${name}" is not known here`,
            'Start the version that wrote it, or restore a backup from before the upgrade',
          );
        if (step.sha256 !== sha256)
          throw new StorageRefused(
            `The migration "${name}" of plugin "${plugin}" was changed after it had been applied`,
            'Restore its text as it was released and put the change into a new migration',
          );
        known.delete(name);
      }
      return [...known.values()];
    });
  }

  /** plugin → name → hash. */
  async #applied(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const {
      rows: [table],
    } = await this.#database().executeQuery<{ present: boolean }>(
      CompiledQuery.raw("select to_regclass('hexforge_migration') is not null as present"),
    );
    const rows =
      table?.present === true
        ? await this.#database().selectFrom('hexforge_migration').select(['plugin', 'name', 'sha256']).execute()
        : [];
    return new Map(
      [...Map.groupBy(rows, ({ plugin }) => plugin)].map(([plugin, steps]) => [
        plugin,
        new Map(steps.map(({ name, sha256 }) => [name, sha256])),
      ]),
    );
  }
}

function withSystem(sets: readonly MigrationSet[]): readonly MigrationSet[] {
  return [{ plugin: system, migrations: systemMigrations }, ...sets];
}

/** Of the statements alone, white space made equal: indenting the source changes nothing in the database. */
function hash({ up }: Migration): string {
  return createHash('sha256')
    .update(JSON.stringify(up.map((statement) => statement.replace(/\s+/g, ' ').trim())))
    .digest('hex');
}
