// The plugin "limits": the budgets of the rate limits, their administration, and a record of exceeded budgets.
import { definePlugin, flag, on, shape } from 'hexforge/plugin';
import { limitAudits, limitEvents } from 'hexforge/limits';
import { limitUseCases } from '#core/limits/use-cases';
import { budgetPages, limitsMenu } from './budgets/pages.ts';
import { budgetRoutes } from './budgets/routes.ts';
import { budgetStore } from './budgets/store.ts';
import { migrations } from './migrations.ts';
import { overridePages } from './overrides/pages.ts';
import { overrideRoutes } from './overrides/routes.ts';
import { overrideStore } from './overrides/store.ts';
import { limitEntities } from './tables.ts';
import { violationExport, violationPages } from './violations/pages.ts';
import { violationRoutes } from './violations/routes.ts';
import { memoryViolationStore } from './violations/store-memory.ts';
import { sqlViolationStore } from './violations/store.ts';

export default definePlugin({
  name: 'limits',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    metering: flag()
      .truthy('on')
      .falsy('off')
      .default(true)
      .description('Meter requests; `off` for benchmarks and tests of other things'),
  }),
  environment: { HEXFORGE_RATE_LIMIT: 'metering' },
  needs: ['AccessDecision', 'AuditLog', 'Clock', 'Events', 'Ids', 'UnitOfWork', 'UserGroups', 'Users'],
  late: ['MeteredTargets'],
  stores: {
    budgets: budgetStore,
    overrides: overrideStore,
    violations: { sql: sqlViolationStore, memory: memoryViolationStore },
  },
  entities: limitEntities,
  tables: ['limits_budget', 'limits_override', 'limits_violation'],
  migrations,
  emits: limitEvents,
  audits: limitAudits,
  build: ({ stores, config, log, ...context }) =>
    limitUseCases({
      ...stores,
      log,
      enabled: config.metering,
      audit: context.AuditLog,
      clock: context.Clock,
      events: context.Events,
      groups: context.UserGroups,
      ids: context.Ids,
      targets: () => context.late.MeteredTargets,
      unitOfWork: context.UnitOfWork,
      users: context.Users,
    }),
  provides: { RateBudgets: ({ rateBudgets }) => rateBudgets },
  routes: (useCases) => [
    ...budgetRoutes(useCases),
    ...overrideRoutes(useCases),
    ...violationRoutes(useCases),
    violationExport(useCases),
  ],
  pages: (useCases, { AccessDecision: access }) => [
    ...budgetPages(useCases),
    ...overridePages(useCases, access),
    ...violationPages(useCases),
  ],
  menu: () => [limitsMenu],
  events: ({ budgets, forgetRules, forgetGroups }) => {
    const broadcast = { delivery: 'broadcast', optional: true } as const;
    const forgetMember = async ({ payload }: { readonly payload: { readonly user_id: string } }): Promise<void> =>
      forgetGroups(payload.user_id);
    return [
      on('rate_limit.changed', { name: 'forget-rules', delivery: 'broadcast', handle: async () => forgetRules() }),
      on('user_group.member_added', { ...broadcast, name: 'forget-added', handle: forgetMember }),
      on('user_group.member_removed', { ...broadcast, name: 'forget-removed', handle: forgetMember }),
      on('user_group.updated', { ...broadcast, name: 'forget-updated', handle: async () => forgetGroups() }),
      on('user_group.deleted', { ...broadcast, name: 'forget-deleted', handle: async () => forgetGroups() }),
      on('user_group.deleted', {
        delivery: 'durable',
        optional: true,
        name: 'drop-group',
        handle: ({ payload }) => budgets.drop(payload.group_id),
      }),
    ];
  },
  jobs: ({ violations, overrides }) => [
    { name: 'prune-violations', everySeconds: 60, run: () => violations.prune() },
    { name: 'prune-overrides', everySeconds: 60, run: () => overrides.prune() },
  ],
  stop: ({ settled }) => settled(),
});
