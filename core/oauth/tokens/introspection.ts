// The introspection endpoint (RFC 7662): a client queries the state of a token that was issued to it.
import type { Call } from '#core/kernel/caller';
import { clientAuthentication, type ClientProof } from './client-authentication.ts';
import { isConfidential, stillAllowed, type Client } from '../model/client.ts';
import { InvalidClient, InvalidRequest } from '../model/errors.ts';
import { accessTokens, refreshTokens, type Grant } from '../model/grant.ts';
import type { OAuthParts } from '../model/parts.ts';

/** The response for a valid token. */
export interface Introspection {
  readonly scopes: readonly string[];
  readonly username: string;
  readonly userId: string;
  readonly clientId: string;
  /** A refresh token has no token type (RFC 7662, section 2.2). */
  readonly isAccessToken: boolean;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The resource that the token is bound to; empty for the REST API. */
  readonly resource: string;
  readonly id: string | undefined;
}

type Found = Omit<Introspection, 'username'>;

export function introspection(parts: OAuthParts) {
  const { issued, digests, standing } = parts;
  const authenticate = clientAuthentication(parts);

  const accessToken = async (hash: string, now: Date): Promise<(Found & { readonly client: string }) | undefined> => {
    const found = await issued.accessTokenByHash(hash, now);
    return found && { ...found, isAccessToken: true, issuedAt: found.createdAt };
  };

  const refreshToken = async (
    hash: string,
    now: Date,
    asking: Client,
  ): Promise<(Found & { readonly client: string }) | undefined> => {
    const found = await issued.refreshTokenByHash(hash);
    if (found === undefined || found.usedAt !== null || found.family.endedAt !== null) return undefined;
    if (found.expiresAt <= now) return undefined;
    const { resource, userId, clientId: client }: Grant = found.grant;
    return {
      client,
      clientId: asking.clientId,
      userId,
      resource,
      scopes: stillAllowed(asking, found.family.scopes),
      isAccessToken: false,
      issuedAt: found.createdAt,
      expiresAt: found.expiresAt,
      id: undefined,
    };
  };

  /**
   * Returns undefined unless the token is valid and was issued to the client.
   * @throws {InvalidRequest} @throws {InvalidClient} also for a public client.
   */
  return async (
    call: Call,
    proof: ClientProof,
    { token }: { readonly token?: string },
  ): Promise<Introspection | undefined> => {
    const client = await authenticate(proof);
    if (!isConfidential(client)) throw new InvalidClient('client', proof.authorization !== undefined);
    if (token === undefined) throw new InvalidRequest('The field token is missing');
    const hash = digests.hash(token);
    const found = accessTokens.is(token)
      ? await accessToken(hash, call.now)
      : refreshTokens.is(token)
        ? await refreshToken(hash, call.now, client)
        : undefined;
    if (found === undefined || found.client !== client.id) return undefined;
    const account = await standing()?.of(found.userId);
    return account && { ...found, username: account.username };
  };
}
