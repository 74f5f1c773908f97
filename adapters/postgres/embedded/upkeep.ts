// Keeps the embedded database's write-ahead log short (checkpoints) and its tables small (vacuum), and rejects writes
// before its disk is full.
import { databaseFreeBytes, space } from './free-space.ts';
import { Vacuum, vacuumDefaults, type VacuumBounds, type VacuumParts } from './vacuum.ts';

export interface UpkeepBounds extends VacuumBounds {
  /** Bytes of log since the last checkpoint that cause a checkpoint. */
  readonly checkpointBytes: number;
  /** The same while the database is idle: then a checkpoint delays no request. */
  readonly quietBytes: number;
  /** Milliseconds after the last checkpoint at which any write causes one. */
  readonly checkpointMs: number;
  /** Bytes of free space below which writes are rejected; at `resume` they are accepted again. */
  readonly reserve: number;
  readonly resume: number;
  /** Minimum interval of reading the length of the log; milliseconds. */
  readonly lookMs: number;
  /** Minimum interval of reading the free space; milliseconds. */
  readonly spaceMs: number;
}

const defaults: UpkeepBounds = {
  ...vacuumDefaults,
  checkpointBytes: 16 * 1024 ** 2,
  quietBytes: 4 * 1024 ** 2,
  checkpointMs: 300_000,
  reserve: space.reserve,
  resume: space.resume,
  lookMs: 250,
  spaceMs: 100,
};
/** Bytes that a checkpoint itself writes; they do not cause another one. */
const idleBytes = 8192;

export interface UpkeepParts extends Pick<VacuumParts, 'execute' | 'written' | 'vacuuming'> {
  readonly directory: string;
  /** Called when writes begin to be rejected, and when they are accepted again. */
  readonly changed: (refusing: boolean, free: number) => void;
  readonly bounds?: Partial<UpkeepBounds> | undefined;
  /** For tests. */
  readonly free?: () => number;
  readonly now?: () => number;
}

/** Must only be called between transactions. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #bounds: UpkeepBounds;
  readonly #free: () => number;
  readonly #now: () => number;
  readonly #vacuum: Vacuum;
  #spaceAt = -Infinity;
  #lookedAt: number;
  #writtenAtLook = -1;
  /** Bytes of log since the last checkpoint, when last measured. */
  #unsaved = 0;
  #checkpointAt: number;
  /** Whether writes are rejected for lack of space. */
  refusing = false;

  constructor(parts: UpkeepParts) {
    const { directory, free = () => databaseFreeBytes(directory), now = () => performance.now() } = parts;
    this.#parts = parts;
    this.#bounds = { ...defaults, ...parts.bounds };
    this.#free = free;
    this.#now = now;
    this.#lookedAt = this.#checkpointAt = now();
    this.#vacuum = new Vacuum({ ...parts, bounds: this.#bounds, now });
  }

  /** Called before a transaction begins. PostgreSQL itself rejects the writes; reads continue. */
  async before(): Promise<void> {
    if (this.#now() - this.#spaceAt < this.#bounds.spaceMs) return;
    this.#spaceAt = this.#now();
    const free = this.#free();
    const refusing = free < (this.refusing ? this.#bounds.resume : this.#bounds.reserve);
    if (refusing === this.refusing) return;
    // While there is still room for it: a checkpoint frees log files, and the next file begins.
    if (refusing) await this.#checkpoint().catch(() => undefined);
    await this.#parts.execute(`set default_transaction_read_only = ${refusing ? 'on' : 'off'}`);
    this.refusing = refusing;
    this.#parts.changed(refusing, free);
  }

  /** Called after a transaction has ended, and periodically. @param quiet whether there were no requests lately. */
  async after(quiet: boolean): Promise<void> {
    const { checkpointBytes, quietBytes, checkpointMs, lookMs } = this.#bounds;
    const now = this.#now();
    if (now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    await this.#look();
    const late = now - this.#checkpointAt >= checkpointMs;
    if (this.#unsaved >= (late ? idleBytes : quiet ? quietBytes : checkpointBytes)) await this.#checkpoint();
    if (!this.refusing) await this.#vacuum.step(quiet, () => this.#free() - this.#bounds.resume);
  }

  async #look(): Promise<void> {
    const written = this.#parts.written();
    if (written === this.#writtenAtLook) return;
    this.#writtenAtLook = written;
    const [row] = await this.#parts.execute(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
    );
    this.#unsaved = (row as { readonly bytes: number }).bytes;
  }

  async #checkpoint(): Promise<void> {
    await this.#parts.execute('checkpoint');
    this.#unsaved = 0;
    this.#checkpointAt = this.#now();
  }
}
