// A rule of the rate limits: how much may be asked for in how long, and whether that counts (document C, "Rate-limit
// rules").
import type { Budget, Meter } from '#core/kernel/rate';
import { NotFound } from '#core/kernel/errors';

/** What requests are metered as. */
export type RateScope = Exclude<Meter, 'none'>;
/** What is metered apart from each other (document D, "Rate limits"). */
export const rateScopes = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'] as const satisfies RateScope[];

/**
 * `throttle`: past the budget requests are refused. `allow`: none is. `disabled`: the rule does not count, as where it
 * is not enabled.
 */
export const rateActions = ['throttle', 'allow', 'disabled'] as const;
/** What becomes of requests past a budget. */
export type RateAction = (typeof rateActions)[number];

/** A budget of a group for a scope (document C, "Rate-limit rules"). */
export interface RateRule {
  readonly requestsPerWindow: number;
  readonly windowSeconds: number;
  /** Requests on top of a window's. */
  readonly burst: number;
  readonly action: RateAction;
  readonly enabled: boolean;
}

/** The least and the most of each number of a rule. */
export const ruleBounds = {
  requestsPerWindow: [0, 1_000_000],
  windowSeconds: [1, 86_400],
  burst: [0, 1_000_000],
} as const;

/** A seeded group has budgets of its own. */
export type SeededGroup = 'anonymous' | 'general' | 'admin';

/** Requests per window of 60 s (document D, "Rate limits"). */
const requests: Readonly<Record<SeededGroup, Readonly<Record<RateScope, number>>>> = {
  anonymous: { 'api.read': 300, 'api.write': 30, 'api.expensive': 30, 'mcp.tool_call': 0 },
  general: { 'api.read': 3000, 'api.write': 600, 'api.expensive': 120, 'mcp.tool_call': 600 },
  admin: { 'api.read': 12000, 'api.write': 3000, 'api.expensive': 600, 'mcp.tool_call': 3000 },
};

/** What counts where nothing is stored. A burst is on top of document D's budgets, so there is none by default. */
export const defaultRule = (group: SeededGroup, scope: RateScope): RateRule => ({
  requestsPerWindow: requests[group][scope],
  windowSeconds: 60,
  burst: 0,
  action: 'throttle',
  enabled: true,
});

/** The scope of that name. @throws {NotFound} where there is none. */
export function rateScope(name: string): RateScope {
  const known = rateScopes.find((scope) => scope === name);
  if (known === undefined)
    throw new NotFound('There is no such rate-limit scope', { detail: `The scopes are ${rateScopes.join(', ')}` });
  return known;
}

/** Whether the rule has a say at all. */
export const counts = ({ enabled, action }: RateRule): boolean => enabled && action !== 'disabled';

/** Requests a second; more than any number where nobody is refused. */
export const rateOf = ({ requestsPerWindow, burst, windowSeconds, action }: RateRule): number =>
  action === 'allow' ? Number.POSITIVE_INFINITY : (requestsPerWindow + burst) / windowSeconds;

/** Of several rules that which grants most; undefined where none counts: nobody is limited then. */
export function highest(rules: readonly RateRule[]): RateRule | undefined {
  let best: RateRule | undefined;
  for (const rule of rules) if (counts(rule) && (best === undefined || rateOf(rule) > rateOf(best))) best = rule;
  return best;
}

/** Undefined where nobody is refused. */
export const budgetOf = (rule: RateRule | undefined): Budget | undefined =>
  rule === undefined || !counts(rule) || rule.action === 'allow'
    ? undefined
    : { limit: rule.requestsPerWindow + rule.burst, windowSeconds: rule.windowSeconds, window: 'fixed' };
