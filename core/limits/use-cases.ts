// The use cases of the rate limits, for their own plugin.
export { rateBudgets } from './budgets.ts';
