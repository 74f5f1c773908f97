// The store of the budgets of groups in memory.
import type { BudgetStore, StoredBudget } from 'hexforge/limits';
import type { MemoryDatabase } from 'hexforge/plugin';

export function memoryBudgetStore(database: MemoryDatabase): BudgetStore {
  const budgets = database.table<StoredBudget>('limits_budget', { key: ['groupId', 'scope'] });
  return {
    all: async () => budgets.all(),
    put: async ({ groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled }) =>
      budgets.upsert({ groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled }),
    remove: async (groupId, scope) => budgets.delete([groupId, scope]),
    async removeGroup(groupId) {
      budgets.deleteWhere({ groupId });
    },
    // Units of work run one after the other in memory, so there is nothing to lock.
    hold: async () => undefined,
  } satisfies BudgetStore;
}
