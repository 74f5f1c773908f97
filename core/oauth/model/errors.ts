// Errors of OAuth2 endpoints: one class per error code of RFC 6749, 7591, 8707 and OpenID Connect Core.
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';

/** An OAuth2 error: `code` is the member `error`, `message` is `error_description`. */
export abstract class OAuthRefusal extends HexforgeError {
  readonly kind: ErrorKind;

  constructor(code: string, description: string, kind: ErrorKind = 'validation_failed') {
    super(description, { code });
    this.kind = kind;
  }
}

/**
 * Builds the class of one code. The return type is explicit, because the declaration of an anonymous class cannot have
 * private members.
 */
const refusal = (code: string, kind?: ErrorKind): new (description: string) => OAuthRefusal =>
  class extends OAuthRefusal {
    constructor(description: string) {
      super(code, description, kind);
    }
  };

/** A parameter is missing, malformed, repeated or unsupported. */
export class InvalidRequest extends refusal('invalid_request') {}

/** The client is unknown, suspended or not authenticated. The response does not distinguish these cases. */
export class InvalidClient extends OAuthRefusal {
  /** Whether the client used HTTP Basic. A 401 has a challenge in any case. */
  readonly challenged: boolean;

  /** @param at `authorization` gives 400, `client` (a request by the client itself) 401. */
  constructor(at: 'authorization' | 'client', challenged = false) {
    if (at === 'authorization') super('invalid_client', 'The client is unknown or suspended');
    else super('invalid_client', 'The client could not be authenticated', 'unauthorized');
    this.challenged = challenged;
  }
}

/** The code or refresh token is invalid, or does not belong to this client, redirect URI or verifier. */
export class InvalidGrant extends refusal('invalid_grant') {}

/** A scope is unknown, malformed, or not allowed for the client. */
export class InvalidScope extends refusal('invalid_scope') {}

/** RFC 8707: the resource does not belong to this instance, or is not the authorized one. */
export class InvalidTarget extends refusal('invalid_target') {}

/** The response type is not `code`, the only supported one. */
export class UnsupportedResponseType extends refusal('unsupported_response_type') {}

/** The grant type is neither authorization_code nor refresh_token. */
export class UnsupportedGrantType extends refusal('unsupported_grant_type') {}

/** The user denied the request, or the caller may not register clients. */
export class AccessDenied extends refusal('access_denied', 'forbidden') {}

/** OpenID Connect Core, section 3.1.2.6: with `prompt=none`, consent is needed. */
export class ConsentRequired extends refusal('consent_required') {}

/** OpenID Connect Core, section 3.1.2.6: the sign-in is missing or older than the client accepts. */
export class LoginRequired extends refusal('login_required') {
  /** Whether the client allows the user to be asked to sign in. */
  readonly mayAsk: boolean;

  constructor({ mayAsk }: { readonly mayAsk: boolean }) {
    super('The user has to sign in again');
    this.mayAsk = mayAsk;
  }
}

/** OpenID Connect Core, section 3.1.2.6: request objects are not supported. */
export class RequestNotSupported extends refusal('request_not_supported') {}

/** OpenID Connect Core, section 3.1.2.6: request objects by reference are not supported. */
export class RequestUriNotSupported extends refusal('request_uri_not_supported') {}

/** OpenID Connect Core, section 3.1.2.6: registration within the request is not supported. */
export class RegistrationNotSupported extends refusal('registration_not_supported') {}

/** RFC 7591, section 3.2.2. */
export class InvalidClientMetadata extends refusal('invalid_client_metadata') {}

/** RFC 7591, section 3.2.2. */
export class InvalidRedirectUri extends refusal('invalid_redirect_uri') {}

/** The authorization server is disabled. */
export class TemporarilyUnavailable extends refusal('temporarily_unavailable', 'unavailable') {}
