// Key pairs of this instance, with a self-signed certificate, the form that public keys have in metadata.
import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** An RSA key pair. */
export interface SamlKeys {
  /** In base64. */
  readonly certificate: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

/** An element of DER (ITU-T X.690). */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = content.length < 0x1_00 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const tags = { integer: 0x02, bits: 0x03, null: 0x05, oid: 0x06, text: 0x0c, time: 0x18, sequence: 0x30, set: 0x31 };
const version3 = der(0xa0, der(tags.integer, Buffer.from([2])));
/** sha256WithRSAEncryption */
const algorithm = der(tags.sequence, der(tags.oid, Buffer.from('2a864886f70d01010b', 'hex')), der(tags.null));
const commonName = der(tags.oid, Buffer.from('550403', 'hex'));
/** The time that means "no end" (RFC 5280, section 4.1.2.5). */
const noEnd = '99991231235959Z';

const timeText = (time: Date): string => `${time.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;

/**
 * A new RSA key pair.
 * @param name at most 64 characters, for the subject of the certificate. @param bits of the modulus.
 */
export async function makeSamlKeys(name: string, now: Date, bits = 3072): Promise<SamlKeys> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const subject = der(tags.sequence, der(tags.set, der(tags.sequence, commonName, der(tags.text, Buffer.from(name)))));
  const time = (text: string): Buffer => der(tags.time, Buffer.from(text));
  const body = der(
    tags.sequence,
    version3,
    der(tags.integer, serial),
    algorithm,
    subject,
    der(tags.sequence, time(timeText(now)), time(noEnd)),
    subject,
    publicKey,
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(tags.sequence, body, algorithm, der(tags.bits, Buffer.from([0]), signature));
  return { certificate: certificate.toString('base64'), privateKey };
}
