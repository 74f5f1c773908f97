// Exchanges an authorization code for tokens (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
import { secondsAfter } from '#core/identity/index';
import type { Call } from '#core/kernel/caller';
import { stillAllowed, type Client } from '../model/client.ts';
import { InvalidGrant } from '../model/errors.ts';
import { isCode, mostFamilies, mostMisses, type AuthorizationCode, type Grant } from '../model/grant.ts';
import { issueTokens, prepareTokens, type IssuingParts, type TokenResponse } from './issue.ts';
import { familyDays } from '../model/settings.ts';
import { checkResource, endReused, holdGrant, required } from './steps.ts';

/** The form fields of this grant type. Empty ones are absent. */
export interface CodeFields {
  readonly code?: string;
  readonly redirect_uri?: string;
  readonly code_verifier?: string;
  readonly resource?: string;
}

/** RFC 7636, section 4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/** @throws {InvalidRequest | InvalidGrant | InvalidTarget} */
export async function exchangeCode(
  parts: IssuingParts,
  call: Call,
  client: Client,
  fields: CodeFields,
): Promise<TokenResponse> {
  const { issued, vouching, digests, unitOfWork, ids } = parts;
  const { now } = call;
  const notGood = (): InvalidGrant => new InvalidGrant('The code is unknown, expired or used');
  // 1. No field is missing.
  const secret = required(fields, 'code');
  const sent = { redirectUri: required(fields, 'redirect_uri'), verifier: required(fields, 'code_verifier') };
  // 2. The code was issued to this client. A code of another client stays unchanged.
  const hash = digests.hash(secret);
  const found = isCode(secret) ? await issued.codeByHash(hash) : undefined;
  if (found === undefined || found.grant.clientId !== client.id) throw notGood();
  const { code, grant } = found;
  // 3. The request matches the code. A used code continues to step 5, which revokes the tokens issued for it.
  if (code.takenAt === null)
    try {
      checkBinding(parts, found, { ...fields, ...sent });
    } catch (error) {
      await unitOfWork.run(() => issued.missCode(hash, mostMisses, now));
      throw error;
    }
  // Scopes that the client has lost since are not issued. For a used code no scopes are issued.
  const scopes = code.takenAt === null ? stillAllowed(client, code.scopes) : [];
  const ready = await prepareTokens(parts, scopes, now);
  const response = await unitOfWork.run(async () => {
    // 4. The account, the session and the grant still exist. Locks the account and the grant until the commit.
    const held = await holdGrant(parts, grant, now);
    if (held === undefined) return undefined;
    // 5. One atomic statement uses up the code. A second use revokes the tokens of the first.
    const family = {
      id: ids.uuid(),
      grantId: grant.id,
      scopes: code.scopes,
      authTime: code.authTime,
      createdAt: now,
      expiresAt: secondsAfter(now, familyDays * 86_400),
      endedAt: null,
    };
    if (!(await issued.takeCode(hash, family.id, now))) {
      const familyId = (await issued.codeByHash(hash))?.code.familyId ?? null;
      if (familyId !== null) await endReused(parts, { call, client, grant, familyId }, 'oauth_grant.code_reused');
      return undefined;
    }
    const { account } = held;
    const alive = (await vouching.signedInAt(code.sessionId, now)) !== undefined;
    if (account === undefined || !alive || scopes.length === 0) return undefined;
    await issued.roomForFamily(grant, mostFamilies);
    await issued.insertFamily(family);
    // 6. If building the response fails, the unit of work rolls back and the code stays valid.
    return issueTokens(parts, ready, { client, account, family, scopes, nonce: code.nonce, now });
  });
  if (response === undefined) throw notGood();
  return response;
}

/** Step 3: compares the request with the values that the code is bound to. @throws {InvalidGrant | InvalidTarget} */
function checkBinding(
  parts: IssuingParts,
  { code, grant }: { readonly code: AuthorizationCode; readonly grant: Grant },
  sent: CodeFields & { readonly redirectUri: string; readonly verifier: string },
): void {
  if (sent.redirectUri !== code.redirectUri)
    throw new InvalidGrant('The redirect_uri is not the one the code was sent to');
  const { digests } = parts;
  if (!verifierForm.test(sent.verifier) || !digests.same(digests.challenge(sent.verifier), code.challenge))
    throw new InvalidGrant('The code_verifier does not fit the code_challenge');
  checkResource(parts, grant, sent);
}
