// Scope rows of this area, and the parsing and restrictions of OAuth2 scopes.
import { describedScopes, type DescribedScope, type ScopeCatalogue, type ScopeRow } from '#core/kernel/access/scopes';
import { InvalidScope } from './errors.ts';

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    openid: true;
    profile: true;
    email: true;
    'admin.oauth': true;
  }
}

/** The scope rows of this area. */
export const oauthScopes: readonly ScopeRow[] = [
  { name: 'openid', oauth: 'openid', about: 'know who you are' },
  { name: 'profile', oauth: 'profile', about: 'know your name and picture' },
  { name: 'email', oauth: 'email', about: 'know your e-mail address' },
  { name: 'admin.oauth', pat: 'admin:system' },
];

/** The order in which scopes are listed. Scopes of other plugins follow. */
const documented = [
  'read:user',
  'read:repo',
  'write:repo',
  'admin:repo',
  'read:issue',
  'write:issue',
  'read:pipeline',
  'write:pipeline',
  'read:package',
  'write:package',
  'read:audit',
  'openid',
  'profile',
  'email',
  'mcp:read',
];

/**
 * Scopes that public clients do not receive: they cannot keep a secret, and these scopes reach beyond the user's own
 * resources.
 */
export const adminOnlyScopes: readonly string[] = ['admin:repo', 'read:audit'];

/** The default scopes of a client that an administrator registers. */
export const defaultScopes: readonly string[] = ['openid', 'profile', 'email', 'read:user', 'mcp:read'];

/** All OAuth2 scopes of this instance. */
export function knownScopes(catalogue: ScopeCatalogue): readonly string[] {
  const known = catalogue.tokenScopes('oauth');
  return [
    ...documented.filter((scope) => known.includes(scope)),
    ...known.filter((scope) => !documented.includes(scope)),
  ];
}

/** All OAuth2 scopes of this instance with their descriptions. */
export function describedOAuthScopes(catalogue: ScopeCatalogue): readonly DescribedScope[] {
  const about = new Map(describedScopes(catalogue, 'oauth').map((scope) => [scope.name, scope.about]));
  return knownScopes(catalogue).map((name) => ({ name, about: about.get(name) ?? '' }));
}

/** RFC 6749, section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Scopes of OpenID Connect Core (sections 5.4 and 11) that many clients request by default. They are accepted and grant
 * nothing: there is no address and no telephone number, and refresh tokens need no scope.
 */
const ignored: ReadonlySet<string> = new Set(['offline_access', 'address', 'phone']);

/**
 * Parses the scopes of a parameter and removes duplicates and scopes that grant nothing; undefined if the parameter is
 * absent.
 * @throws {InvalidScope}
 */
export function readScopes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const scopes = text.split(' ');
  if (!scopes.every((scope) => scopeToken.test(scope)))
    throw new InvalidScope('The scope must be names with single spaces between them');
  return [...new Set(scopes)].filter((scope) => !ignored.has(scope));
}
