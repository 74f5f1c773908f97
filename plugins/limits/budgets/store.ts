// The stores of the budgets of groups, in SQL and in memory.
import type { BudgetStore, StoredBudget } from 'hexforge/limits';
import { rows, storeOf } from 'hexforge/plugin';
import { BudgetTable } from '../tables.ts';

export const budgetStore = storeOf({ budgets: rows<StoredBudget>(BudgetTable) }, ({ budgets }): BudgetStore => ({
  all: () => budgets.find({ where: {}, orderBy: [] }),
  put: ({ groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled }) =>
    budgets.put({ groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled }),
  remove: async (groupId, scope) => (await budgets.delete({ groupId, scope })) !== undefined,
  removeGroup: (groupId) => budgets.deleteMany({ where: { groupId } }),
  hold: () => budgets.hold({}),
}));
