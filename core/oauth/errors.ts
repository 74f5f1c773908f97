// What OAuth2 endpoints refuse with: one class per error code of RFC 6749, 7591, 8707 and OpenID Connect Core.
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';

/** A refusal in the terms of OAuth2: `code` is its error, `message` its description. */
export abstract class OAuthRefusal extends HexforgeError {
  readonly kind: ErrorKind;

  constructor(code: string, description: string, kind: ErrorKind = 'validation_failed') {
    super(description, { code });
    this.kind = kind;
  }
}

/** The class of one code. Its type is spelled out: a nameless class with private members has no declaration. */
const refusal = (code: string, kind?: ErrorKind): new (description: string) => OAuthRefusal =>
  class extends OAuthRefusal {
    constructor(description: string) {
      super(code, description, kind);
    }
  };

/** A parameter is missing, malformed, repeated, or not understood. */
export class InvalidRequest extends refusal('invalid_request') {}

/** The client is unknown, suspended, or did not prove itself: all told alike. */
export class InvalidClient extends OAuthRefusal {
  /** It tried HTTP Basic, so it is challenged (RFC 6749, section 5.2). */
  readonly challenged: boolean;

  /** @param at where the browser is asked for consent it is 400, where the client itself asks 401. */
  constructor(at: 'authorization' | 'client', challenged = false) {
    if (at === 'authorization') super('invalid_client', 'The client is unknown or suspended');
    else super('invalid_client', 'The client could not be authenticated', 'unauthorized');
    this.challenged = challenged;
  }
}

/** The code or refresh token is not good, or not for this client, redirect URI or verifier. */
export class InvalidGrant extends refusal('invalid_grant') {}

/** A scope is unknown, malformed, or more than the client may ask for. */
export class InvalidScope extends refusal('invalid_scope') {}

/** RFC 8707: no resource of this instance, or not the one the authorization is bound to. */
export class InvalidTarget extends refusal('invalid_target') {}

/** Only `code` is served. */
export class UnsupportedResponseType extends refusal('unsupported_response_type') {}

/** Neither a code nor a refresh token is exchanged. */
export class UnsupportedGrantType extends refusal('unsupported_grant_type') {}

/** The user said no, or the caller may not register. */
export class AccessDenied extends refusal('access_denied', 'forbidden') {}

/** OpenID Connect Core, section 3.1.2.6: `prompt=none`, and the user would have to decide. */
export class ConsentRequired extends refusal('consent_required') {}

/** OpenID Connect Core, section 3.1.2.6: the sign-in is older than the client accepts. */
export class LoginRequired extends refusal('login_required') {
  /** Whether the client lets the user be asked to. */
  readonly mayAsk: boolean;

  constructor({ mayAsk }: { readonly mayAsk: boolean }) {
    super('The user has to sign in again');
    this.mayAsk = mayAsk;
  }
}

/** OpenID Connect Core, section 3.1.2.6: request objects are not read. */
export class RequestNotSupported extends refusal('request_not_supported') {}

/** OpenID Connect Core, section 3.1.2.6: nor fetched. */
export class RequestUriNotSupported extends refusal('request_uri_not_supported') {}

/** OpenID Connect Core, section 3.1.2.6: a client is registered before it asks. */
export class RegistrationNotSupported extends refusal('registration_not_supported') {}

/** RFC 7591, section 3.2.2. */
export class InvalidClientMetadata extends refusal('invalid_client_metadata') {}

/** RFC 7591, section 3.2.2. */
export class InvalidRedirectUri extends refusal('invalid_redirect_uri') {}

/** The authorization server is switched off. */
export class TemporarilyUnavailable extends refusal('temporarily_unavailable', 'unavailable') {}
