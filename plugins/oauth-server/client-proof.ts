// Reads the client authentication of a request: the Authorization header, or two fields of the form.
import { Joi, maybe, shape, word } from 'hexforge/plugin';

/** A field of a form, with a maximum length far below the limit of a body. */
export const field = (most = 2048) => maybe(word().max(most));

/** The fields of every form that authenticates a client. */
export const proofFields = { client_id: field(), client_secret: field() } as const;

export const proofOf = (
  header: (name: string) => string | undefined,
  body: { readonly client_id?: string; readonly client_secret?: string },
) => ({ authorization: header('authorization'), clientId: body.client_id, clientSecret: body.client_secret });

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

/** The common members of routes whose caller is the client, which authenticates itself. */
export const ofClients = {
  access: { who: 'anyone' },
  scope: null,
  method: 'POST',
  form: true,
  ownCredentials: true,
  query: noSecrets,
} as const;

/** Required for responses with tokens (RFC 6749, section 5.1). */
export const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;
