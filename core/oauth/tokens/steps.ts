// Steps that the endpoints of tokens share.
import type { AccountClaims } from '#core/identity/index';
import type { Call } from '#core/kernel/caller';
import type { Client } from '../model/client.ts';
import { InvalidRequest, InvalidTarget } from '../model/errors.ts';
import { noteApp } from '../model/events.ts';
import type { Grant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';
import { isSameResource } from '../model/resource.ts';

/** The form field that names a token, of the endpoints for revocation and introspection. */
export interface TokenReference {
  readonly token?: string;
}

/** The value of a form field. @throws {InvalidRequest} if it is missing. */
export function required<F extends string>(fields: { readonly [K in F]?: string }, field: F): string {
  const value = fields[field];
  if (value === undefined) throw new InvalidRequest(`The field ${field} is missing`);
  return value;
}

/** Checks that the requested resource, if any, is the authorized one. @throws {InvalidTarget} */
export function checkResource(
  { baseUrl }: Pick<OAuthParts, 'baseUrl'>,
  grant: Grant,
  { resource }: { readonly resource?: string },
): void {
  if (resource !== undefined && !isSameResource(baseUrl, grant.resource, resource))
    throw new InvalidTarget('The resource is not the one that was authorized');
}

/**
 * Locks the account, then the grant, until the unit of work ends. Every change of the tokens of a grant starts with it,
 * so that concurrent ones run one after the other.
 * @returns undefined if the grant was deleted. The account is undefined if it may not sign in.
 */
export async function holdGrant(
  { vouching, grants }: Pick<OAuthParts, 'vouching' | 'grants'>,
  grant: Grant,
  now: Date,
): Promise<{ readonly account: AccountClaims | undefined } | undefined> {
  const account = await vouching.held(grant.userId);
  const held = await grants.update({ id: grant.id }, { updatedAt: now });
  return held && { account };
}

/** Ends the tokens issued under a code or refresh token that was used twice, because it may have been stolen. */
export async function endReused(
  parts: Pick<OAuthParts, 'issued' | 'audit'>,
  { call, client, grant, familyId }: Readonly<{ call: Call; client: Client; grant: Grant; familyId: string }>,
  action: 'oauth_grant.code_reused' | 'oauth_grant.refresh_token_reused',
): Promise<void> {
  await parts.issued.endFamily(familyId, call.now);
  await noteApp(parts, call, action, client, { user_id: grant.userId });
}
