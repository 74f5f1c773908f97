// The stores of overrides, in SQL and in memory.
import type { Override, OverrideStore } from 'hexforge/limits';
import { rows, storeOf } from 'hexforge/plugin';
import { OverrideTable } from '../tables.ts';

export const overrideStore = storeOf({ overrides: rows<Override>(OverrideTable) }, ({ overrides }): OverrideStore => ({
  all: () => overrides.find({ where: {}, orderBy: [] }),
  list: async (kind, slice) => ({
    overrides: await overrides.find({
      where: { kind },
      orderBy: [{ desc: 'updatedAt' }, 'targetId', 'scope'],
      ...slice,
    }),
    total: await overrides.count({ kind }),
  }),
  get: ({ kind, targetId, scope }) => overrides.findOne({ kind, targetId, scope }),
  count: () => overrides.count({}),
  put: (override) => overrides.put(override),
  remove: async ({ kind, targetId, scope }) => (await overrides.delete({ kind, targetId, scope })) !== undefined,
  removeTargets: (kind, targetId) => overrides.deleteMany({ where: { kind }, among: { targetId } }),
}));
