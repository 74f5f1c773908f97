// The token endpoint (operation `oauthToken`): authenticates the client and dispatches by grant type.
import type { Call } from '#core/kernel/caller';
import { authenticateClient, type ClientProof } from './client-authentication.ts';
import type { Client } from '../model/client.ts';
import { exchangeCode, type CodeFields } from './code-grant.ts';
import { UnsupportedGrantType } from '../model/errors.ts';
import type { IssuingParts, TokenResponse } from './issue.ts';
import type { OAuthParts } from '../model/parts.ts';
import { exchangeRefreshToken, type RefreshFields } from './refresh-grant.ts';
import { required } from './steps.ts';

/** The form fields of a token request. */
export type TokenRequest = { readonly grant_type?: string } & CodeFields & RefreshFields;

/** The time of last use of a client is stored at most once in this many milliseconds. */
const noteEvery = 3_600_000;

/** The exchange of each grant type. */
const exchanges = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

/** @throws {OAuthRefusal} */
export async function answerTokenRequest(
  parts: IssuingParts,
  call: Call,
  proof: ClientProof,
  fields: TokenRequest,
): Promise<TokenResponse> {
  const client = await authenticateClient(parts, proof);
  const exchange = exchanges.get(required(fields, 'grant_type'));
  if (exchange === undefined)
    throw new UnsupportedGrantType('The grant_type must be authorization_code or refresh_token');
  const response = await exchange(parts, call, client, fields);
  await noteUse(parts, client, call.now);
  return response;
}

async function noteUse({ clients, unitOfWork, log }: OAuthParts, { id, lastUsedAt }: Client, now: Date): Promise<void> {
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < noteEvery) return;
  // A failure is only logged: the tokens are already issued, and a retry would present a used code or token.
  await unitOfWork
    .run(() => clients.update({ id }, { lastUsedAt: now }))
    .catch((error: unknown) => log.warn({ err: error, app: id }, 'the use of a client could not be noted'));
}
