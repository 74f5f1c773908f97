// Checks of ID tokens that the library leaves to its users (OpenID Connect Core 1.0, section 3.1.3.7).
import { hash, timingSafeEqual } from 'node:crypto';
import { Fault } from './faults.ts';
import { isOfTemplate, isTemplate } from './metadata.ts';
import { isObject } from './requests.ts';

/** Seconds that the clocks of the provider and of this instance may differ. */
export const clockToleranceSeconds = 60;

/** The most characters of an ID token. */
const longestToken = 100_000;
/** A longer `sub` is not valid (section 2). */
const longestSubject = 255;

export type Claims = Readonly<Record<string, unknown>>;

/** The header of a token whose signature is not verified yet. @throws {Fault} if the token is too long. */
export function headerOf(token: unknown): Readonly<Record<string, unknown>> {
  if (typeof token !== 'string') return {};
  if (token.length > longestToken) throw new Fault('invalid', `the ID token has more than ${longestToken} characters`);
  try {
    const [header = ''] = token.split('.', 1);
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export interface IdTokenContext {
  readonly clientId: string;
  /** The issuer of the metadata, which may be a template. */
  readonly issuer: string;
  /** Of the token. */
  readonly algorithm: unknown;
  readonly accessToken: string;
  /** Seconds since 1970. */
  readonly now: number;
}

/**
 * Checks claims whose signature, `iss`, `aud`, `exp` and `nonce` the library has verified.
 * @throws {Fault} `invalid`
 */
export function checkIdToken(claims: Claims, { clientId, issuer, algorithm, accessToken, now }: IdTokenContext): void {
  const { sub, iat, azp, at_hash: accessHash, iss } = claims;
  const refuse = (reason: string): never => {
    throw new Fault('invalid', reason);
  };
  if (typeof sub !== 'string' || !/^[\x21-\x7e]+$/.test(sub) || sub.length > longestSubject)
    refuse('"sub" is not 1 to 255 visible ASCII characters');
  if (typeof iat !== 'number' || iat > now + clockToleranceSeconds) refuse('"iat" is in the future');
  if (azp !== undefined && azp !== clientId) refuse('"azp" is another client');
  if (accessHash !== undefined && !isHashOf(accessHash, accessToken, algorithm))
    refuse('"at_hash" is that of another access token');
  if (isTemplate(issuer) && !(typeof iss === 'string' && isOfTemplate(issuer, iss)))
    refuse('"iss" is not an issuer of a tenant');
}

/** The left half of the hash of the signature's algorithm (section 3.1.3.6). */
function isHashOf(given: unknown, accessToken: string, algorithm: unknown): boolean {
  const size = /(256|384|512)$/.exec(String(algorithm))?.[1] ?? '512';
  const digest = hash(`sha${size}`, accessToken, 'buffer');
  const expected = Buffer.from(digest.subarray(0, digest.length / 2).toString('base64url'));
  const actual = Buffer.from(String(given));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
