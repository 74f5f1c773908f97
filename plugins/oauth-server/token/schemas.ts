// The shapes of the endpoints of tokens.
import { count, flag, Joi, maybe, oneOf, shape, text, uuid, word, type TypeOf } from 'hexforge/plugin';

/** A field of a form, with a maximum length far below the limit of a body. */
const field = (most = 2048) => maybe(word().max(most));

/** The fields of every form that authenticates a client. */
const proofFields = { client_id: field(), client_secret: field() } as const;

const misplaced = () => Joi.any().forbidden();

/** Rejects these parameters in the URL, because URLs are logged (RFC 6749, section 2.3.1). */
export const noSecrets = shape({
  client_id: misplaced(),
  client_secret: misplaced(),
  grant_type: misplaced(),
  code: misplaced(),
  code_verifier: misplaced(),
  refresh_token: misplaced(),
  token: misplaced(),
});

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

export const tokenReferenceForm = shape({
  ...proofFields,
  // Accepts a text of any length, so that an invalid token gets the same response as an unknown one.
  token: field(65_536),
  token_type_hint: field(),
}).id('TokenReference');

export const introspectionJson = shape({
  active: flag(),
  scope: maybe(text()),
  client_id: maybe(word()),
  username: maybe(word()),
  token_type: maybe(oneOf('Bearer')),
  exp: maybe(count()),
  iat: maybe(count()),
  sub: maybe(uuid()),
  aud: maybe(word().description('The resource that the token is bound to')),
  iss: maybe(word()),
  jti: maybe(uuid()),
}).id('Introspection');
export type IntrospectionJson = TypeOf<typeof introspectionJson>;

export const claimsJson = shape({
  sub: uuid(),
  preferred_username: maybe(word()),
  name: maybe(word()),
  picture: maybe(word()),
  updated_at: maybe(count()),
  email: maybe(word()),
  email_verified: maybe(flag()),
}).id('Claims');
