// A personal access token, and the format of all tokens: a prefix, 30 random characters, and a checksum that tells a
// typo from a token before anything is looked up.
import type { Ids } from '#core/kernel/time';
import { encodeBase62, randomBase62 } from './base62.ts';

/** What every personal access token begins with. */
export const tokenPrefix = 'svc_';
/** In UTF-16 units, as JSON Schema's maxLength nearly is. */
export const tokenNameLimit = 100;
const randomLength = 30;
const checksumLength = 6;
const checksum = (text: string): string => encodeBase62(crc32(text), checksumLength);
const body = /^[0-9A-Za-z]+$/;

/** A personal access token as its owner sees it, without the secret. */
export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** Names of personal-access-token scopes. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /**
   * Undefined: never. After this it is refused: a condition of the one query that every request with a token begins
   * with.
   */
  readonly expiresAt: Date | undefined;
  /** Within a minute. */
  readonly lastUsedAt: Date | undefined;
}

/** One kind of token, by what it begins with. */
export interface TokenFormat {
  readonly prefix: string;
  /** A new secret. It is shown once and stored as a hash. */
  mint(ids: Ids): string;
  /** Whether a string has the form and the checksum of a token. It proves nothing else. */
  is(text: string): boolean;
}

/** The format of the tokens that begin with `prefix`. */
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

/** Of personal access tokens. */
export const { mint: mintToken, is: isToken } = tokenFormat(tokenPrefix);

const someToken = /^(svc_(?:[a-z]{1,16}_)?)[0-9A-Za-z]{36}$/;
const someSession = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** Whether a text has the form of a token of this instance, of any kind, good or not: then it is nobody's password. */
export function hasTokenForm(text: string): boolean {
  const [, prefix] = someToken.exec(text) ?? [];
  return prefix === undefined ? someSession.test(text) : tokenFormat(prefix).is(text);
}

/** What eight steps of the register come to, by its lowest byte. */
const crcSteps = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 (ISO 3309, as zlib's) of ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1)
    crc = (crc >>> 8) ^ (crcSteps[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
