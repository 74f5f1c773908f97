// The exchange of a refresh token for the next one of its family (RFC 6749, section 6; RFC 9700, section 4.14).
import { auditEntry } from '#core/kernel/audit';
import type { Call } from '#core/kernel/caller';
import { stillAllowed, type Client } from './client.ts';
import { InvalidGrant, InvalidRequest, InvalidScope, InvalidTarget } from './errors.ts';
import { refreshTokens } from './grant.ts';
import type { Issuing, TokenResponse } from './issue.ts';
import type { OAuthParts } from './parts.ts';
import type { FoundRefreshToken } from './ports.ts';
import { isSameResource } from './resource.ts';
import { readScopes } from './scopes.ts';

/** The fields of this grant; empty ones are absent. */
export interface RefreshFields {
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly resource?: string;
}

export function refreshGrant(parts: OAuthParts, issuing: Issuing) {
  const { issued, grants, vouching, digests, unitOfWork, audit, baseUrl } = parts;

  const notGood = (): InvalidGrant => new InvalidGrant('The refresh token is unknown, expired or revoked');

  /**
   * Step 3: the resource is the authorized one, the scope no wider, and something is left of it by what the client is
   * registered with now. @throws {InvalidTarget | InvalidScope | InvalidGrant}
   */
  const asked = ({ family, grant }: FoundRefreshToken, client: Client, fields: RefreshFields): readonly string[] => {
    if (fields.resource !== undefined && !isSameResource(baseUrl, grant.resource, fields.resource))
      throw new InvalidTarget('The resource is not the one that was authorized');
    const granted = stillAllowed(client, family.scopes);
    const scopes = readScopes(fields.scope) ?? granted;
    if (scopes.some((scope) => !granted.includes(scope)))
      throw new InvalidScope('The scope is wider than what was granted');
    if (scopes.length === 0) throw notGood();
    return scopes;
  };

  /** @throws {InvalidRequest | InvalidGrant | InvalidScope | InvalidTarget} */
  return async (call: Call, client: Client, fields: RefreshFields): Promise<TokenResponse> => {
    // 1. Nothing is missing.
    const { refresh_token: secret } = fields;
    if (secret === undefined) throw new InvalidRequest('The field refresh_token is missing');
    const { now } = call;
    // 2. The token is one of this client; with another one's nothing happens.
    const hash = digests.hash(secret);
    const found = refreshTokens.is(secret) ? await issued.refreshTokenByHash(hash) : undefined;
    if (found === undefined || found.grant.clientId !== client.id) throw notGood();
    const { family, grant, usedAt } = found;
    // 3. What is asked for may be asked. A token that was used goes on to step 5, to end its family.
    const scopes = usedAt === null ? asked(found, client, fields) : [];
    const ready = await issuing.ready(scopes, now);
    const outcome = await unitOfWork.run(async () => {
      // 4. The account and the grant are there still, and stay so until this is written.
      const account = await vouching.held(grant.userId);
      const held = await grants.update({ id: grant.id }, { updatedAt: now });
      if (held === undefined) return undefined;
      // 5. It is taken by one atomic statement. One that was taken before was stolen, from the client or by it: its
      // family ends, and that is written whatever is answered.
      if (account === undefined || !(await issued.takeRefreshToken(hash, now))) {
        const used = (await issued.refreshTokenByHash(hash))?.usedAt ?? null;
        if (used === null) return undefined;
        await issued.endFamily(family.id, now);
        await audit.append(
          auditEntry(call, 'oauth_grant.refresh_token_reused', `oauth_app:${client.id}`, {
            client_id: client.clientId,
            user_id: grant.userId,
          }),
        );
        return 'reused';
      }
      // 6. Whatever fails in making the response, the token is good still. The same sign-in, so no new nonce.
      return issuing.response(ready, { client, account, family, scopes, nonce: null, now });
    });
    if (outcome === undefined) throw notGood();
    if (outcome === 'reused') throw new InvalidGrant('refresh token reuse detected');
    return outcome;
  };
}
