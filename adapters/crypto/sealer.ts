// Authenticated encryption of small secrets (AES-256-GCM) under the keys of the instance, and derivation of further
// keys.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from '#core/kernel/access/credentials';
import { Internal } from '#core/kernel/errors';

/** The keys of an instance, 32 bytes each. */
export interface KeyRing {
  /**
   * All keys, newest first. The newest seals; the older ones only open existing secrets. The oldest is the input of
   * `derive`.
   */
  all(): readonly Uint8Array[];
  /** Reads the keys again, because another process may have added one. */
  reload(): void;
}

/**
 * A sealed secret is `v2.KEY.TEXT`: the id of the key, then nonce, ciphertext and tag in base64url. The additional
 * authenticated data are `v2.KEY.` and the subject of the secret. The older form `v1.TEXT` has no additional data;
 * there the plaintext begins with a line that holds the subject.
 */
const version = 'v2';
const nonceBytes = 12;
const tagBytes = 16;
const none = new Uint8Array();

const derived = (key: Uint8Array, purpose: string, length = 32): Uint8Array => {
  if (key.length !== 32) throw new RangeError(`the instance's key has ${key.length} bytes; it needs 32`);
  return new Uint8Array(hkdfSync('sha256', key, none, `hexforge:${purpose}`, length));
};

/**
 * A sealing key and its id, both derived from a key of the instance, which itself encrypts nothing. The id therefore
 * reveals nothing about the key.
 */
interface SealingKey {
  readonly id: string;
  readonly key: Uint8Array;
}
const sealingKey = (key: Uint8Array): SealingKey => ({
  id: Buffer.from(derived(key, 'key-id', 6)).toString('base64url'),
  key: derived(key, 'seal'),
});

/**
 * Creates a sealer.
 * @param given one key, or a ring of several.
 * @throws {RangeError} if a key is not 32 bytes long, or if there is no key.
 */
export function aesSealer(given: Uint8Array | KeyRing): Sealer {
  const ring: KeyRing = given instanceof Uint8Array ? { all: () => [given], reload: () => undefined } : given;
  const made = new WeakMap<Uint8Array, SealingKey>();
  const keys = (): readonly SealingKey[] =>
    ring.all().map((key) => {
      const known = made.get(key) ?? sealingKey(key);
      made.set(key, known);
      return known;
    });
  const newest = (): SealingKey => {
    const [first] = keys();
    if (first === undefined) throw new RangeError('the instance has no key');
    return first;
  };
  newest();
  const broken = (cause?: unknown): Internal =>
    new Internal('A sealed secret cannot be opened', { detail: 'It was sealed under another key, or altered', cause });

  const decrypted = (key: Uint8Array, text: string, additional: string): Uint8Array => {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < nonceBytes + tagBytes) throw broken();
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    if (additional !== '') decipher.setAAD(Buffer.from(additional));
    try {
      return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]));
    } catch (error) {
      throw broken(error);
    }
  };

  const openedOld = (text: string, about: string): Uint8Array => {
    for (const { key } of keys())
      try {
        const plain = decrypted(key, text, '');
        const line = about === '' ? none : Buffer.from(`${about}\n`);
        if (Buffer.compare(plain.subarray(0, line.length), line) !== 0) throw broken();
        return plain.subarray(line.length);
      } catch {
        // `v1` does not name its key, so the next key is tried.
      }
    throw broken();
  };

  const byId = (id: string): SealingKey | undefined => keys().find((key) => key.id === id);

  return {
    seal(plain, about = '') {
      const { id, key } = newest();
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(`${version}.${id}.${about}`));
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${id}.${sealed.toString('base64url')}`;
    },
    open(sealed, about = '') {
      const [form, ...parts] = sealed.split('.');
      const [id = '', text = ''] = parts;
      if (form === 'v1' && parts.length === 1) return openedOld(id, about);
      if (form !== version || parts.length !== 2) throw broken();
      if (byId(id) === undefined) ring.reload();
      const known = byId(id);
      if (known === undefined) throw broken();
      return decrypted(known.key, text, `${version}.${id}.${about}`);
    },
    outdated: (sealed) => !sealed.startsWith(`${version}.${newest().id}.`),
    derive: (purpose) => derived(ring.all().at(-1) ?? none, purpose),
  } satisfies Sealer;
}
