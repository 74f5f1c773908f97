// The database's records of migrations: which were applied, and which plugin owns each table.
import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from '../statements/database.ts';
import { StorageRefused } from '../statements/errors.ts';
import { Ownership, system } from './ownership.ts';
import type { SystemTables } from '../statements/schema.ts';

/** The migrations and tables of one plugin. */
export interface MigrationSet {
  readonly plugin: string;
  readonly migrations: readonly Migration[];
  /** Tables and views that exist once all migrations are applied. */
  readonly tables?: readonly string[];
  /** Published tables and views of other plugins that its foreign keys and views name. */
  readonly references?: readonly string[];
  /** Plugins on whose tables its own may depend: if one of them is refused, this one is skipped. */
  readonly after?: readonly string[];
  /** If a vital plugin is refused, no further migrations are applied. */
  readonly vital?: boolean;
}

export type Step = Migration & { readonly sha256: string };

export interface Records {
  /** Plugin → migration → hash of its statements. */
  readonly applied: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Table or view → plugin. */
  readonly tables: ReadonlyMap<string, string>;
}

/** The maker of migrations in a message: the forge itself, or a plugin. */
export const madeBy = (plugin: string): string => (plugin === system ? 'Hexforge' : `plugin "${plugin}"`);

export const disabling = (plugin: string): string => `disable the plugin with HEXFORGE_PLUGINS=-${plugin}`;

/** Empty if no migration was applied yet. */
export async function readRecords(database: Kysely<SystemTables>): Promise<Records> {
  const {
    rows: [there],
  } = await database.executeQuery<{ migrations: boolean; tables: boolean }>(
    CompiledQuery.raw(
      `select to_regclass('hexforge_migration') is not null as migrations, to_regclass('hexforge_table') is not null as tables`,
    ),
  );
  const steps =
    there?.migrations === true
      ? await database.selectFrom('hexforge_migration').select(['plugin', 'name', 'sha256']).execute()
      : [];
  const tables =
    there?.tables === true ? await database.selectFrom('hexforge_table').select(['name', 'plugin']).execute() : [];
  return {
    applied: new Map(
      [...Map.groupBy(steps, ({ plugin }) => plugin)].map(([plugin, own]) => [
        plugin,
        new Map(own.map(({ name, sha256 }) => [name, sha256])),
      ]),
    ),
    tables: new Map(tables.map(({ name, plugin }) => [name, plugin])),
  };
}

export const recordedTables = ({ tables }: Records, plugin: string): ReadonlySet<string> =>
  new Set([...tables].filter(([, owner]) => owner === plugin).map(([name]) => name));

/** The owners of tables and other objects, from the records and from the declarations of the plugins of this start. */
export function ownershipOf({ applied, tables }: Records, sets: readonly MigrationSet[]): Ownership {
  const declared = sets.flatMap(({ plugin, tables: own = [] }) => own.map((name) => [name, plugin] as const));
  return new Ownership(
    [system, ...applied.keys(), ...tables.values(), ...sets.map(({ plugin }) => plugin)],
    new Map([...declared, ...tables]),
  );
}

/**
 * The migrations of a set that were not applied, in its order.
 * @throws {StorageRefused} if an applied migration is unknown or has a different text.
 */
export function missing({ plugin, migrations }: MigrationSet, { applied }: Records): readonly Step[] {
  const known = new Map(migrations.map((migration) => [migration.name, { sha256: hash(migration), ...migration }]));
  if (known.size !== migrations.length) throw new Error(`plugin "${plugin}" lists two migrations of one name`);
  for (const [name, sha256] of applied.get(plugin) ?? []) {
    const step = known.get(name);
    if (step === undefined)
      throw new StorageRefused(
        `The database was written by a newer version of ${madeBy(plugin)}: its migration "${name}" is not known here`,
        'Start the version that wrote it, or restore a backup from before the upgrade',
      );
    if (step.sha256 !== sha256)
      throw new StorageRefused(
        `The migration "${name}" of ${madeBy(plugin)} was changed after it had been applied`,
        plugin === system
          ? 'Reinstall Hexforge'
          : `Restore its text as it was released and put the change into a new migration; until its author has done so, ${disabling(plugin)}`,
      );
    known.delete(name);
  }
  return [...known.values()];
}

/** Hashes only the statements, with white space normalized: indenting the source changes nothing in the database. */
function hash({ up }: Migration): string {
  return createHash('sha256')
    .update(JSON.stringify(up.map((statement) => statement.replace(/\s+/g, ' ').trim())))
    .digest('hex');
}
