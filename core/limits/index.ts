// Public exports of the limits area: rules and their defaults, overrides, violations, stores and events.
export * from './events.ts';
export * from './ports.ts';
export * from './rule.ts';
export type { GroupRules, ScopeRule } from './budgets.ts';
export { maxOverrides } from './overrides.ts';
export { violationsKept } from './violations.ts';
