// What a user has granted a client, and what is issued under it: codes, families of refresh tokens, access tokens.
import { tokenFormat } from '#core/identity/index';

/** Everything a user has granted a client for one resource. What is issued goes when it goes. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  /** The row of the client, not its `client_id`. */
  readonly clientId: string;
  /** RFC 8707, in the form of `canonicalResource`; empty for the REST API. */
  readonly resource: string;
  /** What was granted at any time: its tokens have no more. */
  readonly scopes: readonly string[];
  /** What the user need not be asked for again; null where the answer was not to be remembered. */
  readonly remembered: readonly string[] | null;
  /** Where the remembered answer was sent: it counts for no other place. */
  readonly redirectOrigin: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An authorization code, bound to all that it was asked for with. */
export interface AuthorizationCode {
  readonly grantId: string;
  /** The session that approved it: it is good only while that lasts. */
  readonly sessionId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly authTime: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was used up, and the family that began. */
  readonly takenAt: Date | null;
  readonly familyId: string | null;
}

/** The tokens that follow from one code, ended together. */
export interface Family {
  readonly id: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  readonly authTime: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
}

/** What an access token proves. */
export interface AccessGrant {
  readonly id: string;
  readonly userId: string;
  /** The row of the client. */
  readonly client: string;
  readonly clientId: string;
  readonly familyId: string;
  /** Of those it was issued with, the ones its client is still registered with. */
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Document A, "Token response". */
export const accessTokens = tokenFormat('svc_oat_');
/** Document A, "Token response". */
export const refreshTokens = tokenFormat('svc_ort_');

/** Document A, "Limits". */
export const codeSeconds = 600;
/** Attempts with a code that do not fit it, past which it is void. */
export const mostMisses = 5;

/** Grants of one user, for all applications and resources. */
export const mostGrants = 1000;
/** Families of refresh tokens, ended ones too until they expire: of one user, and of those for one application. */
export const mostFamilies = { ofUser: 1000, ofClient: 100 } as const;

/** 43 characters of base62: 256 bits. */
export const secretLength = 43;
/** The form of a code: what has not is not looked up. */
export const isCode = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);
