// Which refs user text may name: a short name a branch or a tag, a full name that very ref and no other.

/** No branch or tag is called so, lest two refs answer to one name. */
export const fullName = 'refs/';

/** Full names; the first that is there is meant. */
export const refsNamed = (text: string): readonly string[] =>
  text.startsWith(fullName) ? [text] : [`refs/heads/${text}`, `refs/tags/${text}`];
