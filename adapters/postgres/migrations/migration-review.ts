// Reviews one plugin's migrations while they run: compares their effects with the rules, in the transaction that they
// share.
import { CompiledQuery, type Kysely } from 'kysely';
import { type Catalog, changes, isRelation, readCatalog } from './catalog.ts';
import { changeOffence, declaredOffence, Offending, statementOffence } from './migration-rules.ts';
import { recordedTables, type MigrationSet, type Records, type Step } from './migration-records.ts';
import type { Ownership } from './ownership.ts';
import type { SystemTables } from '../statements/schema.ts';

export interface ReviewOptions {
  readonly set: MigrationSet;
  readonly records: Records;
  readonly ownership: Ownership;
  /** The catalog after the previous set, if there was one. */
  readonly catalog: Catalog | undefined;
}

export class Review {
  readonly #options: ReviewOptions;
  readonly #references: ReadonlySet<string>;
  readonly #compared: ReadonlySet<Step>;
  /** Table or view → the last migration of this run that created it; `#dropped`: that dropped it. */
  readonly #made = new Map<string, string>();
  readonly #dropped = new Map<string, string>();
  #catalog: Catalog | undefined;

  /** @param compared the steps after which the catalog is compared: reading it takes longer than most steps. */
  constructor(options: ReviewOptions, compared: readonly Step[]) {
    this.#options = options;
    this.#compared = new Set(compared);
    this.#references = new Set(options.set.references);
    this.#catalog = options.catalog;
  }

  /** The catalog as last read; after a successful run it is current. */
  get catalog(): Catalog | undefined {
    return this.#catalog;
  }

  /** Called before any statement runs. @throws {Offending} */
  statements({ name, up }: Step): void {
    for (const statement of up) {
      const offence = statementOffence(statement);
      if (offence !== undefined) throw new Offending({ ...offence, step: name });
    }
  }

  async begin(transaction: Kysely<SystemTables>): Promise<void> {
    this.#catalog ??= await readCatalog(transaction);
  }

  /** Called after each step. @throws {Offending} */
  async after(done: Step, transaction: Kysely<SystemTables>): Promise<void> {
    if (!this.#compared.has(done)) return;
    const { name: step } = done;
    const { set, ownership } = this.#options;
    const before = this.#catalog ?? new Map();
    this.#catalog = await readCatalog(transaction);
    const found = changes(before, this.#catalog);
    const offence = changeOffence(found, { plugin: set.plugin, ownership, references: this.#references });
    if (offence !== undefined) throw new Offending({ ...offence, step });
    for (const { how, object } of found.filter((change) => isRelation(change.object))) {
      if (how === 'made') this.#made.set(object.name, step);
      if (how === 'dropped') this.#dropped.set(object.name, step);
    }
  }

  /**
   * Called after the last step: checks that exactly the declared tables exist, and records them. @throws {Offending}
   */
  async end(transaction: Kysely<SystemTables>): Promise<void> {
    const { set, records, ownership } = this.#options;
    const { plugin, tables = [] } = set;
    const offence = declaredOffence(this.#catalog ?? new Map(), {
      plugin,
      ownership,
      tables: new Set(tables),
      recorded: recordedTables(records, plugin),
      made: this.#made,
      dropped: this.#dropped,
    });
    if (offence !== undefined) throw new Offending(offence);
    // The connection is used again, and temporary tables belong to it.
    await transaction.executeQuery(CompiledQuery.raw('discard temp'));
    await transaction.deleteFrom('hexforge_table').where('plugin', '=', plugin).execute();
    if (tables.length > 0)
      await transaction
        .insertInto('hexforge_table')
        .values(tables.map((name) => ({ name, plugin })))
        .execute();
  }
}
