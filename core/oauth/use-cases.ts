// Builds the use cases of the authorization server from their parts, for their own plugin.
import type { AuditTrail } from '#core/kernel/audit-trail';
import type { Call, User } from '#core/kernel/caller';
import { found, Unauthorized } from '#core/kernel/errors';
import type { MeteredTargets } from '#core/kernel/rate';
import type { SigningKeyRotation } from '#core/kernel/signing-keys';
import { applicationAdministration } from './application-administration.ts';
import { applications } from './applications.ts';
import { authorization } from './authorize.ts';
import { claimsOf, type Claims } from './claims.ts';
import { discovery } from './discovery.ts';
import { grantUseCases } from './grants.ts';
import { introspection } from './introspection.ts';
import { issuing } from './issue.ts';
import { signingKeys } from './keys.ts';
import type { OAuthParts } from './parts.ts';
import { pruning } from './prune.ts';
import { accessTokenReader } from './reader.ts';
import { registration } from './registration.ts';
import { checkEnabled } from './switch.ts';
import { tokenEndpoint } from './token-endpoint.ts';
import { tokenRevocation } from './token-revocation.ts';

export type { ConsentQuestion } from './authorize.ts';
export type { ListedGrant } from './grants.ts';
export type { Introspection } from './introspection.ts';
export type { TokenResponse } from './issue.ts';
export type { NewClient } from './new-client.ts';

export function oauthUseCases(parts: OAuthParts & { readonly trail: () => AuditTrail | undefined }) {
  const keys = signingKeys(parts);
  const prune = pruning(parts);
  return {
    open: () => checkEnabled(parts.settings),
    discovery: discovery(parts),
    authorization: authorization(parts),
    token: tokenEndpoint(parts, issuing(parts, keys)),
    revoke: tokenRevocation(parts),
    introspect: introspection(parts),
    registration: registration(parts),
    applications: applications(parts),
    administration: applicationAdministration(parts),
    grants: grantUseCases(parts),
    keys,
    reader: accessTokenReader(parts),
    meteredTargets: {
      async apps(ids) {
        const found = await parts.clients.find({ where: {}, among: { id: ids }, orderBy: ['id'] });
        return new Set(found.map(({ id }) => id));
      },
    } satisfies MeteredTargets,

    /** The claims that the token's scopes permit. @throws {Unauthorized} */
    async userinfo({ caller }: Call<User>): Promise<Claims> {
      const account = await parts.vouching.claims(caller.id);
      if (account === undefined) throw new Unauthorized('The credential is not valid');
      return claimsOf(account, caller.credential.scopes);
    },

    /** Rotates the signing key on request of an operator. */
    rotation: {
      rotate: async () => found(await keys.rotate(parts.clock.now(), true)),
    } satisfies SigningKeyRotation,

    /** Runs every hour. */
    async upkeep(): Promise<void> {
      const now = parts.clock.now();
      await prune(now);
      await keys.rotate(now);
    },
  };
}
/** The use cases of the authorization server. */
export type OAuthUseCases = ReturnType<typeof oauthUseCases>;
