// The caller, its credential, and the call that every use case receives.
import type { Meter } from './rate.ts';

/** How the caller was authenticated. */
export interface Credential {
  readonly kind: 'session' | 'pat' | 'oauth' | 'password' | 'bot';
  /** Id of the session family, token or grant, or the plugin of a bot. Never the secret. */
  readonly id: string;
  /** Id of the OAuth2 application that the token was issued to. */
  readonly applicationId?: string;
  /** Names of the scopes of a token. `all` for the others, which grant all permissions of the user. */
  readonly scopes: readonly string[] | 'all';
  /** With `cookie`, state-changing requests are subject to the cross-site check. */
  readonly via: 'bearer' | 'basic' | 'cookie';
  /** RFC 8707: the only resource that accepts this OAuth2 token. */
  readonly audience?: string;
}

/** A caller without a credential. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** A caller with a valid credential. */
export interface User {
  readonly kind: 'user';
  readonly id: string;
  readonly username: string;
  /** Whether the user is an instance administrator. */
  readonly isAdmin: boolean;
  readonly credential: Credential;
}

/** The user, with the credential, or anonymous. */
export type Caller = Anonymous | User;

/** The request that a use case serves: caller, request id, address, user agent, abort signal and time. */
export interface Call<C extends Caller = Caller> {
  readonly caller: C;
  readonly requestId: string;
  /** The address of the client, as reported by trusted proxies. */
  readonly ip: string;
  readonly userAgent: string;
  /**
   * RFC 8707: the protected resource that the request was sent to, in its canonical form. Only OAuth2 tokens that are
   * bound to it are accepted. Absent for all other operations, which accept no token that is bound to a resource.
   */
  readonly resource?: string;
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  readonly now: Date;
  /**
   * Authenticates the presented credential again, for long requests.
   * @returns the same call with the current caller and time.
   * @throws {Unauthorized | Forbidden} if the credential is no longer valid.
   */
  renew(): Promise<Call<C>>;
  /** Charges the budget of a caller that sends no requests: a bot. @throws {RateLimited} if it is used up. */
  readonly charge?: (meter: Exclude<Meter, 'none'>) => Promise<void>;
}

/** The caller without a credential. */
export const anonymous: Anonymous = { kind: 'anonymous' };
