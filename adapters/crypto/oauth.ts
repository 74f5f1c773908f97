// Digests of OAuth2 secrets, generation of RSA keys, and signing of ID tokens.
import { createHash, timingSafeEqual } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { exportJWK, exportPKCS8 } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { importPKCS8 } from 'jose/key/import';
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

/**
 * The most recently used signing key, cached because importing a key is the slowest step of a token exchange. Keys
 * change once a month.
 */
let last: { readonly pem: Uint8Array; readonly key: Promise<CryptoKey> } | undefined;

function signingKey(pem: Uint8Array): Promise<CryptoKey> {
  if (last === undefined || Buffer.compare(last.pem, pem) !== 0)
    last = { pem, key: importPKCS8(new TextDecoder().decode(pem), alg) };
  return last.key;
}

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
    return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(await signingKey(privateKey));
  },
};
