// Validates the path to return to after sign-in, so that a link cannot redirect to another site.

/** A host that cannot exist (RFC 2606). */
const here = 'https://here.invalid';

/**
 * Returns the path and query, parsed as a browser does; undefined if they lead to another origin, such as `//evil`,
 * `/\evil` or `https:evil`.
 * @param below the path of the web pages' URL, or empty. It is removed if the text begins with it.
 */
export function returnPath(text: string, below = ''): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return undefined;
  const { origin, pathname, search } = new URL(text, here);
  // Removing dot segments may leave two slashes at the start.
  if (origin !== here || pathname.startsWith('//')) return undefined;
  return (below !== '' && pathname.startsWith(`${below}/`) ? pathname.slice(below.length) : pathname) + search;
}
