// What OAuth2 endpoints refuse with: one class per error code of RFC 6749, 7009, 7591, 8707 and OpenID Connect.
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';

/** A refusal in the terms of OAuth2: `code` is its error, `message` its description. */
export abstract class OAuthRefusal extends HexforgeError {
  constructor(code: string, description: string) {
    super(description, { code });
  }
}

/** A parameter is missing, malformed, repeated, or not understood. */
export class InvalidRequest extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description: string) {
    super('invalid_request', description);
  }
}

/** The client is unknown, suspended, or did not prove itself: all told alike. */
export class InvalidClient extends OAuthRefusal {
  readonly kind: ErrorKind;
  /** It tried HTTP Basic, so it is challenged (RFC 6749, section 5.2). */
  readonly challenged: boolean;

  /** @param at where the browser is asked for consent it is 400, where the client itself asks 401. */
  constructor(at: 'authorization' | 'client', challenged = false) {
    super(
      'invalid_client',
      at === 'authorization' ? 'The client is unknown or suspended' : 'The client could not be authenticated',
    );
    this.kind = at === 'authorization' ? 'validation_failed' : 'unauthorized';
    this.challenged = challenged;
  }
}

/** The code or refresh token is not good, or not for this client, redirect URI or verifier. */
export class InvalidGrant extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description: string) {
    super('invalid_grant', description);
  }
}

/** A scope is unknown, malformed, or more than the client may ask for. */
export class InvalidScope extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description: string) {
    super('invalid_scope', description);
  }
}

/** RFC 8707: no resource of this instance, or not the one the authorization is bound to. */
export class InvalidTarget extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description = 'The resource is no MCP endpoint of this instance, or not the one that was authorized') {
    super('invalid_target', description);
  }
}

/** Only `code` is served. */
export class UnsupportedResponseType extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor() {
    super('unsupported_response_type', 'The response_type must be code');
  }
}

/** Neither a code nor a refresh token is exchanged. */
export class UnsupportedGrantType extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor() {
    super('unsupported_grant_type', 'The grant_type must be authorization_code or refresh_token');
  }
}

/** The user said no, or the caller may not register. */
export class AccessDenied extends OAuthRefusal {
  readonly kind = 'forbidden';

  constructor(description: string) {
    super('access_denied', description);
  }
}

/** OpenID Connect Core, section 3.1.2.6: `prompt=none`, and the user would have to decide. */
export class ConsentRequired extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor() {
    super('consent_required', 'The user has to be asked for consent');
  }
}

/** OpenID Connect Core, section 3.1.2.6: the sign-in is older than the client accepts. */
export class LoginRequired extends OAuthRefusal {
  readonly kind = 'validation_failed';
  /** Whether the client lets the user be asked to. */
  readonly mayAsk: boolean;

  constructor({ mayAsk }: { readonly mayAsk: boolean }) {
    super('login_required', 'The user has to sign in again');
    this.mayAsk = mayAsk;
  }
}

/** OpenID Connect Core, section 3.1.2.6: request objects are not served, neither sent nor referred to. */
export class RequestNotSupported extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(parameter: 'request' | 'request_uri') {
    super(`${parameter}_not_supported`, `The parameter ${parameter} is not supported`);
  }
}

/** RFC 7591, section 3.2.2. */
export class InvalidClientMetadata extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description: string) {
    super('invalid_client_metadata', description);
  }
}

/** RFC 7591, section 3.2.2. */
export class InvalidRedirectUri extends OAuthRefusal {
  readonly kind = 'validation_failed';

  constructor(description: string) {
    super('invalid_redirect_uri', description);
  }
}

/** The authorization server is switched off. */
export class TemporarilyUnavailable extends OAuthRefusal {
  readonly kind = 'unavailable';

  constructor() {
    super('temporarily_unavailable', 'The authorization server is switched off on this instance');
  }
}
