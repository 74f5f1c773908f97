// The JSON shapes of overrides.
import { overrideKinds } from 'hexforge/limits';
import { maybe, oneOf, pageOf, pageQuery, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { ruleMembers, scopeMember } from '../schemas.ts';

const kindName = () => word().description(overrideKinds.join(', '));

export const overrideJson = shape({
  kind: oneOf(...overrideKinds),
  target_id: uuid(),
  scope: scopeMember,
  ...ruleMembers,
  reason: text(),
  updated_at: time(),
}).id('RateLimitOverride');
export const overridePageJson = pageOf(overrideJson).id('RateLimitOverridePage');
export const overrideQuery = shape(pageQuery);

export const kindParams = shape({ kind: kindName() });
export const overrideParams = shape({ kind: kindName(), id: uuid(), scope: word() });
export const overrideBody = shape({
  requests_per_window: ruleMembers.requests_per_window,
  window_seconds: maybe(ruleMembers.window_seconds.description('Default 60')),
  burst: maybe(ruleMembers.burst.description('Requests on top of those of a window; default 0')),
  action: maybe(ruleMembers.action),
  enabled: maybe(ruleMembers.enabled),
  reason: maybe(text().max(1000)),
}).id('RateLimitOverrideSet');

export const presentOverride = presenter(overrideJson);
