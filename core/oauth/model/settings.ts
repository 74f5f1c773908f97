// Settings of the authorization server.
import type { SettingSpec } from '#core/kernel/services/settings';
import { allowlistMisfit, longestAllowlist } from './redirect-uri.ts';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'oauth2.enabled': boolean;
    'oauth2.dcr.enabled': boolean;
    'oauth2.dcr.redirect_allowlist': string;
    'oauth2.dcr.max_clients': number;
    'oauth2.dcr.per_ip_per_hour': number;
    'oauth2.access_token_ttl': number;
    'oauth2.refresh_token_ttl': number;
  }
}

/** Maximum lifetime of a token family in days. After it the user must authorize the application again. */
export const familyDays = 90;

/** The settings of the authorization server. */
export const oauthSettings: readonly SettingSpec[] = [
  {
    key: 'oauth2.enabled',
    type: 'boolean',
    default: true,
    description: 'Applications may ask users for access to this instance',
  },
  {
    key: 'oauth2.dcr.enabled',
    type: 'boolean',
    default: false,
    description: 'Applications may register themselves (RFC 7591)',
  },
  {
    key: 'oauth2.dcr.redirect_allowlist',
    type: 'string',
    default: '',
    description:
      'Redirect URIs of applications that register themselves: exact URIs or origins, with commas or new lines between; empty: loopback addresses alone',
    maxLength: longestAllowlist,
    check: allowlistMisfit,
  },
  {
    key: 'oauth2.dcr.max_clients',
    type: 'integer',
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'How many applications that registered themselves there may be',
  },
  {
    key: 'oauth2.dcr.per_ip_per_hour',
    type: 'integer',
    default: 10,
    min: 0,
    max: 100_000,
    description: 'How many applications one address may register in an hour',
  },
  {
    key: 'oauth2.access_token_ttl',
    type: 'integer',
    default: 3600,
    min: 60,
    max: 86_400,
    description: 'How long an access token lives, in seconds',
  },
  {
    key: 'oauth2.refresh_token_ttl',
    type: 'integer',
    default: 2_592_000,
    min: 0,
    max: familyDays * 86_400,
    description: 'How long a refresh token lives that is not used, in seconds; 0: none are issued',
  },
];
