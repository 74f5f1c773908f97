// Converts bytes of objects to text: decodes them by the encoding that a commit names, and copies strings out of larger
// ones.

/** A decoder for the encoding; for UTF-8 if the encoding is unknown. */
export function decoder(encoding: string): (bytes: Uint8Array) => string {
  try {
    const named = new TextDecoder(encoding.trim());
    return (bytes) => named.decode(bytes);
  } catch {
    return (bytes) => new TextDecoder().decode(bytes);
  }
}

/** Decodes a raw name (bytes as latin1) as UTF-8. */
export function decodeName(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

/** Copies a string. A substring would keep the whole source in memory, which may be a thousand times as long. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
