// Text out of the bytes of objects: decoded by the encoding a commit names, and copied out of what surrounds it.
import { Buffer } from 'node:buffer';

/** An encoding that is not known reads as UTF-8. */
export function decoder(encoding: string): (bytes: Uint8Array) => string {
  try {
    const named = new TextDecoder(encoding.trim());
    return (bytes) => named.decode(bytes);
  } catch {
    return (bytes) => new TextDecoder().decode(bytes);
  }
}

/** A raw name (bytes as latin1) as text. */
export function decodeName(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

/** A copy: a slice would keep all that it was cut from, which may be a thousand times as long. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
