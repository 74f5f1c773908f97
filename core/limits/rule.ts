// The rate-limit rule: how many requests are allowed in a window, and what happens to further ones.
import type { Budget, Meter } from '#core/kernel/rate';
import { NotFound } from '#core/kernel/errors';

/** The category by which requests are metered. */
export type RateScope = Exclude<Meter, 'none'>;
/** The scopes. Each has a separate budget. */
export const rateScopes = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'] as const satisfies RateScope[];

/**
 * `throttle`: requests above the budget are rejected. `allow`: none is rejected. `disabled`: the rule is ignored, as if
 * `enabled` were false.
 */
export const rateActions = ['throttle', 'allow', 'disabled'] as const;
/** The treatment of requests above a budget. */
export type RateAction = (typeof rateActions)[number];

/** The budget of a group for one scope. */
export interface RateRule {
  readonly requestsPerWindow: number;
  readonly windowSeconds: number;
  /** Requests allowed in addition to `requestsPerWindow`. */
  readonly burst: number;
  readonly action: RateAction;
  readonly enabled: boolean;
}

/** Minimum and maximum of each number of a rule. */
export const ruleBounds = {
  requestsPerWindow: [0, 1_000_000],
  windowSeconds: [1, 86_400],
  burst: [0, 1_000_000],
} as const;

/** A built-in group, which has its own default budgets. */
export type SeededGroup = 'anonymous' | 'general' | 'admin';

/** Default numbers of requests per window of 60 s. */
const requests: Readonly<Record<SeededGroup, Readonly<Record<RateScope, number>>>> = {
  anonymous: { 'api.read': 300, 'api.write': 30, 'api.expensive': 30, 'mcp.tool_call': 0 },
  general: { 'api.read': 3000, 'api.write': 600, 'api.expensive': 120, 'mcp.tool_call': 600 },
  admin: { 'api.read': 12000, 'api.write': 3000, 'api.expensive': 600, 'mcp.tool_call': 3000 },
};

/** The rule if none is stored. The default burst is 0, because a burst is added to the budget. */
export const defaultRule = (group: SeededGroup, scope: RateScope): RateRule => ({
  requestsPerWindow: requests[group][scope],
  windowSeconds: 60,
  burst: 0,
  action: 'throttle',
  enabled: true,
});

/** Returns the scope of this name. @throws {NotFound} if it does not exist. */
export function rateScope(name: string): RateScope {
  const known = rateScopes.find((scope) => scope === name);
  if (known === undefined)
    throw new NotFound('There is no such rate-limit scope', { detail: `The scopes are ${rateScopes.join(', ')}` });
  return known;
}

/** Whether the rule applies. */
export const counts = ({ enabled, action }: RateRule): boolean => enabled && action !== 'disabled';

/** Requests per second; infinite if no request is rejected. */
export const rateOf = ({ requestsPerWindow, burst, windowSeconds, action }: RateRule): number =>
  action === 'allow' ? Number.POSITIVE_INFINITY : (requestsPerWindow + burst) / windowSeconds;

/** Returns the rule with the highest rate; undefined if no rule applies, which means that requests are not limited. */
export function highest(rules: readonly RateRule[]): RateRule | undefined {
  let best: RateRule | undefined;
  for (const rule of rules) if (counts(rule) && (best === undefined || rateOf(rule) > rateOf(best))) best = rule;
  return best;
}

/**
 * Whether a rule allows less than the one before it, at any time: fewer requests, or the same over a longer window. A
 * rule that is switched on or off counts as narrower, because then the rules of other groups apply.
 */
export function narrows(before: RateRule, after: RateRule): boolean {
  if (!counts(before) || !counts(after)) return counts(before) !== counts(after);
  if (before.action === 'allow' || after.action === 'allow') return after.action !== 'allow';
  const limit = ({ requestsPerWindow, burst }: RateRule): number => requestsPerWindow + burst;
  return limit(after) < limit(before) || after.windowSeconds > before.windowSeconds;
}

/** The same for the highest rule of several groups, as `highest` returns it. */
export function bestNarrows(before: RateRule | undefined, after: RateRule | undefined): boolean {
  if (after === undefined) return false;
  return before === undefined ? after.action !== 'allow' : narrows(before, after);
}

/** Undefined if no request is rejected. */
export const budgetOf = (rule: RateRule | undefined): Budget | undefined =>
  rule === undefined || !counts(rule) || rule.action === 'allow'
    ? undefined
    : { limit: rule.requestsPerWindow + rule.burst, windowSeconds: rule.windowSeconds, window: 'fixed' };
