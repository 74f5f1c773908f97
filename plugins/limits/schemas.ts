// The JSON shape of a rule, which budgets and overrides share.
import { rateActions, rateScopes, ruleBounds } from 'hexforge/limits';
import { count, flag, oneOf } from 'hexforge/plugin';

const between = ([least, most]: readonly [number, number]) => count().min(least).max(most);
const within = (bounds: readonly [number, number]) => between(bounds).strict();

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

/** The fields of a rule in a form. An unticked box is not sent. */
export const ruleFields = {
  requests_per_window: between(ruleBounds.requestsPerWindow),
  window_seconds: between(ruleBounds.windowSeconds),
  burst: between(ruleBounds.burst).default(0),
  action: oneOf(...rateActions),
  enabled: flag().default(false),
} as const;
