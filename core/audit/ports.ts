// Ports and types of the audit log: stored entries, queries and the store.
import type { AuditEntry } from '#core/kernel/services/audit';

/** A stored entry. Its action may belong to a plugin that is no longer installed. */
export type KeptEntry = Omit<AuditEntry, 'action'> & { readonly action: string };
/** A stored entry with its id. Ids increase. */
export type NumberedEntry = KeptEntry & { readonly id: number };

/** The filters of a list of entries. */
export interface AuditFilter {
  /** A username, compared case-insensitively. */
  readonly actor: string | undefined;
  /** A prefix of the action. */
  readonly action: string | undefined;
  /** The whole resource, such as `user:ID`. */
  readonly resource?: string | undefined;
  /** The time range. Both bounds are inclusive. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The filters and the slice of a list of entries. */
export interface AuditQuery extends AuditFilter {
  readonly limit: number;
  readonly offset: number;
}

/** The store of audit entries. */
export interface AuditStore {
  /**
   * Must run inside a unit of work. Entries are never changed, and are kept when the resource that they name is
   * deleted.
   */
  append(entry: KeptEntry): Promise<void>;
  /** One slice of the matching entries, newest first, and the count of all matching entries. */
  list(query: AuditQuery): Promise<{ readonly entries: readonly NumberedEntry[]; readonly total: number }>;
  /** The newest matching entries with a smaller id, or the newest of all, at most `limit`. */
  before(filter: AuditFilter, id: number | undefined, limit: number): Promise<readonly NumberedEntry[]>;
  byId(id: number): Promise<NumberedEntry | undefined>;
  /**
   * Must run inside a unit of work; called every ten minutes. Adds the entries up to the id seen at the previous call
   * to a stored count, so that counting all entries does not scan them again. Units of work are shorter than ten
   * minutes, so no entry with a smaller id can still be committed.
   */
  countUp(now: Date): Promise<void>;
}
