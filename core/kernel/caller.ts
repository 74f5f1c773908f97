// Who calls, with which credential, and the circumstances of the call that every use case receives.

/** How the caller proved who they are. */
export interface Credential {
  readonly kind: 'session' | 'pat' | 'oauth' | 'password';
  /** Id of the session family, token or grant; never the secret. */
  readonly id: string;
  /** Id of the OAuth2 application that the token was given to. */
  readonly applicationId?: string;
  /**
   * Names of the scopes a token carries; `all` for a session or password, which speak for all of the user's
   * permissions.
   */
  readonly scopes: readonly string[] | 'all';
  /** `cookie` subjects state-changing requests to the cross-site rule (document D, "Accounts, sessions, tokens"). */
  readonly via: 'bearer' | 'basic' | 'cookie';
  /** RFC 8707: the only resource an OAuth2 token is good at. */
  readonly audience?: string;
}

/** A caller without a credential. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** A caller with a good credential. */
export interface User {
  readonly kind: 'user';
  readonly id: string;
  readonly username: string;
  /** The super-admin flag. */
  readonly isAdmin: boolean;
  readonly credential: Credential;
}

/** Who calls. */
export type Caller = Anonymous | User;

/** What a use case receives beside its command. */
export interface Call<C extends Caller = Caller> {
  readonly caller: C;
  readonly requestId: string;
  /** The address of the client, after trusted proxies. */
  readonly ip: string;
  readonly userAgent: string;
  /** Aborted when the client hangs up or the server stops. */
  readonly signal: AbortSignal;
  readonly now: Date;
  /**
   * The same call at this moment, for what lasts: `caller` is who the credential that was presented proves now.
   * @throws {Unauthorized | Forbidden} where it is good no longer.
   */
  renew(): Promise<Call<C>>;
}

/** The caller without a credential. */
export const anonymous: Anonymous = { kind: 'anonymous' };
