// The JSON shapes of the budgets of groups.
import type { GroupRules } from 'hexforge/limits';
import { count, flag, list, maybe, presenter, shape, text, uuid, word } from 'hexforge/plugin';
import { ruleMembers, scopeMember } from '../schemas.ts';

export const budgetJson = shape({
  scope: scopeMember,
  ...ruleMembers,
  is_default: flag().description('Whether it is what it is where nobody has changed it'),
}).id('RateLimitRule');
export const groupBudgetsJson = shape({
  group_id: uuid(),
  slug: word(),
  name: word(),
  rules: list(budgetJson),
}).id('RateLimitGroup');
export const matrixJson = shape({ groups: list(groupBudgetsJson), total: count() }).id('RateLimitMatrix');

export const groupParams = shape({ group_id: uuid() });
export const budgetParams = shape({ group_id: uuid(), scope: word() });
export const budgetBody = shape({
  requests_per_window: maybe(ruleMembers.requests_per_window),
  window_seconds: maybe(ruleMembers.window_seconds),
  burst: maybe(ruleMembers.burst),
  action: maybe(ruleMembers.action),
  enabled: maybe(ruleMembers.enabled),
  notes: maybe(text().max(1000).description('For the audit log; not kept elsewhere')),
}).id('RateLimitRuleUpdate');

export const presentBudget = presenter(budgetJson);

const present = presenter(groupBudgetsJson);
export const presentGroup = ({ group, rules }: GroupRules) => present({ ...group, groupId: group.id, rules });
