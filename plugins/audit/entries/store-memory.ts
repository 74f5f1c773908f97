// Audit entries in memory.
import type { AuditEntry, MemoryDatabase } from 'hexforge/plugin';
import type { AuditStore } from 'hexforge/audit';

export interface EntryRow extends AuditEntry {
  readonly id: number;
}

export function memoryAuditStore(db: MemoryDatabase): AuditStore {
  const entries = db.table<EntryRow>('audit_entry', { key: ({ id }) => String(id) });
  let last = 0;
  return {
    async append(entry) {
      last += 1;
      entries.insert({ ...entry, id: last });
    },
  } satisfies AuditStore;
}
