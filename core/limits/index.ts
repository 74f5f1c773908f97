// The face of the rate limits for everyone: groups of callers and their default budgets.
export { defaultBudgets, groupOf, type RateGroup } from './budgets.ts';
