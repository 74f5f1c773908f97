// The store of overrides in memory.
import type { Override, OverrideStore } from 'hexforge/limits';
import type { MemoryDatabase } from 'hexforge/plugin';

export function memoryOverrideStore(database: MemoryDatabase): OverrideStore {
  const overrides = database.table<Override>('limits_override', { key: ['kind', 'targetId', 'scope'] });
  return {
    all: async () => overrides.all(),
    list: async (kind, slice) => ({
      overrides: overrides.find({ where: { kind }, orderBy: [{ desc: 'updatedAt' }, 'targetId', 'scope'], ...slice }),
      total: overrides.count({ kind }),
    }),
    get: async ({ kind, targetId, scope }) => overrides.get([kind, targetId, scope]),
    count: async () => overrides.count(),
    put: async (override) => overrides.upsert(override),
    remove: async ({ kind, targetId, scope }) => overrides.delete([kind, targetId, scope]),
    async removeTargets(kind, targetIds) {
      for (const targetId of targetIds) overrides.deleteWhere({ kind, targetId });
    },
  } satisfies OverrideStore;
}
