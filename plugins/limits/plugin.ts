// Rate limits: the budgets that requests are metered against.
import { definePlugin, Joi, object } from 'hexforge/plugin';
import { rateBudgets } from '#core/limits/index';

interface LimitsConfig {
  readonly metering: boolean;
}

export default definePlugin({
  name: 'limits',
  version: '0.1.0',
  api: '^0.1.0',
  config: object<LimitsConfig>({
    metering: Joi.boolean()
      .truthy('on')
      .falsy('off')
      .default(true)
      .description('Meter requests; `off` for benchmarks and tests of other things'),
  }),
  environment: { HEXFORGE_RATE_LIMIT: 'metering' },
  build: ({ config }) => rateBudgets({ enabled: config.metering }),
  provides: { RateBudgets: (budgets) => budgets },
});
