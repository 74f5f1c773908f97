// Entities of access granted to a client: grants, authorization codes, token families and access tokens.
import { tokenFormat } from '#core/identity/index';

/**
 * The access that a user has granted a client for one resource. Deleting it deletes all codes and tokens issued under
 * it.
 */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  /** The id of the client's row, not its `client_id`. */
  readonly clientId: string;
  /** The canonical resource (RFC 8707, `canonicalResource`); empty for the REST API. */
  readonly resource: string;
  /** All scopes granted so far. Tokens have no others. */
  readonly scopes: readonly string[];
  /** Scopes for which the user need not be asked again; null if the consent is not remembered. */
  readonly remembered: readonly string[] | null;
  /** The origin of the redirect URI for which the consent is remembered. */
  readonly redirectOrigin: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An authorization code, bound to the parameters of its request. */
export interface AuthorizationCode {
  readonly grantId: string;
  /** The session in which the user approved. The code is valid only while the session lasts. */
  readonly sessionId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly authTime: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The time of use, and the token family that was started. */
  readonly takenAt: Date | null;
  readonly familyId: string | null;
}

/** The tokens issued for one code. They end together. */
export interface Family {
  readonly id: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  readonly authTime: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
}

/** The access that an access token grants. */
export interface AccessGrant {
  readonly id: string;
  readonly userId: string;
  /** The id of the client's row. */
  readonly client: string;
  readonly clientId: string;
  /** The owner of the client; null if it registered itself. */
  readonly ownerId: string | null;
  readonly familyId: string;
  /** The scopes of the token that its client is still registered with. */
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The format of access tokens. */
export const accessTokens = tokenFormat('svc_oat_');
/** The format of refresh tokens. */
export const refreshTokens = tokenFormat('svc_ort_');

/** Lifetime of an authorization code in seconds. */
export const codeSeconds = 600;
/** After this many attempts with wrong parameters a code becomes invalid. */
export const mostMisses = 5;

/** Maximum number of grants per user, for all applications and resources. */
export const mostGrants = 1000;
/** Maximum number of token families, including ended ones until they expire: per user, and per user and application. */
export const mostFamilies = { ofUser: 1000, ofClient: 100 } as const;

/** 43 characters of base62: 256 bits. */
export const secretLength = 43;
/** Whether a text has the format of a code. Other texts are not looked up. */
export const isCode = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);
