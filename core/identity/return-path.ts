// Where somebody goes on after signing in: a place of this instance, whoever wrote the link.

/** A host that there cannot be (RFC 2606). */
const here = 'https://here.invalid';

/**
 * A path of this instance with its query, read as a browser would: undefined for what leads it elsewhere, such as
 * `//evil`, `/\evil` or `https:evil`.
 */
export function returnPath(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return undefined;
  const { origin, pathname, search } = new URL(text, here);
  // Dot segments that were taken out may have left two slashes at the beginning.
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined;
}
