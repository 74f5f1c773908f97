// Personal access tokens, and the format of all tokens: a prefix, 30 random characters, and a checksum that detects
// typing errors without a database query.
import type { Ids } from '#core/kernel/time';
import { encodeBase62, randomBase62 } from './base62.ts';

/** The prefix of every personal access token. */
export const tokenPrefix = 'svc_';
/** In UTF-16 code units, which JSON Schema's maxLength approximates. */
export const tokenNameLimit = 100;
const randomLength = 30;
const checksumLength = 6;
const checksum = (text: string): string => encodeBase62(crc32(text), checksumLength);
const body = /^[0-9A-Za-z]+$/;

/** A personal access token as shown to its owner, without the secret. */
export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** Names of personal-access-token scopes. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** Undefined: the token never expires. Checked by the query that authenticates each request with a token. */
  readonly expiresAt: Date | undefined;
  /** Accurate to one minute. */
  readonly lastUsedAt: Date | undefined;
}

/** The format of one kind of token, identified by its prefix. */
export interface TokenFormat {
  readonly prefix: string;
  /** Generates a secret. It is shown once and stored as a hash. */
  mint(ids: Ids): string;
  /** Whether a string has the format and a correct checksum. This does not authenticate it. */
  is(text: string): boolean;
}

/** Returns the format of tokens with this prefix. */
export const tokenFormat = (prefix: string): TokenFormat => ({
  prefix,
  mint(ids) {
    const secret = prefix + randomBase62(ids, randomLength);
    return secret + checksum(secret);
  },
  is: (text) =>
    text.length === prefix.length + randomLength + checksumLength &&
    text.startsWith(prefix) &&
    body.test(text.slice(prefix.length)) &&
    checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength),
});

/** The format of personal access tokens. */
export const { mint: mintToken, is: isToken } = tokenFormat(tokenPrefix);

const someToken = /^(svc_(?:[a-z]{1,16}_)?)[0-9A-Za-z]{36}$/;
const someSession = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Whether a text has the format of any token of this instance, valid or not. Such a text is never tried as a password.
 */
export function hasTokenForm(text: string): boolean {
  const [, prefix] = someToken.exec(text) ?? [];
  return prefix === undefined ? someSession.test(text) : tokenFormat(prefix).is(text);
}

/** CRC lookup table: the result of eight steps for each value of the lowest byte. */
const crcSteps = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Computes the CRC-32 of ASCII text (ISO 3309, as in zlib). */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1)
    crc = (crc >>> 8) ^ (crcSteps[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
