// Authenticated encryption of small secrets (AES-256-GCM), and keys derived from the instance's one key.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from '#core/kernel/credentials';
import { Internal } from '#core/kernel/errors';

const version = 'v1';
const nonceBytes = 12;
const tagBytes = 16;

/** @param key 32 bytes, secret. @throws {RangeError} for a key of another length. */
export function aesSealer(key: Uint8Array): Sealer {
  if (key.length !== 32) throw new RangeError(`the instance's key has ${key.length} bytes; it needs 32`);
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), `hexforge:${purpose}`, 32));
  // The key itself encrypts nothing, so that a derived key says nothing about it.
  const sealing = derive('seal');
  const broken = (cause?: unknown): Internal =>
    new Internal('A sealed secret cannot be opened', { detail: 'It was sealed under another key, or altered', cause });

  return {
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${sealed.toString('base64url')}`;
    },
    open(sealed) {
      const [prefix, text, more] = sealed.split('.');
      const bytes = Buffer.from(text ?? '', 'base64url');
      if (prefix !== version || more !== undefined || bytes.length < nonceBytes + tagBytes) throw broken();
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        return new Uint8Array(
          Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]),
        );
      } catch (error) {
        throw broken(error);
      }
    },
    derive,
  } satisfies Sealer;
}
