// What the audit log asks of the world.
import type { AuditEntry } from '#core/kernel/audit';

/** Where the audit log keeps its entries. */
export interface AuditStore {
  /** Inside a unit of work. Entries are never changed and never removed with what they are about. */
  append(entry: AuditEntry): Promise<void>;
}
