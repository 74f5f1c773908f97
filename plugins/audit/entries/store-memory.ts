// The store of audit entries in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { AuditStore } from 'hexforge/audit';
import { entryOf, entryRows, type EntryRow } from './store.ts';

export function memoryAuditStore(db: MemoryDatabase): AuditStore {
  const entries = entryRows.memory(db).table;
  return {
    // Entries are never removed, so the count gives the next id.
    async append({ actorId = null, actorUsername = null, ...entry }) {
      entries.insert({ ...entry, actorId, actorUsername, id: entries.count() + 1 });
    },
    async list({ actor, action = '', from, to, ...slice }) {
      const where = (entry: EntryRow): boolean =>
        (actor === undefined || entry.actorUsername?.toLowerCase() === actor.toLowerCase()) &&
        entry.action.startsWith(action) &&
        (from === undefined || entry.at >= from) &&
        (to === undefined || entry.at <= to);
      const found = entries.find({ where, orderBy: { desc: 'id' }, ...slice });
      return { entries: found.map(entryOf), total: entries.count(where) };
    },
    async byId(id) {
      const row = entries.get(id);
      return row && entryOf(row);
    },
    // Counting in memory is fast without a stored count.
    countUp: async () => undefined,
  } satisfies AuditStore;
}
