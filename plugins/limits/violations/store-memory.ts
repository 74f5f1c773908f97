// The store of violations in memory.
import type { Violation, ViolationStore } from 'hexforge/limits';
import type { MemoryDatabase } from 'hexforge/plugin';

export function memoryViolationStore(database: MemoryDatabase): ViolationStore {
  const violations = database.table<Violation>('limits_violation', { key: 'id' });
  const newest = { orderBy: [{ desc: 'at' }, { desc: 'id' }] } as const;
  return {
    async add(all) {
      for (const violation of all) {
        const { subject, scope, windowStart } = violation;
        if (violations.findOne({ subject, scope, windowStart }) === undefined) violations.insert(violation);
      }
    },
    list: async (slice) => ({ violations: violations.find({ ...newest, ...slice }), total: violations.count() }),
    after: async (last, limit) =>
      violations.find({
        where: ({ at, id }) =>
          last === undefined || at < last.at || (at.getTime() === last.at.getTime() && id < last.id),
        ...newest,
        limit,
      }),
    async prune(before, keep) {
      violations.deleteWhere(({ at }) => at < before);
      for (const { id } of violations.find({ ...newest, offset: keep })) violations.delete(id);
    },
  } satisfies ViolationStore;
}
