// The shapes of the token endpoint.
import { count, maybe, oneOf, shape, text, word, type TypeOf } from 'hexforge/plugin';
import { field, proofFields } from '../client-proof.ts';

export const tokenForm = shape({
  ...proofFields,
  grant_type: field(),
  code: field(),
  redirect_uri: field(4096),
  code_verifier: field(),
  refresh_token: field(),
  scope: field(4096),
  resource: field(),
}).id('TokenRequest');

export const tokenJson = shape({
  access_token: word(),
  token_type: oneOf('Bearer'),
  expires_in: count().description('Seconds'),
  scope: text().description('What was granted, with spaces between'),
  refresh_token: maybe(word().description('Absent where none are issued')),
  id_token: maybe(word().description('JWT; with the scope openid')),
}).id('TokenResponse');
export type TokenJson = TypeOf<typeof tokenJson>;
