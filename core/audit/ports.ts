// What the audit log asks of the world, and what it keeps.
import type { AuditEntry } from '#core/kernel/audit';

/** An entry as it is kept: of an action that a plugin had, too, which is gone by now. */
export type KeptEntry = Omit<AuditEntry, 'action'> & { readonly action: string };
/** With its number, which grows. */
export type NumberedEntry = KeptEntry & { readonly id: number };

/** Which entries a list shows. */
export interface AuditQuery {
  /** A username in any case. */
  readonly actor: string | undefined;
  /** What the action begins with. */
  readonly action: string | undefined;
  /** Both included. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Where the audit log keeps its entries. */
export interface AuditStore {
  /** Inside a unit of work. Entries are never changed and never removed with what they are about. */
  append(entry: KeptEntry): Promise<void>;
  /** Some of those that match, the newest first, and the count of all. */
  list(query: AuditQuery): Promise<{ readonly entries: readonly NumberedEntry[]; readonly total: number }>;
  byId(id: number): Promise<NumberedEntry | undefined>;
  /**
   * Inside a unit of work, every ten minutes: counts up the entries of before the last time, so that the count of all
   * counts none of those again. No unit of work lasts that long, so none of them is still to come.
   */
  countUp(now: Date): Promise<void>;
}
