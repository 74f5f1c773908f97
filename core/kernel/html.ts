// Characters that mean something in HTML.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The entity of a character that means something in HTML; any other as it is. */
export const htmlEntity = (character: string): string => entities[character] ?? character;
