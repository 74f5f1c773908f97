// The tables of rate limits: budgets that differ from their defaults, overrides and violations.
import { defineEntity, p, type InferKyselyDB } from 'hexforge/plugin';
import type { OverrideKind, RateAction, RateScope } from 'hexforge/limits';

const rule = {
  requestsPerWindow: p.integer(),
  windowSeconds: p.integer(),
  burst: p.integer(),
  action: p.text().$type<RateAction>(),
  enabled: p.boolean(),
} as const;

export const BudgetTable = defineEntity({
  name: 'limits.Budget',
  tableName: 'limits_budget',
  properties: { groupId: p.uuid().primary(), scope: p.text().$type<RateScope>().primary(), ...rule },
});

export const OverrideTable = defineEntity({
  name: 'limits.Override',
  tableName: 'limits_override',
  properties: {
    kind: p.text().$type<OverrideKind>().primary(),
    targetId: p.uuid().primary(),
    scope: p.text().$type<RateScope>().primary(),
    ...rule,
    reason: p.text(),
    byAdmin: p.boolean(),
    updatedAt: p.datetime(),
  },
});

export const ViolationTable = defineEntity({
  name: 'limits.Violation',
  tableName: 'limits_violation',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(),
    subject: p.text(),
    scope: p.text().$type<RateScope>(),
    limit: p.integer(),
    path: p.text(),
    method: p.text(),
    ip: p.text(),
    windowStart: p.datetime(),
  },
});

export const limitEntities = [BudgetTable, OverrideTable, ViolationTable] as const;

export type LimitRows = InferKyselyDB<(typeof limitEntities)[number]>;
