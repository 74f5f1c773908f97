// The JSON shapes of the authorization endpoint.
import { flag, Joi, list, maybe, oneOf, shape, text, word, type TypeOf } from 'hexforge/plugin';

const parameter = (most = 2048) => maybe(word().empty('').max(most));

export const authorizationQuery = shape({
  client_id: parameter(),
  redirect_uri: parameter(4096),
  response_type: parameter(),
  response_mode: parameter(),
  scope: parameter(4096),
  state: parameter().description('Echoed'),
  code_challenge: parameter().description('Base64url SHA-256 of the PKCE verifier'),
  code_challenge_method: parameter().description('S256'),
  resource: maybe(
    Joi.alternatives<string | readonly string[]>(word().empty('').max(2048), list(word().max(2048)).max(20))
      .empty('')
      .description('RFC 8707: the MCP endpoint that the token is for'),
  ),
  nonce: parameter().description('Echoed in the ID token'),
  prompt: parameter(),
  max_age: parameter(),
  id_token_hint: parameter(8192).description('An ID token of the user who is asked'),
  request: parameter(65_536),
  request_uri: parameter(),
  registration: parameter(65_536),
});

export const decisionForm = shape({
  decision: maybe(word().max(64).description('`cancel` denies, anything else approves')),
  remember: maybe(word().max(64).description('`true` keeps the answer, `false` forgets what was kept')),
  scope: maybe(word().max(4096).description('The scopes that were shown, with spaces between them')),
  shown: maybe(word().max(64).description('`shown` of the question, which binds all of it')),
}).id('ConsentDecision');

/** The body of a post to the page: an authorization request, or the answer to the question of the page. */
export const pageForm = (authorizationQuery as Joi.ObjectSchema).concat(decisionForm) as Joi.ObjectSchema<
  TypeOf<typeof authorizationQuery> & TypeOf<typeof decisionForm>
>;

const question = {
  decision: maybe(oneOf('consent_required')),
  app_name: maybe(word()),
  description: maybe(text()),
  homepage_url: maybe(text()),
  logo_url: maybe(text()),
  scopes_requested: maybe(list(word())),
  grant_exists: maybe(flag()),
  remembered_scopes: maybe(list(word())),
  redirect_host: maybe(word().description('Where the answer goes')),
  self_registered: maybe(flag().description('Nobody of this instance vouches for the application')),
  shown: maybe(word().description('Sent back with the decision: if anything has changed, the user is asked again')),
} as const;

export const consentJson = shape({
  ...question,
  auto_approve_redirect_url: maybe(word().description('In place of the others: the user has granted this before')),
}).id('Consent');

export const decidedJson = shape({
  redirect_url: maybe(word()),
  ...question,
})
  .description('`redirect_url`; or the question again, if the decision was about another one')
  .id('ConsentDecided');
