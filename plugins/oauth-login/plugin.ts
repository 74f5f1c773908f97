// The plugin "oauth-login": signing in with GitHub, GitLab, Google, Microsoft, Gitea or any OpenID provider.
import { definePlugin } from 'hexforge/plugin';
import { signInClient } from '#adapters/oidc/index';
import { configuredProviders } from './providers.ts';
import { oauthLoginRoutes } from './routes.ts';
import { oauthLoginSettings } from './settings.ts';

export default definePlugin({
  name: 'oauth-login',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['CurrentCaller', 'ExternalSignIn', 'Settings'],
  settings: oauthLoginSettings,
  outbound: ['the providers in the settings "oauth.*.issuer" and "oauth.github.url"', 'https://api.github.com'],
  build({ CurrentCaller: current, Settings: settings, instance, log }) {
    const client = signInClient({ log, caller: () => current.key() });
    return { client, providers: configuredProviders({ settings, client, webUrl: () => instance.webUrl }) };
  },
  provides: { SignInFlow: ({ providers }) => providers.flow },
  routes: ({ client, providers }, { ExternalSignIn: signIn }) =>
    oauthLoginRoutes({ signIn: () => signIn, client, providers }),
});
