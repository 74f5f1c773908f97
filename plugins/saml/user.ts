// The user that an assertion describes.
import type { ExternalUser } from 'hexforge/plugin';
import type { VerifiedAssertion } from '#adapters/saml/index';

/** The configured names of attributes; empty for the usual ones. */
export interface AttributeNames {
  readonly username: string;
  readonly email: string;
  readonly displayName: string;
}

/** Names that identity providers use, in the order in which they are tried. */
const usual: Readonly<Record<keyof AttributeNames, readonly string[]>> = {
  username: [
    'urn:oid:0.9.2342.19200300.100.1.1',
    'uid',
    'username',
    'preferred_username',
    'sAMAccountName',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'eduPersonPrincipalName',
  ],
  email: [
    'urn:oid:0.9.2342.19200300.100.1.3',
    'mail',
    'email',
    'emailAddress',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  ],
  displayName: [
    'urn:oid:2.16.840.1.113730.3.1.241',
    'displayName',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:oid:2.5.4.3',
    'cn',
    'name',
  ],
};
/** Longer values are ignored. */
const longest = 254;

function valueOf({ attributes }: VerifiedAssertion, configured: string, names: readonly string[]): string | undefined {
  for (const wanted of configured === '' ? names : [configured])
    for (const { name, friendlyName, values } of attributes)
      if (name === wanted || friendlyName === wanted) {
        const value = values.map((one) => one.trim()).find((one) => one !== '' && one.length <= longest);
        if (value !== undefined) return value;
      }
  return undefined;
}

/**
 * The subject is the format and the value of the NameID, without its qualifiers. The e-mail address counts as verified,
 * because the operator trusts the identity provider.
 */
export function userOf(assertion: VerifiedAssertion, names: AttributeNames): ExternalUser {
  const { nameId, nameIdFormat } = assertion;
  const of = (what: keyof AttributeNames): string | undefined => valueOf(assertion, names[what], usual[what]);
  const email = of('email') ?? (nameIdFormat === 'email' && nameId.length <= longest ? nameId : undefined);
  const fromName = nameIdFormat === 'persistent' ? undefined : nameId.replace(/@.*$/s, '');
  return {
    subject: `${nameIdFormat}:${nameId}`,
    username: of('username') ?? fromName?.slice(0, longest),
    email,
    emailVerified: email !== undefined,
    displayName: of('displayName'),
  };
}

/** The statements for the page on which administrators test the provider. */
export const claimsOf = ({
  nameId,
  nameIdFormat,
  attributes,
}: VerifiedAssertion): Readonly<Record<string, unknown>> => ({
  name_id: nameId,
  name_id_format: nameIdFormat,
  attributes: Object.fromEntries(
    attributes.slice(0, 50).map(({ name, friendlyName, values }) => [friendlyName ?? name, values.slice(0, 10)]),
  ),
});
