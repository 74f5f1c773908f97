// Trims text in linear time. A regular expression such as /x+$/ takes quadratic time on a long run of x inside the
// text, because it tries again from every x of the run.

type Edge = (character: string) => boolean;

/** The text without leading characters for which `isEdge` is true. */
export function trimStart(text: string, isEdge: Edge): string {
  let start = 0;
  while (start < text.length && isEdge(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** The text without trailing characters for which `isEdge` is true. */
export function trimEnd(text: string, isEdge: Edge): string {
  let end = text.length;
  while (end > 0 && isEdge(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without leading and trailing characters for which `isEdge` is true. */
export const trim = (text: string, isEdge: Edge): string => trimEnd(trimStart(text, isEdge), isEdge);
