// The face of the rate limits.
export * from './budgets.ts';
