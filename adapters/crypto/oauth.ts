// Digests of OAuth2 secrets, RSA keys, and the ID tokens that these sign.
import { createHash, timingSafeEqual } from 'node:crypto';
import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, SignJWT } from 'jose';
import type { Digests, TokenSigner } from '#core/oauth/index';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const alg = 'RS256';

export const sha256Digests: Digests = {
  hash: (secret) => sha256(secret).toString('hex'),
  challenge: (verifier) => sha256(verifier).toString('base64url'),
  half: (token) => sha256(token).subarray(0, 16).toString('base64url'),
  same(one, other) {
    const [a, b] = [Buffer.from(one), Buffer.from(other)];
    return a.length === b.length && timingSafeEqual(a, b);
  },
};

export const rsaSigner: TokenSigner = {
  async generate(kid) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { modulusLength: 2048, extractable: true });
    const { n = '', e = '' } = await exportJWK(publicKey);
    return {
      publicJwk: { kty: 'RSA', kid, use: 'sig', alg, n, e },
      privateKey: new TextEncoder().encode(await exportPKCS8(privateKey)),
    };
  },
  async sign({ kid, privateKey }, claims) {
    const key = await importPKCS8(new TextDecoder().decode(privateKey), alg);
    return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(key);
  },
};
