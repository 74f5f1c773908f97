// The JSON shape of a rule, which budgets and overrides share.
import { rateActions, rateScopes, ruleBounds, type RateRule } from 'hexforge/limits';
import { count, flag, oneOf, type TypeOf, shape } from 'hexforge/plugin';

const within = ([least, most]: readonly [number, number]) => count().strict().min(least).max(most);

export const ruleMembers = {
  requests_per_window: within(ruleBounds.requestsPerWindow),
  window_seconds: within(ruleBounds.windowSeconds),
  burst: within(ruleBounds.burst).description('Requests on top of those of a window'),
  action: oneOf(...rateActions).description(
    '`throttle`: past the budget requests are refused. `allow`: none is. `disabled`: the rule does not count',
  ),
  enabled: flag().strict().description('Whether the rule counts'),
} as const;

/** The scope of a rule in responses. */
export const scopeMember = oneOf(...rateScopes);

const ruleShape = shape(ruleMembers);

export const presentRule = (rule: RateRule): TypeOf<typeof ruleShape> => ({
  requests_per_window: rule.requestsPerWindow,
  window_seconds: rule.windowSeconds,
  burst: rule.burst,
  action: rule.action,
  enabled: rule.enabled,
});
