// Builds the use cases of the authorization server from their parts, for their own plugin.
import type { AuditTrail } from '#core/kernel/services/audit-trail';
import type { Call, User } from '#core/kernel/caller';
import { found, Unauthorized } from '#core/kernel/errors';
import type { MeteredTargets } from '#core/kernel/rate';
import type { SigningKeyRotation } from '#core/kernel/services/signing-keys';
import { applicationAdministration } from './applications/application-administration.ts';
import { applications } from './applications/applications.ts';
import { authorization } from './authorization/authorize.ts';
import { claimsOf, type Claims } from './model/claims.ts';
import { discovery } from './tokens/discovery.ts';
import { grantUseCases } from './applications/grants.ts';
import { introspection } from './tokens/introspection.ts';
import { issuing } from './tokens/issue.ts';
import { signingKeys } from './tokens/keys.ts';
import type { OAuthParts } from './model/parts.ts';
import { pruning } from './tokens/prune.ts';
import { accessTokenReader } from './tokens/reader.ts';
import { registration } from './applications/registration.ts';
import { checkEnabled } from './model/switch.ts';
import { tokenEndpoint } from './tokens/token-endpoint.ts';
import { tokenRevocation } from './tokens/token-revocation.ts';

export type { ConsentQuestion } from './authorization/authorize.ts';
export type { ListedGrant } from './applications/grants.ts';
export type { Introspection } from './tokens/introspection.ts';
export type { TokenResponse } from './tokens/issue.ts';
export type { NewClient } from './applications/new-client.ts';

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
