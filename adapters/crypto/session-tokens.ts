// Tokens of sessions as JWTs (RFC 7519), with the algorithm, type, issuer and audience fixed.
import { hash } from 'node:crypto';
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { SessionTokens, TokenHasher } from '#core/identity/index';

/**
 * The type and the audience of both kinds of tokens. They differ from those of other JWTs of this instance, so that
 * none is accepted in place of another.
 */
const uses = {
  api: { typ: 'svc-session+jwt', path: '/api/v1' },
  pages: { typ: 'svc-page-session+jwt', path: '/-/' },
} as const;
const alg = 'HS256';
/** Characters. No token issued here is longer; longer ones are rejected without being parsed. */
const maxLength = 2048;

export interface SessionTokenOptions {
  /** 32 bytes, from `Sealer.derive`. */
  readonly key: Uint8Array;
  /** The issuer claim, and the prefix of the audience claim. */
  readonly issuer: string;
  /** Default: `api`. */
  readonly use?: keyof typeof uses;
}

export function jwtSessionTokens({ key, issuer, use = 'api' }: SessionTokenOptions): SessionTokens {
  const { typ, path } = uses[use];
  const audience = issuer + path;
  // Imported once: given raw bytes, jose would import the key for every request.
  const ready = crypto.subtle.importKey('raw', key.slice(), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  return {
    issue: async ({ sessionId, userId }, issuedAt, expiresAt) =>
      new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg, typ })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await ready),

    async read(token, now) {
      if (token.length > maxLength) return undefined;
      try {
        const { payload } = await jwtVerify(token, await ready, {
          algorithms: [alg],
          typ,
          issuer,
          audience,
          currentDate: now,
          requiredClaims: ['exp', 'sub', 'sid'],
        });
        const { sid, sub } = payload;
        return typeof sid === 'string' && typeof sub === 'string' ? { sessionId: sid, userId: sub } : undefined;
      } catch (error) {
        if (error instanceof JOSEError) return undefined;
        throw error;
      }
    },
  } satisfies SessionTokens;
}

export const sha256Hasher: TokenHasher = {
  hash: (secret) => hash('sha256', secret, 'hex'),
};
