// Exchanges an authorization code for tokens (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
import { secondsAfter } from '#core/identity/index';
import { auditEntry } from '#core/kernel/services/audit';
import type { Call } from '#core/kernel/caller';
import { stillAllowed, type Client } from '../model/client.ts';
import { InvalidGrant, InvalidRequest, InvalidTarget } from '../model/errors.ts';
import { isCode, mostFamilies, mostMisses, type AuthorizationCode, type Grant } from '../model/grant.ts';
import type { Issuing, TokenResponse } from './issue.ts';
import type { OAuthParts } from '../model/parts.ts';
import { isSameResource } from '../model/resource.ts';
import { familyDays } from '../model/settings.ts';

/** The form fields of this grant type. Empty ones are absent. */
export interface CodeFields {
  readonly code?: string;
  readonly redirect_uri?: string;
  readonly code_verifier?: string;
  readonly resource?: string;
}

/** RFC 7636, section 4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

export function codeGrant(parts: OAuthParts, issuing: Issuing) {
  const { issued, grants, vouching, digests, unitOfWork, audit, ids, baseUrl } = parts;

  /** Step 3: compares the request with the values that the code is bound to. @returns the first mismatch. */
  const misfit = (
    { code, grant }: { readonly code: AuthorizationCode; readonly grant: Grant },
    fields: Required<Pick<CodeFields, 'redirect_uri' | 'code_verifier'>> & CodeFields,
  ): InvalidGrant | InvalidTarget | undefined => {
    if (fields.redirect_uri !== code.redirectUri)
      return new InvalidGrant('The redirect_uri is not the one the code was sent to');
    if (
      !verifierForm.test(fields.code_verifier) ||
      !digests.same(digests.challenge(fields.code_verifier), code.challenge)
    )
      return new InvalidGrant('The code_verifier does not fit the code_challenge');
    if (fields.resource !== undefined && !isSameResource(baseUrl, grant.resource, fields.resource))
      return new InvalidTarget('The resource is not the one that was authorized');
    return undefined;
  };

  /** @throws {InvalidRequest | InvalidGrant | InvalidTarget} */
  return async (call: Call, client: Client, fields: CodeFields): Promise<TokenResponse> => {
    // 1. No field is missing.
    const { code: secret, redirect_uri: redirectUri, code_verifier: verifier } = fields;
    if (secret === undefined) throw new InvalidRequest('The field code is missing');
    if (redirectUri === undefined) throw new InvalidRequest('The field redirect_uri is missing');
    if (verifier === undefined) throw new InvalidRequest('The field code_verifier is missing');
    const { now } = call;
    const notGood = (): InvalidGrant => new InvalidGrant('The code is unknown, expired or used');
    // 2. The code was issued to this client. A code of another client stays unchanged.
    const hash = digests.hash(secret);
    const found = isCode(secret) ? await issued.codeByHash(hash) : undefined;
    if (found === undefined || found.grant.clientId !== client.id) throw notGood();
    // 3. The request matches the code. A used code continues to step 5, which revokes the tokens issued for it.
    const wrong = misfit(found, { ...fields, redirect_uri: redirectUri, code_verifier: verifier });
    if (wrong !== undefined && found.code.takenAt === null) {
      await unitOfWork.run(() => issued.missCode(hash, mostMisses, now));
      throw wrong;
    }
    const { code, grant } = found;
    // Scopes that the client has lost since are not issued. For a used code no scopes are issued.
    const scopes = code.takenAt === null ? stillAllowed(client, code.scopes) : [];
    const ready = await issuing.ready(scopes, now);
    const response = await unitOfWork.run(async () => {
      // 4. The account, the session and the grant still exist. Locks the account and the grant until the commit.
      const account = await vouching.held(grant.userId);
      const held = await grants.update({ id: grant.id }, { updatedAt: now });
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
        const begun = (await issued.codeByHash(hash))?.code.familyId ?? null;
        if (begun === null) return undefined;
        await issued.endFamily(begun, now);
        await audit.append(
          auditEntry(call, 'oauth_grant.code_reused', `oauth_app:${client.id}`, {
            client_id: client.clientId,
            user_id: grant.userId,
          }),
        );
        return undefined;
      }
      const alive = (await vouching.signedInAt(code.sessionId, now)) !== undefined;
      if (account === undefined || !alive || scopes.length === 0) return undefined;
      await issued.roomForFamily(grant, mostFamilies);
      await issued.insertFamily(family);
      // 6. If building the response fails, the unit of work rolls back and the code stays valid.
      return issuing.response(ready, { client, account, family, scopes, nonce: code.nonce, now });
    });
    if (response === undefined) throw notGood();
    return response;
  };
}
