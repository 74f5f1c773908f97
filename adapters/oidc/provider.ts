// A provider of sign-in, as the operator has configured it, and its answers.

/** Everything that a sign-in at a provider needs to know. */
export interface Provider {
  readonly id: string;
  readonly displayName: string;
  /** `github` has no OpenID Connect; `microsoft` has issuers that differ by tenant. */
  readonly kind: 'openid' | 'microsoft' | 'github';
  /** The issuer; for `github` the URL of the server. It is valid by `addressMisfit`. */
  readonly address: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly redirectUri: string;
}

/** The parameters with which the browser returns (RFC 6749, section 4.1.2; RFC 9207). Each has a bounded length. */
export interface ProviderAnswer {
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

/** The secrets of one sign-in that the browser keeps, encrypted. */
export interface KeptSecrets {
  /** RFC 7636. */
  readonly verifier: string;
  /** Of the ID token. */
  readonly nonce: string;
}
