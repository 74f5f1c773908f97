// Exchanges a refresh token for the next one of its family (RFC 6749, section 6; RFC 9700, section 4.14).
import type { Call } from '#core/kernel/caller';
import { stillAllowed, type Client } from '../model/client.ts';
import { InvalidGrant, InvalidScope } from '../model/errors.ts';
import { refreshTokens } from '../model/grant.ts';
import { issueTokens, prepareTokens, type IssuingParts, type TokenResponse } from './issue.ts';
import type { FoundRefreshToken } from '../model/ports.ts';
import { readScopes } from '../model/scopes.ts';
import { checkResource, endReused, holdGrant, required } from './steps.ts';

/** The form fields of this grant type. Empty ones are absent. */
export interface RefreshFields {
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly resource?: string;
}

const notGood = (): InvalidGrant => new InvalidGrant('The refresh token is unknown, expired or revoked');

/** @throws {InvalidRequest | InvalidGrant | InvalidScope | InvalidTarget} */
export async function exchangeRefreshToken(
  parts: IssuingParts,
  call: Call,
  client: Client,
  fields: RefreshFields,
): Promise<TokenResponse> {
  const { issued, digests, unitOfWork } = parts;
  const { now } = call;
  // 1. No field is missing.
  const secret = required(fields, 'refresh_token');
  // 2. The token was issued to this client. A token of another client stays unchanged.
  const hash = digests.hash(secret);
  const found = refreshTokens.is(secret) ? await issued.refreshTokenByHash(hash) : undefined;
  if (found === undefined || found.grant.clientId !== client.id) throw notGood();
  const { family, grant, usedAt } = found;
  // 3. The request is allowed. A used token continues to step 5, which ends its family.
  const scopes = usedAt === null ? scopesAsked(parts, found, client, fields) : [];
  const ready = await prepareTokens(parts, scopes, now);
  const outcome = await unitOfWork.run(async () => {
    // 4. The account and the grant still exist. Locks both until the commit.
    const held = await holdGrant(parts, grant, now);
    if (held === undefined) return undefined;
    const { account } = held;
    // 5. One atomic statement uses up the token. A token that was used before may have been stolen, so its family ends.
    // That is committed although the request is rejected.
    if (account === undefined || !(await issued.takeRefreshToken(hash, now))) {
      const used = (await issued.refreshTokenByHash(hash))?.usedAt ?? null;
      if (used === null) return undefined;
      await endReused(parts, { call, client, grant, familyId: family.id }, 'oauth_grant.refresh_token_reused');
      return 'reused';
    }
    // 6. If building the response fails, the token stays valid. No nonce, because there was no new sign-in.
    return issueTokens(parts, ready, { client, account, family, scopes, nonce: null, now });
  });
  if (outcome === undefined) throw notGood();
  if (outcome === 'reused') throw new InvalidGrant('refresh token reuse detected');
  return outcome;
}

/**
 * Step 3: the resource must be the authorized one, the scope must not be wider than granted, and the client must still
 * be registered with at least one of the scopes. @throws {InvalidTarget | InvalidScope | InvalidGrant}
 */
function scopesAsked(
  parts: IssuingParts,
  { family, grant }: FoundRefreshToken,
  client: Client,
  fields: RefreshFields,
): readonly string[] {
  checkResource(parts, grant, fields);
  const granted = stillAllowed(client, family.scopes);
  const scopes = readScopes(fields.scope) ?? granted;
  if (scopes.some((scope) => !granted.includes(scope)))
    throw new InvalidScope('The scope is wider than what was granted');
  if (scopes.length > 0) return scopes;
  throw granted.length === 0 ? notGood() : new InvalidScope('The scope grants nothing');
}
