// The plugin "git-http": clone, fetch and push over smart HTTP.
import { definePlugin, Joi, shape } from 'hexforge/plugin';
import { gitRoutes } from './routes.ts';

export default definePlugin({
  name: 'git-http',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    max_push_bytes: Joi.number()
      .integer()
      .min(1024)
      .default(2 * 1024 ** 3)
      .description('The most bytes one push may send'),
  }),
  needs: ['AccessDecision', 'GitBackend', 'Pushes'],
  routes: (_parts, { AccessDecision: access, GitBackend: git, Pushes: pushes, config }) =>
    gitRoutes({ access, git, pushes, maxPushBytes: config.max_push_bytes }),
});
