// Decryption of assertions (XML Encryption 1.1): RSA-OAEP for the key, AES-GCM for the content.
import { constants, createDecipheriv, privateDecrypt } from 'node:crypto';
import { spaces } from './names.ts';
import { refused } from './refusals.ts';
import { attributeOf, childrenOf, everyElement, textOf, type XmlElement } from './xml.ts';

interface Cipher {
  readonly name: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' | 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc';
  readonly keyBytes: number;
}
const gcm: Readonly<Record<string, Cipher>> = {
  [`${spaces.encryption11}aes128-gcm`]: { name: 'aes-128-gcm', keyBytes: 16 },
  [`${spaces.encryption11}aes192-gcm`]: { name: 'aes-192-gcm', keyBytes: 24 },
  [`${spaces.encryption11}aes256-gcm`]: { name: 'aes-256-gcm', keyBytes: 32 },
};
const cbc: Readonly<Record<string, Cipher>> = {
  [`${spaces.encryption}aes128-cbc`]: { name: 'aes-128-cbc', keyBytes: 16 },
  [`${spaces.encryption}aes192-cbc`]: { name: 'aes-192-cbc', keyBytes: 24 },
  [`${spaces.encryption}aes256-cbc`]: { name: 'aes-256-cbc', keyBytes: 32 },
};

/** Digests of OAEP. SHA-1 is the only one of `rsa-oaep-mgf1p` in practice; OAEP does not rely on its collisions. */
const oaepDigests: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
};
const maskDigests: Readonly<Record<string, string>> = {
  [`${spaces.encryption11}mgf1sha1`]: 'sha1',
  [`${spaces.encryption11}mgf1sha256`]: 'sha256',
  [`${spaces.encryption11}mgf1sha512`]: 'sha512',
};

const known = <T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

function only(element: XmlElement, space: string, local: string): XmlElement {
  const [one, second] = childrenOf(element, space, local);
  if (one === undefined || second !== undefined) throw refused('saml_encryption', `There is no single ${local}`);
  return one;
}

function cipherValue(element: XmlElement): Buffer {
  const text = textOf(only(only(element, spaces.encryption, 'CipherData'), spaces.encryption, 'CipherValue'));
  const compact = text.replace(/[ \t\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw refused('saml_encryption', 'A cipher value is not base64');
  return Buffer.from(compact, 'base64');
}

/** The digest of OAEP and of its mask. node:crypto uses one for both. */
function oaepHash(method: XmlElement): string {
  const [digest] = childrenOf(method, spaces.signature, 'DigestMethod');
  const hash = digest === undefined ? 'sha1' : known(oaepDigests, attributeOf(digest, 'Algorithm'));
  const [mask] = childrenOf(method, spaces.encryption11, 'MGF');
  const ofMask = mask === undefined ? 'sha1' : known(maskDigests, attributeOf(mask, 'Algorithm'));
  const algorithm = attributeOf(method, 'Algorithm');
  const isOaep =
    algorithm === `${spaces.encryption11}rsa-oaep` ||
    (algorithm === `${spaces.encryption}rsa-oaep-mgf1p` && mask === undefined);
  if (!isOaep || hash === undefined || hash !== ofMask)
    throw refused('saml_algorithm', 'The key of the assertion must be encrypted with RSA-OAEP');
  return hash;
}

/**
 * Decrypts the content of an `EncryptedAssertion`.
 * @param authentic whether a signature over the ciphertext has been verified. AES-CBC does not protect the ciphertext:
 * without such a signature an attacker could derive the plaintext from the answers to changed ciphertexts.
 * @returns XML that is not verified yet. @throws {Forbidden}
 */
export function decryptAssertion(encrypted: XmlElement, privateKey: string, authentic: boolean): string {
  const data = only(encrypted, spaces.encryption, 'EncryptedData');
  const algorithm = attributeOf(only(data, spaces.encryption, 'EncryptionMethod'), 'Algorithm');
  const cipher = known(gcm, algorithm) ?? known(cbc, algorithm);
  if (cipher === undefined) throw refused('saml_algorithm', 'The assertion must be encrypted with AES-GCM');
  const isGcm = known(gcm, algorithm) !== undefined;
  if (!isGcm && !authentic)
    throw refused('saml_algorithm', 'AES-CBC is accepted in a signed response only; use AES-GCM');
  const keys = everyElement(encrypted).filter(
    ({ space, local }) => space === spaces.encryption && local === 'EncryptedKey',
  );
  const [key] = keys;
  if (key === undefined || keys.length > 1) throw refused('saml_encryption', 'There is no single EncryptedKey');
  const hash = oaepHash(only(key, spaces.encryption, 'EncryptionMethod'));
  try {
    const secret = privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash },
      cipherValue(key),
    );
    if (secret.length !== cipher.keyBytes) throw new Error('the key has another length than the cipher needs');
    const bytes = cipherValue(data);
    const plain = isGcm ? openedGcm(cipher, secret, bytes) : openedCbc(cipher, secret, bytes);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch (error) {
    // One answer for every cause, so that it does not help to guess the plaintext.
    throw refused('saml_encryption', undefined, error);
  }
}

function openedGcm({ name }: Cipher, secret: Buffer, bytes: Buffer): Buffer {
  if (bytes.length < 12 + 16) throw new Error('the ciphertext is too short');
  const decipher = createDecipheriv(name as 'aes-256-gcm', secret, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}

/** The padding of XML Encryption, section 5.2.2: the last byte is its length; the others are arbitrary. */
function openedCbc({ name }: Cipher, secret: Buffer, bytes: Buffer): Buffer {
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Error('the ciphertext has no whole blocks');
  const decipher = createDecipheriv(name, secret, bytes.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > 16) throw new Error('the padding is wrong');
  return padded.subarray(0, -padding);
}
