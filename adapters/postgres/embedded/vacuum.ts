// Vacuums and analyzes the embedded database, one table at a time, because PGlite has no autovacuum. Otherwise the
// space of deleted rows would never be reused, and transaction ids would run out.

export interface VacuumBounds {
  /** Minimum interval of looking for tables to vacuum; milliseconds. */
  readonly vacuumLookMs: number;
  /** Pause between two tables, in which other requests run; milliseconds. */
  readonly vacuumPauseMs: number;
  /** Age of the oldest row, in transactions, that forces a freeze, as PostgreSQL's `autovacuum_freeze_max_age`. */
  readonly frozenAge: number;
}

export const vacuumDefaults: VacuumBounds = {
  vacuumLookMs: 60_000,
  vacuumPauseMs: 500,
  frozenAge: 200_000_000,
};

export interface VacuumParts {
  readonly execute: (sql: string) => Promise<readonly unknown[]>;
  /** A counter that rises with every write to the disk. */
  readonly written: () => number;
  /** Called before a step that may take long, and after it. */
  readonly vacuuming: (running: boolean) => void;
  readonly now: () => number;
  readonly bounds: VacuumBounds;
}

/** The need at which a table is vacuumed: 1 while the database is idle, 2 otherwise. */
const need = { quiet: 1, busy: 2 } as const;

interface Due {
  /** Run one after the other: a vacuum cannot run inside a transaction. */
  readonly statements: readonly string[];
  readonly need: number;
  /** The most bytes that it may write to the log. */
  readonly bytes: number;
}

/**
 * Finds the tables to vacuum. A need of 1 is a tenth of a table's rows, plus 50, inserted or dead since its last
 * vacuum; PostgreSQL's autovacuum begins at twice that. These counts are lost at a restart, but the growth of a table
 * since its last vacuum is not. An empty database from the creation of the cluster (`template0`) cannot be opened here
 * and would block the freezing, so it is dropped.
 */
const dueOf = (age: number): string => `
select array['vacuum (analyze, freeze ' || (age >= 1) || ') ' || name] as statements,
  greatest(changed, grown, age)::float8 as need, pg_total_relation_size(oid)::float8 as bytes
from (
  select c.oid, format('%I.%I', n.nspname, c.relname) as name,
    (pg_stat_get_dead_tuples(c.oid) + pg_stat_get_ins_since_vacuum(c.oid)) / (50 + 0.1 * greatest(c.reltuples, 0))
      as changed,
    (pg_relation_size(c.oid) / 8192.0 - c.relpages) / (8 + 0.1 * c.relpages) as grown,
    greatest(age(c.relfrozenxid), mxid_age(c.relminmxid)) / ${age}.0 as age
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm', 't')
) as relation
where greatest(changed, grown, age) >= ${need.quiet}
union all
select array[format('alter database %I is_template false', datname), format('drop database %I', datname)],
  age(datfrozenxid) / ${age}.0, 0
from pg_database where datname <> current_database() and age(datfrozenxid) >= ${age}
order by need desc`;

/** Must only be called between transactions. */
export class Vacuum {
  readonly #parts: VacuumParts;
  /** The tables found at the last look, those with the greatest need first. */
  #due: readonly Due[] = [];
  #lookedAt: number;
  #writtenAtLook = -1;
  #steppedAt = -Infinity;

  constructor(parts: VacuumParts) {
    this.#parts = parts;
    this.#lookedAt = parts.now();
  }

  /**
   * Vacuums one table, if one is due; all requests wait meanwhile.
   *
   * @param room returns the bytes available for the log. A table that may need more is left for a later look.
   */
  async step(quiet: boolean, room: () => number): Promise<void> {
    const { bounds, execute, now, vacuuming } = this.#parts;
    if (now() - this.#steppedAt < bounds.vacuumPauseMs) return;
    await this.#look();
    const [next, ...rest] = this.#due;
    if (next === undefined || next.need < (quiet ? need.quiet : need.busy)) return;
    this.#due = rest;
    if (next.bytes > room()) return;
    vacuuming(true);
    try {
      for (const statement of next.statements) await execute(statement);
    } finally {
      vacuuming(false);
      this.#steppedAt = now();
    }
  }

  async #look(): Promise<void> {
    const { bounds, execute, now, written } = this.#parts;
    if (now() - this.#lookedAt < bounds.vacuumLookMs) return;
    this.#lookedAt = now();
    if (written() === this.#writtenAtLook) return;
    this.#writtenAtLook = written();
    this.#due = (await execute(dueOf(bounds.frozenAge))) as readonly Due[];
  }
}
