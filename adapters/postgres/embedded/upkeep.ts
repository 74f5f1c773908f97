// Keeps the embedded database's write-ahead log short (checkpoints) and its tables small (vacuum), and refuses writes
// before its disk is full.
import { databaseFreeBytes, space } from './free-space.ts';
import { Vacuum, vacuumDefaults, type VacuumBounds, type VacuumParts } from './vacuum.ts';

export interface UpkeepBounds extends VacuumBounds {
  /** A checkpoint is made when so much of the log would have to be replayed; bytes. */
  readonly checkpointBytes: number;
  /** The same while nobody asks for anything: then it keeps nobody waiting. */
  readonly quietBytes: number;
  /** And of whatever was written, so long after the last one; milliseconds. */
  readonly checkpointMs: number;
  /** With less free space writes are refused, and with so much again they are taken; bytes. */
  readonly reserve: number;
  readonly resume: number;
  /** The length of the log is read no more often; milliseconds. */
  readonly lookMs: number;
  /** The free space is read no more often; milliseconds. */
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
/** What a checkpoint itself writes is no reason for another. */
const idleBytes = 8192;

export interface UpkeepParts extends Pick<VacuumParts, 'execute' | 'written' | 'vacuuming'> {
  readonly directory: string;
  /** Told when writes are refused from now on, and when they are taken again. */
  readonly changed: (refusing: boolean, free: number) => void;
  readonly bounds?: Partial<UpkeepBounds> | undefined;
  /** For tests. */
  readonly free?: () => number;
  readonly now?: () => number;
}

/** To be asked between transactions alone. */
export class Upkeep {
  readonly #execute: UpkeepParts['execute'];
  readonly #written: UpkeepParts['written'];
  readonly #changed: UpkeepParts['changed'];
  readonly #bounds: UpkeepBounds;
  readonly #free: () => number;
  readonly #now: () => number;
  readonly #vacuum: Vacuum;
  #spaceAt = -Infinity;
  #lookedAt: number;
  #writtenAtLook = -1;
  /** Of the log, since the last checkpoint, at the last look; bytes. */
  #unsaved = 0;
  #checkpointAt: number;
  #refusing = false;

  constructor({ directory, execute, written, vacuuming, changed, bounds, free, now }: UpkeepParts) {
    this.#execute = execute;
    this.#written = written;
    this.#changed = changed;
    this.#bounds = { ...defaults, ...bounds };
    this.#free = free ?? (() => databaseFreeBytes(directory));
    this.#now = now ?? (() => performance.now());
    this.#lookedAt = this.#checkpointAt = this.#now();
    this.#vacuum = new Vacuum({ execute, written, vacuuming, bounds: this.#bounds, now: this.#now });
  }

  /** Whether writes are refused for want of space. */
  get refusing(): boolean {
    return this.#refusing;
  }

  /** Before a transaction begins. PostgreSQL refuses the writes itself: reads go on. */
  async before(): Promise<void> {
    if (this.#now() - this.#spaceAt < this.#bounds.spaceMs) return;
    this.#spaceAt = this.#now();
    const free = this.#free();
    const refusing = free < (this.#refusing ? this.#bounds.resume : this.#bounds.reserve);
    if (refusing === this.#refusing) return;
    // While there is still room for it: the log gives back what it can, and begins its next file.
    if (refusing) await this.#checkpoint().catch(() => undefined);
    await this.#execute(`set default_transaction_read_only = ${refusing ? 'on' : 'off'}`);
    this.#refusing = refusing;
    this.#changed(refusing, free);
  }

  /** After a transaction has ended, and now and then. @param quiet whether nobody has asked for anything lately. */
  async after(quiet: boolean): Promise<void> {
    const { checkpointBytes, quietBytes, checkpointMs, lookMs } = this.#bounds;
    const now = this.#now();
    if (now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    await this.#look();
    const late = now - this.#checkpointAt >= checkpointMs;
    if (this.#unsaved >= (late ? idleBytes : quiet ? quietBytes : checkpointBytes)) await this.#checkpoint();
    if (!this.#refusing) await this.#vacuum.step(quiet, () => this.#free() - this.#bounds.resume);
  }

  async #look(): Promise<void> {
    const written = this.#written();
    if (written === this.#writtenAtLook) return;
    this.#writtenAtLook = written;
    const [row] = await this.#execute(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
    );
    this.#unsaved = (row as { readonly bytes: number }).bytes;
  }

  async #checkpoint(): Promise<void> {
    await this.#execute('checkpoint');
    this.#unsaved = 0;
    this.#checkpointAt = this.#now();
  }
}
