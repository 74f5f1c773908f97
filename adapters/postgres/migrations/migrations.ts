// Schema migrations: each plugin's missing migrations are applied in one transaction, by one process at a time,
// independently of other plugins.
import { CompiledQuery, type Kysely } from 'kysely';
import { InsufficientStorage, Unavailable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import type { Catalog } from './catalog.ts';
import { DatabaseFault, StorageRefused } from '../statements/errors.ts';
import { ensureTrigrams } from './extensions.ts';
import {
  disabling,
  madeBy,
  missing,
  type MigrationSet,
  ownershipOf,
  readRecords,
  recordedTables,
  type Step,
} from './migration-records.ts';
import { system } from './ownership.ts';
import { Review, type ReviewOptions } from './migration-review.ts';
import { Offending } from './migration-rules.ts';
import { migrationTable, systemMigrations, type SystemTables } from '../statements/schema.ts';
import { alone } from '../statements/single-statement.ts';
import { liftBound } from '../statements/stalled-connections.ts';

/** The result of one plugin's migrations, applied or pending. */
export interface MigrationOutcome {
  readonly plugin: string;
  /** Names of the applied or pending migrations: all missing ones, or an empty list. */
  readonly steps: readonly string[];
  /** Why no migration was applied. */
  readonly refused?: StorageRefused;
}

/** Taken by every process that changes tables. */
export const migrationLock = 'hexforge.migrations';

/**
 * Makes the server abort a statement when the client disconnects: otherwise it would run to its end, with its locks,
 * after the process was killed. Some server platforms do not support the setting.
 */
const noticeLoss = `do $$ begin
  set local client_connection_check_interval = '2s';
exception when others then null;
end $$`;

const systemSet: MigrationSet = { plugin: system, migrations: systemMigrations };

export class Migrations {
  readonly #database: () => Kysely<SystemTables>;
  readonly #locks: Locks;
  readonly #log: Log;

  constructor(database: () => Kysely<SystemTables>, locks: Locks, log: Log) {
    this.#database = database;
    this.#locks = locks;
    this.#log = log;
  }

  /**
   * The migrations that `migrate` would apply, in order. Changes nothing. @throws {StorageRefused} for the system's
   * own.
   */
  async pending(sets: readonly MigrationSet[]): Promise<readonly MigrationOutcome[]> {
    const records = await readRecords(this.#database());
    const own = missing(systemSet, records);
    return worthTelling(own, await each(sets, async (set) => missing(set, records)));
  }

  /**
   * Applies missing migrations, the system's own first. Each plugin's migrations are one transaction, which succeeds or
   * fails as a whole; other plugins continue. Returns the outcomes of sets that had missing migrations or were refused.
   * @throws {StorageRefused} if the system's own migrations fail, or the database becomes unavailable.
   */
  async migrate(sets: readonly MigrationSet[]): Promise<readonly MigrationOutcome[]> {
    return this.#locks.exclusive(migrationLock, async () => {
      await this.#database().executeQuery(CompiledQuery.raw(migrationTable));
      await ensureTrigrams(this.#database());
      const own = missing(systemSet, await readRecords(this.#database()));
      if (own.length > 0) await this.#apply(systemSet, own);
      const records = await readRecords(this.#database());
      // Detects unknown and changed migrations first, so that a start that must be refused changes nothing.
      const known = await each(sets, async (set) => missing(set, records));
      const refused = known.filter((outcome) => outcome.refused !== undefined);
      if (sets.some(({ plugin, vital }) => vital === true && refused.some((outcome) => outcome.plugin === plugin)))
        return worthTelling(own, refused);
      const ownership = ownershipOf(records, sets);
      let catalog: Catalog | undefined;
      const others = await each(sets, async (set) => {
        const steps = missing(set, records);
        const listed = new Set(set.tables);
        if (steps.length === 0 && listed.symmetricDifference(recordedTables(records, set.plugin)).size === 0)
          return steps;
        catalog = await this.#reviewed(set, steps, { set, records, ownership, catalog });
        return steps;
      });
      return worthTelling(own, others);
    });
  }

  /**
   * Compares the catalog once, at the end. If a run fails, runs again with a comparison after each step, because an
   * earlier step may be at fault.
   */
  async #reviewed(set: MigrationSet, steps: readonly Step[], options: ReviewOptions): Promise<Catalog | undefined> {
    let review = new Review(options, steps.slice(-1));
    try {
      await this.#apply(set, steps, review);
    } catch (error) {
      if (steps.length < 2 || !isOnePlugins(error)) throw error;
      review = new Review(options, steps);
      await this.#apply(set, steps, review);
    }
    return review.catalog;
  }

  async #apply({ plugin }: MigrationSet, steps: readonly Step[], review?: Review): Promise<void> {
    const names = steps.map(({ name }) => name);
    let at: string | undefined;
    try {
      for (const step of steps) review?.statements(step);
      if (steps.length > 0) this.#log.info({ plugin, migrations: names }, 'applying migrations');
      await this.#database()
        .transaction()
        .execute(async (transaction) => {
          // A step on a large table may take long, unlike a unit of work, so the time limit is lifted.
          await transaction.executeQuery(CompiledQuery.raw(liftBound));
          await transaction.executeQuery(CompiledQuery.raw(noticeLoss));
          await review?.begin(transaction);
          for (const step of steps) {
            at = step.name;
            for (const statement of step.up) await transaction.executeQuery(CompiledQuery.raw(alone(statement)));
            // Otherwise the next step could not alter a table with pending deferred checks.
            await transaction.executeQuery(CompiledQuery.raw('set constraints all immediate'));
            await review?.after(step, transaction);
            const { name, sha256 } = step;
            await transaction.insertInto('hexforge_migration').values({ plugin, name, sha256 }).execute();
          }
          await review?.end(transaction);
        });
    } catch (error) {
      throw refusal(plugin, at, error);
    }
    for (const name of names) this.#log.info({ plugin, migration: name }, 'migration applied');
  }
}

/** Processes each set. A refusal affects only its plugin and the plugins that depend on it. */
async function each(
  sets: readonly MigrationSet[],
  work: (set: MigrationSet) => Promise<readonly Step[]>,
): Promise<readonly MigrationOutcome[]> {
  const out: MigrationOutcome[] = [];
  const lost = new Set<string>();
  for (const set of sets) {
    const { plugin, after = [] } = set;
    if (after.some((other) => lost.has(other))) continue;
    try {
      out.push({ plugin, steps: (await work(set)).map(({ name }) => name) });
    } catch (error) {
      if (!isOnePlugins(error)) throw error;
      lost.add(plugin);
      out.push({ plugin, steps: [], refused: error });
      if (set.vital === true) break;
    }
  }
  return out;
}

const worthTelling = (own: readonly Step[], others: readonly MigrationOutcome[]): readonly MigrationOutcome[] =>
  [{ plugin: system, steps: own.map(({ name }) => name) }, ...others].filter(
    ({ steps, refused }) => steps.length > 0 || refused !== undefined,
  );

/**
 * SQLSTATE query_canceled: by `migrate_timeout`, or manually. The database is available, and the migration is at fault.
 */
const wasCancelled = (error: Unavailable): boolean =>
  error.cause instanceof DatabaseFault && error.cause.code === '57014';

const isAbsence = (error: unknown): boolean =>
  (error instanceof Unavailable && !wasCancelled(error)) || error instanceof InsufficientStorage;

/** Whether other plugins can continue. If the database is unavailable, no plugin can. */
const isOnePlugins = (error: unknown): error is StorageRefused =>
  error instanceof StorageRefused && !isAbsence(error.cause);

function refusal(plugin: string, at: string | undefined, error: unknown): StorageRefused {
  const own = plugin === system;
  const asItWas = own ? 'The database is as it was before' : 'What the plugin keeps is as it was before';
  const until = own ? 'and until then start the version that ran before' : `and until then ${disabling(plugin)}`;
  if (error instanceof Offending) {
    const { step, what, remedy } = error.offence;
    const who = step === undefined ? `Plugin "${plugin}"` : `The migration "${step}" of plugin "${plugin}"`;
    return new StorageRefused(
      `${who} ${what}`,
      `${remedy}. ${asItWas}; until its author has mended it, ${disabling(plugin)}`,
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  const which = at === undefined ? 'The migrations' : `The migration "${at}"`;
  return new StorageRefused(
    `${which} of ${madeBy(plugin)} failed and ${at === undefined ? 'were' : 'was'} rolled back: ${reason}`,
    isAbsence(error)
      ? asItWas
      : `${asItWas}; report the failure to ${own ? 'the makers of Hexforge' : 'its author'}${error instanceof Unavailable ? ' or raise migrate_timeout' : ''}, ${until}`,
    error,
  );
}
