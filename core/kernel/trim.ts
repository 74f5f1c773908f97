// Trimming in time linear in the text: a regular expression such as /x+$/ begins anew at every run of x inside it.

type Edge = (character: string) => boolean;

/** The text without such characters at its start. */
export function trimStart(text: string, isEdge: Edge): string {
  let start = 0;
  while (start < text.length && isEdge(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** The text without such characters at its end. */
export function trimEnd(text: string, isEdge: Edge): string {
  let end = text.length;
  while (end > 0 && isEdge(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without such characters at both ends. */
export const trim = (text: string, isEdge: Edge): string => trimEnd(trimStart(text, isEdge), isEdge);
