// Vacuums and analyzes the embedded database, a table at a time: PGlite has none of the processes that do so in
// PostgreSQL. Without it the room of deleted rows is never used again, and transactions run out of numbers.

export interface VacuumBounds {
  /** Tables are looked over no more often; milliseconds. */
  readonly vacuumLookMs: number;
  /** Between two tables others have their turn; milliseconds. */
  readonly vacuumPauseMs: number;
  /** Of the oldest row, in transactions, as PostgreSQL's `autovacuum_freeze_max_age`. */
  readonly frozenAge: number;
}

export const vacuumDefaults: VacuumBounds = {
  vacuumLookMs: 60_000,
  vacuumPauseMs: 500,
  frozenAge: 200_000_000,
};

export interface VacuumParts {
  readonly execute: (sql: string) => Promise<readonly unknown[]>;
  /** Rises with whatever reaches the disk. */
  readonly written: () => number;
  /** Told before a step that may take long, and after it. */
  readonly vacuuming: (running: boolean) => void;
  readonly now: () => number;
  readonly bounds: VacuumBounds;
}

/** How much of what calls for a vacuum is there: from 1 on while nobody asks for anything, from 2 on in any case. */
const need = { quiet: 1, busy: 2 } as const;

interface Due {
  /** To be run one after the other: a vacuum is a transaction of its own. */
  readonly statements: readonly string[];
  readonly need: number;
  /** What it may write to the log at the most. */
  readonly bytes: number;
}

/**
 * A tenth of a table's rows inserted or dead since its last vacuum, and 50, are a need of 1: twice that is where
 * PostgreSQL's autovacuum begins. These counts are lost with every stop; what a table has grown by since then is not.
 * An empty database that the cluster was made with (`template0`) cannot be opened here and would hold up the freezing.
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

/** To be asked between transactions alone. */
export class Vacuum {
  readonly #parts: VacuumParts;
  /** At the last look, the neediest first. */
  #due: readonly Due[] = [];
  #lookedAt: number;
  #writtenAtLook = -1;
  #steppedAt = -Infinity;

  constructor(parts: VacuumParts) {
    this.#parts = parts;
    this.#lookedAt = parts.now();
  }

  /**
   * One table, if one is due: everybody waits meanwhile.
   *
   * @param room for the log, in bytes. A table that may need more is left for a later look.
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
