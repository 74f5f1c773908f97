// The revocation endpoint (RFC 7009): a client revokes a token that was issued to it.
import type { Call } from '#core/kernel/caller';
import { clientAuthentication, type ClientProof } from './client-authentication.ts';
import { InvalidRequest } from '../model/errors.ts';
import { accessTokens, refreshTokens } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

export function tokenRevocation(parts: OAuthParts) {
  const { issued, grants, digests, unitOfWork, vouching } = parts;
  const authenticate = clientAuthentication(parts);

  /**
   * Revoking a refresh token ends its family; revoking an access token ends only that token. Unknown tokens and those
   * of other clients are ignored. `token_type_hint` is not needed, because the prefix identifies the type.
   * @throws {InvalidRequest | InvalidClient}
   */
  return async (call: Call, proof: ClientProof, { token }: { readonly token?: string }): Promise<void> => {
    const client = await authenticate(proof);
    if (token === undefined) throw new InvalidRequest('The field token is missing');
    const hash = digests.hash(token);
    if (accessTokens.is(token)) {
      const found = await issued.accessTokenByHash(hash, call.now);
      if (found?.client === client.id) await unitOfWork.run(() => issued.deleteAccessToken(hash));
      return;
    }
    const found = refreshTokens.is(token) ? await issued.refreshTokenByHash(hash) : undefined;
    if (found === undefined || found.grant.clientId !== client.id) return;
    await unitOfWork.run(async () => {
      // Locks the same rows as a refresh, so that a revocation and a concurrent refresh run one after the other.
      await vouching.held(found.grant.userId);
      await grants.update({ id: found.grant.id }, { updatedAt: call.now });
      await issued.endFamily(found.family.id, call.now);
    });
  };
}
