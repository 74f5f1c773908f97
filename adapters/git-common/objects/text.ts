// Converts bytes of objects to text, and copies strings out of larger ones.

/** Decodes a raw name (bytes as latin1) as UTF-8. */
export function decodeName(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

/** Copies a string. A substring would keep the whole source in memory, which may be a thousand times as long. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
