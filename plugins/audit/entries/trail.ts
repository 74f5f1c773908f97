// The audit trail of one resource, in SQL and in memory.
import { storeOf, type AuditTrail } from 'hexforge/plugin';
import { entryOf, entryRows } from './store.ts';

export const auditTrail = storeOf({ entries: entryRows }, ({ entries }): AuditTrail => ({
  async about(resource, page) {
    const { items, ...rest } = await entries.page({ where: { resource }, orderBy: [{ desc: 'id' }] }, page);
    return { ...rest, items: items.map(entryOf) };
  },
}));
