// Ports of the authorization server: its stores, digests and signatures.
import type { Page, PageRequest } from '#core/kernel/page';
import type { Rows } from '#core/kernel/storage/rows';
import type { Client } from './client.ts';
import type { AccessGrant, AuthorizationCode, Family, Grant } from './grant.ts';

/** The store of clients. */
export interface ClientStore extends Rows<Client> {
  /**
   * Ordered by name; newest first among equal names.
   * @param q part of a name, case-insensitively, or of a client id; undefined for all.
   */
  search(q: string | undefined, page: PageRequest): Promise<Page<Client>>;
  /**
   * Deletes up to `most` clients that registered themselves and have received no token since that time. @returns how
   * many.
   */
  pruneUnused(since: Date, most: number): Promise<number>;
}

/** The store of grants. Deleting a grant deletes everything issued under it. */
export interface GrantStore extends Rows<Grant> {
  /** @returns how many were deleted. */
  deleteAll(
    where: { readonly userId: string; readonly clientId?: string } | { readonly clientId: string },
  ): Promise<number>;
  /** Deletes up to `most` grants that are not remembered and have no valid code or token. @returns how many. */
  prune(now: Date, most: number): Promise<number>;
}

/** A stored refresh token with its family and grant. */
export interface FoundRefreshToken {
  readonly family: Family;
  readonly grant: Grant;
  readonly usedAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The store of codes and tokens, by the hash of their secret. */
export interface IssuedStore {
  insertCode(code: AuthorizationCode, hash: string): Promise<void>;
  codeByHash(hash: string): Promise<{ readonly code: AuthorizationCode; readonly grant: Grant } | undefined>;
  /**
   * Uses up a code for the family that it starts. Of several calls with one code, even concurrent ones, exactly one
   * returns true. False if the code is used up or has expired.
   */
  takeCode(hash: string, familyId: string, now: Date): Promise<boolean>;
  /** Counts an attempt with wrong parameters. After `most` attempts the code is used up. */
  missCode(hash: string, most: number, now: Date): Promise<void>;
  insertFamily(family: Family): Promise<void>;
  /**
   * Deletes families, so that after adding one the user has at most `ofUser`, and at most `ofClient` for that client.
   * Deletes ended ones first, then the oldest; up to 1,000 in one statement.
   */
  roomForFamily(
    of: { readonly userId: string; readonly clientId: string },
    most: { readonly ofUser: number; readonly ofClient: number },
  ): Promise<void>;
  /** Ends a family: its tokens become invalid. Used refresh tokens are kept, so that reuse is detected. */
  endFamily(id: string, now: Date): Promise<void>;
  insertRefreshToken(token: {
    readonly hash: string;
    readonly familyId: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<void>;
  refreshTokenByHash(hash: string): Promise<FoundRefreshToken | undefined>;
  /**
   * Uses up a refresh token of a live family. Of several calls with one token, even concurrent ones, exactly one
   * returns true. False if the token is used up or has expired, or its family has ended.
   */
  takeRefreshToken(hash: string, now: Date): Promise<boolean>;
  insertAccessToken(token: {
    readonly id: string;
    readonly hash: string;
    readonly familyId: string;
    readonly scopes: readonly string[];
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<void>;
  /**
   * An unexpired token of a live family and of a client that is not suspended. One query, because every request with a
   * token calls it.
   */
  accessTokenByHash(hash: string, now: Date): Promise<AccessGrant | undefined>;
  deleteAccessToken(hash: string): Promise<void>;
  /** Deletes expired codes, families and tokens, up to `most` of each. @returns how many in total. */
  prune(now: Date, most: number): Promise<number>;
}

/** A stored signing key. */
export interface KeptKey {
  /** The `kid` of the key. */
  readonly id: string;
  readonly publicJwk: PublicJwk;
  /** The private key, sealed under the instance's secret key. */
  readonly sealed: string;
  readonly createdAt: Date;
}

/** The members of a public RSA key (RFC 7517 and 7518). */
export interface PublicJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'RS256';
  readonly n: string;
  readonly e: string;
}

/** Digests of secrets. */
export interface Digests {
  /** SHA-256 in lower-case hex. Stored instead of a high-entropy secret. */
  hash(secret: string): string;
  /** SHA-256 in base64url without padding (RFC 7636, section 4.2). */
  challenge(verifier: string): string;
  /** The left half of SHA-256 in base64url (OpenID Connect Core, section 3.1.3.6). */
  half(token: string): string;
  /** Compares two digests in constant time for equal lengths. */
  same(one: string, other: string): boolean;
}

/** Generates RSA keys and signs ID tokens with them. */
export interface TokenSigner {
  /** @returns a new key. The private key is PKCS #8 in PEM. */
  generate(kid: string): Promise<{ readonly publicJwk: PublicJwk; readonly privateKey: Uint8Array }>;
  /** @returns a JWT signed with RS256. */
  sign(
    key: { readonly kid: string; readonly privateKey: Uint8Array },
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string>;
}
