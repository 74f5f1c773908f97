// The store of audit entries in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { AuditStore, NumberedEntry } from 'hexforge/audit';

export function memoryAuditStore(db: MemoryDatabase): AuditStore {
  const entries = db.table<NumberedEntry>('audit_entry', { key: 'id' });
  return {
    // Entries are never removed, so the count gives the next id.
    append: async (entry) => entries.insert({ ...entry, id: entries.count() + 1 }),
    async list({ actor, action = '', from, to, limit, offset }) {
      const where = (entry: NumberedEntry): boolean =>
        (actor === undefined || entry.actorUsername?.toLowerCase() === actor.toLowerCase()) &&
        entry.action.startsWith(action) &&
        (from === undefined || entry.at >= from) &&
        (to === undefined || entry.at <= to);
      return { entries: entries.find({ where, orderBy: { desc: 'id' }, limit, offset }), total: entries.count(where) };
    },
    byId: async (id) => entries.get(id),
    // Counting in memory is fast without a stored count.
    countUp: async () => undefined,
  } satisfies AuditStore;
}
