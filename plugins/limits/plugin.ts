// Rate limits: the budgets that requests are metered against.
import { definePlugin, flag, shape } from 'hexforge/plugin';
import { rateBudgets } from '#core/limits/use-cases';

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
  build: ({ config }) => rateBudgets({ enabled: config.metering }),
  provides: { RateBudgets: (budgets) => budgets },
});
