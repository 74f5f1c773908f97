// The store of audit entries in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { AuditFilter, AuditStore } from 'hexforge/audit';
import { entryOf, entryRows, type EntryRow } from './store.ts';

const matching =
  ({ actor, action = '', resource, from, to }: AuditFilter) =>
  (entry: EntryRow): boolean =>
    (actor === undefined || entry.actorUsername?.toLowerCase() === actor.toLowerCase()) &&
    entry.action.startsWith(action) &&
    (resource === undefined || entry.resource === resource) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at <= to);

export function memoryAuditStore(db: MemoryDatabase): AuditStore {
  const entries = entryRows.memory(db).table;
  return {
    // Entries are never removed, so the count gives the next id.
    async append({ actorId = null, actorUsername = null, ...entry }) {
      entries.insert({ ...entry, actorId, actorUsername, id: entries.count() + 1 });
    },
    async list({ limit, offset, ...filter }) {
      const where = matching(filter);
      const found = entries.find({ where, orderBy: { desc: 'id' }, limit, offset });
      return { entries: found.map(entryOf), total: entries.count(where) };
    },
    async before(filter, id, limit) {
      const matches = matching(filter);
      const where = (entry: EntryRow): boolean => (id === undefined || entry.id < id) && matches(entry);
      return entries.find({ where, orderBy: { desc: 'id' }, limit }).map(entryOf);
    },
    async byId(id) {
      const row = entries.get(id);
      return row && entryOf(row);
    },
    // Counting in memory is fast without a stored count.
    countUp: async () => undefined,
  } satisfies AuditStore;
}
