// Escapes characters that are special in HTML.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the HTML entity of a special character, and every other character unchanged. */
export const htmlEntity = (character: string): string => entities[character] ?? character;
