// The check of a provider for administrators: the contents of its metadata, and what is missing in it.
import type { SignInStep } from '#core/kernel/access/sign-in-flows';
import { endpointsOf } from './github.ts';
import type { PublicKey } from './keys.ts';
import { authenticationOf, isTemplate, type ReadMetadata } from './metadata.ts';
import type { Provider } from './provider.ts';

const fact = (title: string, about: string | undefined): readonly SignInStep[] =>
  about === undefined || about === '' ? [] : [{ title, outcome: 'good', about }];

/** A reason why every sign-in fails. */
export const problem = (about: string): SignInStep => ({ title: 'Problem', outcome: 'bad', about });

/** A weakness that a sign-in works with. */
const weakness = (isThere: boolean, about: string): readonly SignInStep[] =>
  isThere ? [{ title: 'Note', outcome: 'unknown', about }] : [];

/** @param keys undefined if they could not be fetched. */
export function openidSteps(
  { scopes, kind }: Pick<Provider, 'scopes' | 'kind'>,
  { metadata, problems }: ReadMetadata,
  keys: readonly PublicKey[] | undefined,
): readonly SignInStep[] {
  const pkce = metadata.code_challenge_methods_supported.includes('S256');
  const template = isTemplate(metadata.issuer);
  return [
    ...fact('Issuer', metadata.issuer),
    ...fact('Authorization endpoint', metadata.authorization_endpoint),
    ...fact('Token endpoint', metadata.token_endpoint),
    ...fact('Keys', keys && `${keys.length} at ${metadata.jwks_uri}`),
    ...fact('UserInfo endpoint', metadata.userinfo_endpoint),
    ...fact('Signatures of ID tokens', metadata.id_token_signing_alg_values_supported.join(' ')),
    ...fact('Client authentication', authenticationOf(metadata)),
    ...fact('PKCE', pkce ? 'S256' : undefined),
    ...fact('Scopes', scopes),
    ...problems.map(problem),
    ...(keys?.length === 0 ? [problem('it publishes no key')] : []),
    ...weakness(!pkce, 'PKCE (S256) is sent, but the metadata does not name it'),
    ...weakness(
      !template && !metadata.authorization_response_iss_parameter_supported,
      'The metadata does not promise the parameter "iss" of RFC 9207',
    ),
    ...weakness(metadata.userinfo_endpoint === undefined, 'There is no UserInfo endpoint for claims of the user'),
    ...weakness(
      kind === 'microsoft' && template,
      'Users of every tenant can sign in; the issuer of one tenant restricts that',
    ),
  ];
}

/** GitHub has no metadata, so these are the endpoints that a sign-in uses. */
export function githubSteps(provider: Pick<Provider, 'address' | 'scopes'>): readonly SignInStep[] {
  const endpoints = endpointsOf(provider);
  return [
    ...fact('Authorization endpoint', endpoints.authorization_endpoint),
    ...fact('Token endpoint', endpoints.token_endpoint),
    ...fact('API', endpoints.api),
    ...fact('Scopes', provider.scopes),
    ...weakness(true, 'GitHub has no metadata, so that only a test sign-in shows whether it works'),
  ];
}
