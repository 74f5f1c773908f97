// The face of the rate limits for everyone: rules and their defaults, overrides, violations, their stores and events.
export * from './events.ts';
export * from './ports.ts';
export * from './rule.ts';
export type { GroupRules, ScopeRule } from './budgets.ts';
export { maxOverrides } from './overrides.ts';
export { violationsKept } from './violations.ts';
