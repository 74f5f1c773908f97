// Audit entries in memory.
import type { AuditEntry, MemoryDatabase } from 'hexforge/plugin';
import type { AuditStore } from 'hexforge/audit';

export interface EntryRow extends AuditEntry {
  readonly id: number;
}

export function memoryAuditStore(db: MemoryDatabase): AuditStore {
  const entries = db.table<EntryRow>('audit_entry', { key: 'id' });
  // None is ever removed.
  return { append: async (entry) => entries.insert({ ...entry, id: entries.count() + 1 }) } satisfies AuditStore;
}
