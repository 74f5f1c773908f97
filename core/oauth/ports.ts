// What the authorization server asks of the world: its stores, digests, and signatures.
import type { Page, PageRequest } from '#core/kernel/page';
import type { Rows } from '#core/kernel/rows';
import type { Client } from './client.ts';
import type { AccessGrant, AuthorizationCode, Family, Grant } from './grant.ts';

/** Where clients are kept. */
export interface ClientStore extends Rows<Client> {
  /**
   * By name, newest first where names are equal.
   * @param q part of a name, in any case, or of a client id; undefined for all.
   */
  search(q: string | undefined, page: PageRequest): Promise<Page<Client>>;
  /** Removes up to `most` that registered themselves and were given no token since. @returns how many. */
  pruneUnused(since: Date, most: number): Promise<number>;
}

/** Where grants are kept: with one goes all that was issued under it. */
export interface GrantStore extends Rows<Grant> {
  /** @returns how many there were. */
  deleteAll(
    where: { readonly userId: string; readonly clientId?: string } | { readonly clientId: string },
  ): Promise<number>;
  /** Removes up to `most` that are not remembered and under which nothing lives any more. @returns how many. */
  prune(now: Date, most: number): Promise<number>;
}

/** A refresh token as it is found. */
export interface FoundRefreshToken {
  readonly family: Family;
  readonly grant: Grant;
  readonly usedAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Where codes and tokens are kept, by the hash of their secret. */
export interface IssuedStore {
  insertCode(code: AuthorizationCode, hash: string): Promise<void>;
  codeByHash(hash: string): Promise<{ readonly code: AuthorizationCode; readonly grant: Grant } | undefined>;
  /**
   * Uses a code up for the family it starts. Of several calls with one code, also at the same moment, one alone is
   * true. False where it is used up or has expired.
   */
  takeCode(hash: string, familyId: string, now: Date): Promise<boolean>;
  /** Counts an attempt that did not fit; at `most` the code is used up. */
  missCode(hash: string, most: number, now: Date): Promise<void>;
  insertFamily(family: Family): Promise<void>;
  /**
   * Removes families, so that with one more the user has `ofUser` at most, and `ofClient` under grants to that client:
   * those that have ended first, then the oldest; up to 1,000 in one statement.
   */
  roomForFamily(
    of: { readonly userId: string; readonly clientId: string },
    most: { readonly ofUser: number; readonly ofClient: number },
  ): Promise<void>;
  /** Ends a family: none of its tokens is good from here on, and its used ones are known still. */
  endFamily(id: string, now: Date): Promise<void>;
  insertRefreshToken(token: {
    readonly hash: string;
    readonly familyId: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<void>;
  refreshTokenByHash(hash: string): Promise<FoundRefreshToken | undefined>;
  /**
   * Uses up a refresh token of a living family. Of several calls with one token, also at the same moment, one alone is
   * true. False where it is used up, has expired, or its family has ended.
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
   * A token that has not expired, of a living family and a client that is not suspended. One query: it runs on every
   * request.
   */
  accessTokenByHash(hash: string, now: Date): Promise<AccessGrant | undefined>;
  deleteAccessToken(hash: string): Promise<void>;
  /** Removes codes, families and tokens that have expired, up to `most` of each. @returns how many in all. */
  prune(now: Date, most: number): Promise<number>;
}

/** A signing key as it is kept. */
export interface KeptKey {
  /** Its `kid`. */
  readonly id: string;
  readonly publicJwk: PublicJwk;
  /** The private key, sealed under the instance's key. */
  readonly sealed: string;
  readonly createdAt: Date;
}

/** RFC 7517 and 7518, the members of a public RSA key. */
export interface PublicJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'RS256';
  readonly n: string;
  readonly e: string;
}

/** What is computed over secrets. */
export interface Digests {
  /** SHA-256 in lower-case hex: what is stored in place of a secret of high entropy. */
  hash(secret: string): string;
  /** SHA-256 in base64url without padding (RFC 7636, section 4.2). */
  challenge(verifier: string): string;
  /** The left half of SHA-256 in base64url (OpenID Connect Core, section 3.1.3.6). */
  half(token: string): string;
  /** Whether two digests are equal, in the same time for any two of one length. */
  same(one: string, other: string): boolean;
}

/** RSA keys and the ID tokens they sign. */
export interface TokenSigner {
  /** @returns a new key, the private half as PKCS #8 in PEM. */
  generate(kid: string): Promise<{ readonly publicJwk: PublicJwk; readonly privateKey: Uint8Array }>;
  /** @returns a JWT signed with RS256. */
  sign(
    key: { readonly kid: string; readonly privateKey: Uint8Array },
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string>;
}
