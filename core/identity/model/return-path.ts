// Validates the path to return to after sign-in, so that a link cannot redirect to another site.

/** A host that cannot exist (RFC 2606). */
const here = 'https://here.invalid';

/**
 * Returns the path and query, parsed as a browser does; undefined if they lead to another origin, such as `//evil`,
 * `/\evil` or `https:evil`.
 */
export function returnPath(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return undefined;
  const { origin, pathname, search } = new URL(text, here);
  // Removing dot segments may leave two slashes at the start.
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined;
}
