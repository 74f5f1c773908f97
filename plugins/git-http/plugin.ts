// The plugin "git-http": clone, fetch and push over smart HTTP.
import { definePlugin, Joi, shape } from 'hexforge/plugin';
import { gitRoutes } from './routes.ts';

declare module 'hexforge/plugin' {
  interface SettingValues {
    'git.password_auth': boolean;
  }
}

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
  needs: ['AccessDecision', 'GitBackend', 'Pushes', 'Settings'],
  settings: [
    {
      key: 'git.password_auth',
      type: 'boolean',
      default: true,
      description: 'Whether git over HTTP accepts the password of an account; tokens are accepted either way',
    },
  ],
  routes: (_parts, { AccessDecision: access, GitBackend: git, Pushes: pushes, Settings: settings, config }) =>
    gitRoutes({
      access,
      git,
      pushes,
      passwordsAllowed: () => settings.get('git.password_auth'),
      maxPushBytes: config.max_push_bytes,
    }),
});
