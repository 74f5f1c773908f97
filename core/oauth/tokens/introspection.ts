// The introspection endpoint (RFC 7662): a client queries the state of a token that was issued to it.
import type { Call } from '#core/kernel/caller';
import { authenticateClient, type ClientProof } from './client-authentication.ts';
import { isConfidential, stillAllowed, type Client } from '../model/client.ts';
import { InvalidClient } from '../model/errors.ts';
import { accessTokens, refreshTokens, type AccessGrant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';
import { required, type TokenReference } from './steps.ts';

type Found = Pick<AccessGrant, 'userId' | 'clientId' | 'scopes' | 'resource' | 'createdAt' | 'expiresAt'> & {
  /** Undefined for a refresh token, which has no token type either (RFC 7662, section 2.2). */
  readonly id: string | undefined;
};

/** The response for a valid token. */
export type Introspection = Found & { readonly username: string };

/**
 * Returns undefined unless the token is valid and was issued to the client.
 * @throws {InvalidRequest} @throws {InvalidClient} also for a public client.
 */
export async function introspectToken(
  parts: OAuthParts,
  call: Call,
  proof: ClientProof,
  fields: TokenReference,
): Promise<Introspection | undefined> {
  const client = await authenticateClient(parts, proof);
  if (!isConfidential(client)) throw new InvalidClient('client', proof.authorization !== undefined);
  const found = await tokenOf(parts, client, required(fields, 'token'), call.now);
  const account = found && (await parts.standing()?.of(found.userId));
  return account && { ...found, username: account.username };
}

async function tokenOf(
  { issued, digests }: OAuthParts,
  { id: client, clientId, ...asking }: Client,
  token: string,
  now: Date,
): Promise<Found | undefined> {
  const hash = digests.hash(token);
  if (accessTokens.is(token)) {
    const found = await issued.accessTokenByHash(hash, now);
    return found?.client === client ? found : undefined;
  }
  const found = refreshTokens.is(token) ? await issued.refreshTokenByHash(hash) : undefined;
  if (found === undefined || found.usedAt !== null || found.family.endedAt !== null) return undefined;
  const { grant, family, createdAt, expiresAt } = found;
  if (expiresAt <= now || grant.clientId !== client) return undefined;
  const { resource, userId } = grant;
  const scopes = stillAllowed(asking, family.scopes);
  return { id: undefined, clientId, userId, resource, scopes, createdAt, expiresAt };
}
