// The audit trail of one resource, in memory.
import { offsetOf, type AuditTrail, type MemoryDatabase } from 'hexforge/plugin';
import type { NumberedEntry } from 'hexforge/audit';

export function memoryAuditTrail(db: MemoryDatabase): AuditTrail {
  const entries = db.table<NumberedEntry>('audit_entry', { key: 'id' });
  return {
    about: async (resource, page) => ({
      items: entries.find({
        where: { resource },
        orderBy: { desc: 'id' },
        limit: page.perPage,
        offset: offsetOf(page),
      }),
      total: entries.count({ resource }),
      ...page,
    }),
  } satisfies AuditTrail;
}
