// The settings of the providers: their client ids, secrets and addresses, and the order of their buttons.
import type { SettingSpec } from 'hexforge/plugin';
import { addressMisfit, longestAddress } from '#adapters/oidc/index';

/** The providers in the default order of their buttons. */
export const providerIds = ['github', 'gitlab', 'google', 'microsoft', 'gitea', 'oidc'] as const;
export type ProviderId = (typeof providerIds)[number];

/** The settings of the addresses. */
export const addressKeys = {
  github: 'oauth.github.url',
  gitlab: 'oauth.gitlab.issuer',
  google: 'oauth.google.issuer',
  microsoft: 'oauth.microsoft.issuer',
  gitea: 'oauth.gitea.issuer',
  oidc: 'oauth.oidc.issuer',
} as const satisfies Record<ProviderId, string>;

const defaultAddresses: Readonly<Record<ProviderId, string>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  google: 'https://accounts.google.com',
  microsoft: 'https://login.microsoftonline.com/common/v2.0',
  gitea: 'https://gitea.com',
  oidc: '',
};

export const names = {
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  microsoft: 'Microsoft',
  gitea: 'Gitea',
  oidc: 'OpenID Connect',
} as const satisfies Record<ProviderId, string>;

export const defaultScopes = 'openid profile email';

type OfEach = {
  readonly [P in ProviderId as `oauth.${P}.client_id` | `oauth.${P}.client_secret`]: string;
} & { readonly [P in ProviderId as `oauth.${P}.enabled`]: boolean } & {
  readonly [P in ProviderId as (typeof addressKeys)[P]]: string;
};

declare module 'hexforge/plugin' {
  interface SettingValues extends OfEach {
    'oauth.oidc.display_name': string;
    'oauth.oidc.scopes': string;
    'oauth.order': string;
  }
}

export const isProvider = (id: string): id is ProviderId => (providerIds as readonly string[]).includes(id);

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** All providers: first those that the setting `oauth.order` names, then the others in their default order. */
export const ordered = (order: string): readonly ProviderId[] => [
  ...new Set([...words(order).filter(isProvider), ...providerIds]),
];

function orderMisfit(text: string): string | undefined {
  const named = words(text);
  return named.every(isProvider) && new Set(named).size === named.length
    ? undefined
    : `ids of providers, each once, with spaces between: ${providerIds.join(' ')}`;
}

/** Scope tokens of RFC 6749, section 3.3. Without "openid" there is no ID token. */
function scopesMisfit(text: string): string | undefined {
  const named = words(text);
  return named.includes('openid') && named.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    ? undefined
    : 'scopes with spaces between, of which one is "openid"';
}

/** Client ids and secrets are visible ASCII (RFC 6749, appendix A). */
const credentialMisfit = (text: string): string | undefined =>
  /^[\x21-\x7e]*$/.test(text) ? undefined : 'a text of visible ASCII characters without spaces';

const longest = { credential: 1024, name: 60, scopes: 1000, order: 100 } as const;

const settingsOf = (id: ProviderId): readonly SettingSpec[] => [
  {
    key: `oauth.${id}.enabled`,
    type: 'boolean',
    default: false,
    description: `Users may sign in with ${names[id]}`,
  },
  {
    key: `oauth.${id}.client_id`,
    type: 'string',
    default: '',
    maxLength: longest.credential,
    check: credentialMisfit,
    description: `The client id that ${names[id]} issued to this instance`,
  },
  {
    key: `oauth.${id}.client_secret`,
    type: 'string',
    default: '',
    sensitive: true,
    maxLength: longest.credential,
    check: credentialMisfit,
    description: `The client secret that ${names[id]} issued to this instance`,
  },
  {
    key: addressKeys[id],
    type: 'string',
    default: defaultAddresses[id],
    maxLength: longestAddress,
    check: id === 'oidc' ? (text) => (text === '' ? undefined : addressMisfit(text)) : addressMisfit,
    description: `The ${id === 'github' ? 'URL of the server' : 'issuer'}: https, or http on a loopback address`,
  },
];

export const oauthLoginSettings: readonly SettingSpec[] = [
  ...providerIds.flatMap(settingsOf),
  {
    key: 'oauth.oidc.display_name',
    type: 'string',
    default: names.oidc,
    maxLength: longest.name,
    check: (text) => (text.trim() === '' || /\p{C}/u.test(text) ? 'a name on one line' : undefined),
    description: 'The name of the provider on its button',
  },
  {
    key: 'oauth.oidc.scopes',
    type: 'string',
    default: defaultScopes,
    maxLength: longest.scopes,
    check: scopesMisfit,
    description: 'The scopes that are requested, with spaces between them',
  },
  {
    key: 'oauth.order',
    type: 'string',
    default: providerIds.join(' '),
    maxLength: longest.order,
    check: orderMisfit,
    description: 'The order of the buttons: ids of providers with spaces between; the others follow',
  },
];
