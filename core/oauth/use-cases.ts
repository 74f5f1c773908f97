// Builds the use cases of the authorization server from their parts, for their own plugin.
import type { Call, User } from '#core/kernel/caller';
import { found, Unauthorized } from '#core/kernel/errors';
import { inBatches } from '#core/kernel/storage/batches';
import type { MeteredTargets } from '#core/kernel/rate';
import type { SigningKeyRotation } from '#core/kernel/services/signing-keys';
import { applicationAdministration } from './applications/application-administration.ts';
import { applicationUseCases } from './applications/applications.ts';
import { authorization } from './authorization/authorize.ts';
import { claimsOf, type Claims } from './model/claims.ts';
import { discovery } from './tokens/discovery.ts';
import { grantUseCases } from './applications/grants.ts';
import { missedEndings } from './applications/missed-endings.ts';
import type { ClientProof } from './tokens/client-authentication.ts';
import { introspectToken } from './tokens/introspection.ts';
import { signingKeys } from './tokens/keys.ts';
import type { OAuthParts } from './model/parts.ts';
import { accessTokenReader } from './tokens/reader.ts';
import type { TokenReference } from './tokens/steps.ts';
import { registration } from './applications/registration.ts';
import { TemporarilyUnavailable } from './model/errors.ts';
import { describedOAuthScopes } from './model/scopes.ts';
import { answerTokenRequest, type TokenRequest } from './tokens/token-endpoint.ts';
import { revokeToken } from './tokens/token-revocation.ts';

/** How long a client that registered itself is kept without receiving a token, in days. */
const unusedDays = 30;

/** Deletes expired codes and tokens, grants without any, and clients that were never used. */
async function prune({ issued, grants, clients, unitOfWork }: OAuthParts, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - unusedDays * 86_400_000);
  await inBatches(unitOfWork, (most) => issued.prune(now, most));
  await inBatches(unitOfWork, (most) => grants.prune(now, most));
  await inBatches(unitOfWork, (most) => clients.pruneUnused(unusedSince, most));
}

export type { ConsentQuestion } from './authorization/authorize.ts';
export type { ListedGrant } from './applications/grants.ts';
export type { Introspection } from './tokens/introspection.ts';
export type { TokenResponse } from './tokens/issue.ts';
export type { NewClient } from './applications/new-client.ts';

export function oauthUseCases(parts: OAuthParts) {
  const keys = signingKeys(parts);
  const issuing = { ...parts, signingKeys: keys };
  return {
    /**
     * Called first at every protocol endpoint. Users and administrators can still manage applications and grants while
     * the authorization server is disabled. @throws {TemporarilyUnavailable}
     */
    async open(): Promise<void> {
      if (!(await parts.settings.get('oauth2.enabled')))
        throw new TemporarilyUnavailable('The authorization server is switched off on this instance');
    },
    /** All scopes that an application can ask for. */
    scopes: () => describedOAuthScopes(parts.scopes),
    discovery: discovery(parts),
    authorization: authorization(parts),
    token: (call: Call, proof: ClientProof, fields: TokenRequest) => answerTokenRequest(issuing, call, proof, fields),
    revoke: (call: Call, proof: ClientProof, fields: TokenReference) => revokeToken(parts, call, proof, fields),
    introspect: (call: Call, proof: ClientProof, fields: TokenReference) => introspectToken(parts, call, proof, fields),
    registration: registration(parts),
    applications: applicationUseCases(parts),
    administration: applicationAdministration(parts),
    grants: grantUseCases(parts),
    keys,
    reader: accessTokenReader(parts),
    missedEndings: missedEndings(parts),
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
      await prune(parts, now);
      await keys.rotate(now);
    },
  };
}
/** The use cases of the authorization server. */
export type OAuthUseCases = ReturnType<typeof oauthUseCases>;
