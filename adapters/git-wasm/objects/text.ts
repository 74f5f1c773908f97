// Copies strings out of larger ones.

/** Copies a string. A substring would keep the whole source in memory, which may be a thousand times as long. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
