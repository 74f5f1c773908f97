// The revocation endpoint (RFC 7009): a client revokes a token that was issued to it.
import type { Call } from '#core/kernel/caller';
import { authenticateClient, type ClientProof } from './client-authentication.ts';
import { accessTokens, refreshTokens } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';
import { holdGrant, required, type TokenReference } from './steps.ts';

/**
 * Revoking a refresh token ends its family; revoking an access token ends only that token. Unknown tokens and those of
 * other clients are ignored. `token_type_hint` is not needed, because the prefix identifies the type.
 * @throws {InvalidRequest | InvalidClient}
 */
export async function revokeToken(
  parts: OAuthParts,
  call: Call,
  proof: ClientProof,
  fields: TokenReference,
): Promise<void> {
  const { issued, digests, unitOfWork } = parts;
  const client = await authenticateClient(parts, proof);
  const token = required(fields, 'token');
  const hash = digests.hash(token);
  if (accessTokens.is(token)) {
    const found = await issued.accessTokenByHash(hash, call.now);
    if (found?.client === client.id) await unitOfWork.run(() => issued.deleteAccessToken(hash));
    return;
  }
  const found = refreshTokens.is(token) ? await issued.refreshTokenByHash(hash) : undefined;
  if (found === undefined || found.grant.clientId !== client.id) return;
  await unitOfWork.run(async () => {
    await holdGrant(parts, found.grant, call.now);
    await issued.endFamily(found.family.id, call.now);
  });
}
