// Settings of sign-in with SAML. They apply immediately.
import type { SettingSpec } from 'hexforge/plugin';
import { isSecureUrl, MetadataFault, readIdentityProvider } from '#adapters/saml/index';

declare module 'hexforge/plugin' {
  interface SettingValues {
    'saml.enabled': boolean;
    'saml.display_name': string;
    'saml.idp_metadata': string;
    'saml.idp_metadata_url': string;
    'saml.attribute.username': string;
    'saml.attribute.email': string;
    'saml.attribute.display_name': string;
  }
}

function metadataMisfit(xml: string): string | undefined {
  if (xml === '') return undefined;
  try {
    readIdentityProvider(xml, new Date());
    return undefined;
  } catch (error) {
    return error instanceof MetadataFault
      ? `metadata of an identity provider: they must ${error.message}`
      : 'metadata of an identity provider';
  }
}

const attribute = (key: 'username' | 'email' | 'display_name', what: string) =>
  ({
    key: `saml.attribute.${key}`,
    type: 'string',
    default: '',
    maxLength: 500,
    description: `The attribute that contains ${what}, by its Name or FriendlyName; empty: the usual names are tried`,
  }) as const;

export const samlSettings: readonly SettingSpec[] = [
  {
    key: 'saml.enabled',
    type: 'boolean',
    default: false,
    description: 'Users may sign in with the SAML identity provider',
  },
  {
    key: 'saml.display_name',
    type: 'string',
    default: 'SAML',
    maxLength: 50,
    description: 'The name of the identity provider on the sign-in page',
    check: (name) => (name.trim() === '' ? 'a name that is not empty' : undefined),
  },
  {
    key: 'saml.idp_metadata',
    type: 'string',
    default: '',
    maxLength: 262_144,
    superAdmin: true,
    description: 'The metadata of the identity provider, as XML; takes precedence over their URL',
    check: metadataMisfit,
  },
  {
    key: 'saml.idp_metadata_url',
    type: 'string',
    default: '',
    maxLength: 2_048,
    superAdmin: true,
    description: 'The https URL of the metadata of the identity provider, fetched every hour',
    check: (url) => (url === '' || isSecureUrl(url) ? undefined : 'an https URL (http on a loopback address)'),
  },
  attribute('username', 'the username of a new account'),
  attribute('email', 'the e-mail address'),
  attribute('display_name', 'the display name of a new account'),
];
