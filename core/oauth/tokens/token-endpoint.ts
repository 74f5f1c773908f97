// The token endpoint (operation `oauthToken`): authenticates the client and dispatches by grant type.
import type { Call } from '#core/kernel/caller';
import { clientAuthentication, type ClientProof } from './client-authentication.ts';
import type { Client } from '../model/client.ts';
import { codeGrant, type CodeFields } from './code-grant.ts';
import { InvalidRequest, UnsupportedGrantType } from '../model/errors.ts';
import type { Issuing, TokenResponse } from './issue.ts';
import type { OAuthParts } from '../model/parts.ts';
import { refreshGrant, type RefreshFields } from './refresh-grant.ts';

/** The form fields of a token request. */
export type TokenRequest = { readonly grant_type?: string } & CodeFields & RefreshFields;

/** The time of last use of a client is stored at most once in this many milliseconds. */
const noteEvery = 3_600_000;

export function tokenEndpoint(parts: OAuthParts, issuing: Issuing) {
  const authenticate = clientAuthentication(parts);
  const grants: Readonly<Record<string, (call: Call, client: Client, fields: TokenRequest) => Promise<TokenResponse>>> =
    {
      authorization_code: codeGrant(parts, issuing),
      refresh_token: refreshGrant(parts, issuing),
    };

  const noteUse = async ({ id, lastUsedAt }: Client, now: Date): Promise<void> => {
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < noteEvery) return;
    // A failure is only logged: the tokens are already issued, and a retry would present a used code or token.
    await parts.unitOfWork
      .run(() => parts.clients.update({ id }, { lastUsedAt: now }))
      .catch((error: unknown) => parts.log.warn({ err: error, app: id }, 'the use of a client could not be noted'));
  };

  /** @throws {OAuthRefusal} */
  return async (call: Call, proof: ClientProof, fields: TokenRequest): Promise<TokenResponse> => {
    const client = await authenticate(proof);
    const { grant_type: type } = fields;
    if (type === undefined) throw new InvalidRequest('The field grant_type is missing');
    const exchange = Object.hasOwn(grants, type) ? grants[type] : undefined;
    if (exchange === undefined)
      throw new UnsupportedGrantType('The grant_type must be authorization_code or refresh_token');
    const response = await exchange(call, client, fields);
    await noteUse(client, call.now);
    return response;
  };
}
