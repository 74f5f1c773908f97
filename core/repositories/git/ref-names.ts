// Maps ref names that users write to full names: a short name is a branch or a tag, a full name is only that ref.

/** Branches and tags must not begin with this, so that a name never matches two refs. */
export const fullName = 'refs/';

/** Full names in order of precedence. The first that exists is used. */
export const refsNamed = (text: string): readonly string[] =>
  text.startsWith(fullName) ? [text] : [`refs/heads/${text}`, `refs/tags/${text}`];
