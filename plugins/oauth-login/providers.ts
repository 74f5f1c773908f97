// The configured providers, read from the settings on each use, and the port of sign-in by redirect.
import { NotFound, type SettingKey, type Settings, type SignInFlow, type SignInStep } from 'hexforge/plugin';
import type { Provider, SignInClient } from '#adapters/oidc/index';
import { addressKeys, defaultScopes, isProvider, names, ordered, type ProviderId } from './settings.ts';

/** Below /api/v1. */
export const paths = { start: '/auth/oauth/{provider}/start', callback: '/auth/oauth/{provider}/callback' } as const;

const pathOf = (path: string, id: ProviderId): string => `/api/v1${path.replace('{provider}', id)}`;

/** GitHub's names of the scopes by which the user and the addresses are read. */
const githubScopes = 'read:user user:email';

export interface ConfiguredProviders {
  readonly flow: Required<SignInFlow>;
  /** @throws {NotFound} if there is no such provider, or it is not configured. */
  provider(id: string): Promise<Provider>;
}

export interface ProvidersParts {
  readonly settings: Settings;
  readonly client: SignInClient;
  /** The browser returns to the address of the pages, which has the cookies of the sign-in. */
  readonly webUrl: () => string;
}

/** The settings of a provider, in the order of the form. */
const settingsOf = (id: ProviderId): readonly SettingKey[] => [
  `oauth.${id}.enabled`,
  `oauth.${id}.client_id`,
  `oauth.${id}.client_secret`,
  addressKeys[id],
  ...(id === 'oidc' ? (['oauth.oidc.display_name', 'oauth.oidc.scopes'] as const) : []),
  'oauth.order',
];

/** The required settings that are empty. */
const missingIn = ({ address, clientId, clientSecret }: Provider): readonly string[] => [
  ...(address === '' ? ['The issuer'] : []),
  ...(clientId === '' ? ['The client id'] : []),
  ...(clientSecret === '' ? ['The client secret'] : []),
];

export function configuredProviders({ settings, client, webUrl }: ProvidersParts): ConfiguredProviders {
  const read = async (id: ProviderId): Promise<Provider> => ({
    id,
    displayName: id === 'oidc' ? await settings.get('oauth.oidc.display_name') : names[id],
    kind: id === 'github' || id === 'microsoft' ? id : 'openid',
    address: await settings.get(addressKeys[id]),
    clientId: await settings.get(`oauth.${id}.client_id`),
    clientSecret: await settings.get(`oauth.${id}.client_secret`),
    scopes: id === 'github' ? githubScopes : id === 'oidc' ? await settings.get('oauth.oidc.scopes') : defaultScopes,
    redirectUri: webUrl() + pathOf(paths.callback, id),
  });
  const known = async (id: string): Promise<Provider> => {
    if (!isProvider(id)) throw new NotFound('There is no such provider');
    return read(id);
  };
  const provider = async (id: string): Promise<Provider> => {
    const found = await known(id);
    if (missingIn(found).length > 0) throw new NotFound('The provider is not configured');
    return found;
  };
  /** All providers in the order of their buttons, and whether users can choose them. */
  const all = async (): Promise<
    readonly { readonly id: ProviderId; readonly provider: Provider; enabled: boolean }[]
  > =>
    Promise.all(
      ordered(await settings.get('oauth.order')).map(async (id) => {
        const one = await read(id);
        return {
          id,
          provider: one,
          enabled: (await settings.get(`oauth.${id}.enabled`)) && missingIn(one).length === 0,
        };
      }),
    );
  return {
    provider,
    flow: {
      async providers() {
        const enabled = (await all()).filter((one) => one.enabled);
        return enabled.map(({ id, provider: { displayName } }) => ({
          id,
          displayName,
          startPath: pathOf(paths.start, id),
        }));
      },
      start: async (id, state) => client.start(await provider(id), state),
      async configured() {
        return (await all()).map(({ id, enabled, provider: { displayName, redirectUri } }) => ({
          id,
          displayName,
          enabled,
          settings: settingsOf(id),
          registration: [{ title: 'Callback URL', value: redirectUri }],
        }));
      },
      async inspect(id) {
        const found = await known(id);
        const missing = missingIn(found).map((name): SignInStep => ({
          title: 'Settings',
          outcome: 'bad',
          about: `${name} is not set`,
        }));
        return [...missing, ...(found.address === '' ? [] : await client.inspect(found))];
      },
    },
  };
}
