// Removes the data of a plugin: its tables, functions and types, and the forge's own records about it.
import { CompiledQuery, type Kysely } from 'kysely';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import { type CatalogObject, changes, readCatalog } from './catalog.ts';
import { StorageRefused } from '../statements/errors.ts';
import { ownershipOf, readRecords } from './migration-records.ts';
import { migrationLock } from './migrations.ts';
import { bare, ofOthers } from './migration-rules.ts';
import { system } from './ownership.ts';
import { migrationTable, type SystemTables } from '../statements/schema.ts';
import { liftBound } from '../statements/stalled-connections.ts';

/** The data of a plugin in the database. */
export interface Remains {
  /** Tables with their number of rows, and the plugin's other objects: views, functions, types, sequences. */
  readonly objects: readonly { readonly kind: string; readonly name: string; readonly rows?: number }[];
  /** Rows about the plugin in the forge's own tables, and in tables of other plugins that mark rows by plugin. */
  readonly records: readonly { readonly table: string; readonly rows: number }[];
  /**
   * Objects of other owners that depend on it and would be dropped or changed, as `the foreign key "f" of "t" of plugin
   * "p"`.
   */
  readonly held: readonly string[];
}

export interface PurgeOptions {
  readonly database: () => Kysely<SystemTables>;
  readonly locks: Locks;
  /** Whether no server runs on the database, as far as this process can detect. */
  readonly alone: () => Promise<boolean>;
}

/** The order of dropping: dependent kinds first. */
const dropped = ['view', 'materialized view', 'foreign table', 'table', 'function', 'type', 'sequence'];

export class Purge {
  readonly #options: PurgeOptions;

  constructor(options: PurgeOptions) {
    this.#options = options;
  }

  /** Plugins that have data in the database. */
  async plugins(): Promise<readonly string[]> {
    const database = this.#options.database();
    const found: string[] = [];
    for (const { table, column } of await markedTables(database)) {
      const { rows } = await database.executeQuery<{ plugin: string }>(
        CompiledQuery.raw(`select distinct ${column} as plugin from ${quoted(table)} where ${column} is not null`),
      );
      found.push(...rows.map(({ plugin }) => plugin));
    }
    return [...new Set(found)].filter((plugin) => plugin !== system).sort();
  }

  /** Removes the data in a transaction, records the effects, and rolls back. @param known plugins that exist. */
  remains(plugin: string, known: readonly string[]): Promise<Remains> {
    return this.#run(plugin, known, 'look');
  }

  /** @throws {StorageRefused} if objects of others depend on it, or a server runs. @returns the removed data. */
  purge(plugin: string, known: readonly string[]): Promise<Remains> {
    return this.#run(plugin, known, 'remove');
  }

  async #run(plugin: string, known: readonly string[], how: 'look' | 'remove'): Promise<Remains> {
    const { locks, database, alone } = this.#options;
    if (plugin === system) throw new StorageRefused(`"${system}" is the forge itself`, 'Name a plugin');
    return locks.exclusive(migrationLock, async () => {
      if (!(await alone()))
        throw new StorageRefused(
          'A server runs on this database, and plugins are purged while none does',
          'Stop every server that uses the database, and try again',
        );
      await database().executeQuery(CompiledQuery.raw(migrationTable));
      const transaction = await database().startTransaction().execute();
      try {
        await transaction.executeQuery(CompiledQuery.raw(liftBound));
        const remains = await removed(transaction, plugin, known);
        if (how === 'remove' && remains.held.length > 0) throw heldRefusal(plugin, remains.held);
        await (how === 'look' ? transaction.rollback() : transaction.commit()).execute();
        return remains;
      } catch (error) {
        if (!transaction.isCommitted && !transaction.isRolledBack) await transaction.rollback().execute();
        throw error;
      }
    });
  }
}

export const heldRefusal = (plugin: string, held: readonly string[]): StorageRefused =>
  new StorageRefused(
    `The data of plugin "${plugin}" is still used: it would take with it ${held.join(', ')}`,
    'Purge the plugins named first, or bring them to a version that does without',
  );

async function removed(database: Kysely<SystemTables>, plugin: string, known: readonly string[]): Promise<Remains> {
  const ownership = ownershipOf(
    await readRecords(database),
    [plugin, ...known].map((name) => ({ plugin: name, migrations: [] })),
  );
  const before = await readCatalog(database);
  const own = [...before.values()]
    .filter(
      ({ kind, name, part_of: whole }) =>
        whole === null && dropped.includes(kind) && ownership.ownerOf(bare(name)) === plugin,
    )
    .sort((a, b) => dropped.indexOf(a.kind) - dropped.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
  const records = (await recordsOf(database, plugin)).filter(({ table }) => !own.some(({ name }) => name === table));
  const objects: { kind: string; name: string; rows?: number }[] = [];
  for (const object of own)
    objects.push({
      kind: object.kind,
      name: object.name,
      ...(object.kind === 'table'
        ? { rows: await count(database, `select count(*) from ${quoted(object.name)}`) }
        : {}),
    });
  for (const object of own) await database.executeQuery(CompiledQuery.raw(dropping(object)));
  for (const { table, column } of records)
    await database.executeQuery(CompiledQuery.raw(`delete from ${quoted(table)} where ${column} = $1`, [plugin]));
  return {
    objects,
    records: records.map(({ table, rows }) => ({ table, rows })),
    held: ofOthers(changes(before, await readCatalog(database)), plugin, ownership),
  };
}

/** `if exists`, because dropping an earlier object may have dropped this one too. */
function dropping({ kind, name }: CatalogObject): string {
  if (kind !== 'function') return `drop ${kind} if exists ${quoted(name)} cascade`;
  return `drop routine if exists ${quoted(bare(name))}${name.slice(bare(name).length)} cascade`;
}

interface Marked {
  readonly table: string;
  readonly column: 'plugin' | 'hexforge_plugin';
}

/** Every table with a column that marks rows by plugin: the forge's own, and plugins' tables with `hexforge_plugin`. */
async function markedTables(database: Kysely<SystemTables>): Promise<readonly Marked[]> {
  const { rows } = await database.executeQuery<Marked>(
    CompiledQuery.raw(
      `select c.relname as "table", a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and not a.attisdropped
          and (a.attname = 'hexforge_plugin' or (a.attname = 'plugin' and c.relname like 'hexforge\\_%'))
        order by 1`,
    ),
  );
  return rows;
}

async function recordsOf(
  database: Kysely<SystemTables>,
  plugin: string,
): Promise<readonly (Marked & { readonly rows: number })[]> {
  const found: (Marked & { readonly rows: number })[] = [];
  for (const { table, column } of await markedTables(database))
    found.push({
      table,
      column,
      rows: await count(database, `select count(*) from ${quoted(table)} where ${column} = $1`, [plugin]),
    });
  return found.filter(({ rows }) => rows > 0);
}

async function count(database: Kysely<SystemTables>, query: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await database.executeQuery<{ count: string }>(CompiledQuery.raw(query, [...values]));
  return Number(rows[0]?.count ?? 0);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
