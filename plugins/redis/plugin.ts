// The plugin "redis": a rate counter in Redis, so that several processes share every budget.
import { definePlugin, Joi, shape } from 'hexforge/plugin';
import { connect, redisRateCounter } from '#adapters/redis/index';

export default definePlugin({
  name: 'redis',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    url: Joi.string()
      .uri({ scheme: ['redis', 'rediss'] })
      .default('redis://127.0.0.1:6379')
      .description('Address of the Redis server: redis://[[user]:password@]host[:port][/database], rediss:// with TLS'),
  }),
  environment: { REDIS_URL: 'url' },
  onFailure: 'isolate',
  build: ({ config, log }) => {
    const connection = connect({ url: config.url, log });
    return { connection, counter: redisRateCounter(connection) };
  },
  provides: { RateCounter: ({ counter }) => counter },
  probes: ({ connection }) => [{ name: 'redis', check: async () => connection.complaint() }],
  start: ({ connection }) => connection.open(),
  stop: async ({ connection }) => connection.close(),
});
