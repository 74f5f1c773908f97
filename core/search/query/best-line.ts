// Finds the line of a file that shows best why it matches, with its neighbours as a snippet.
import { folded } from './folded.ts';

/** The line that is shown for a file. */
export interface BestLine {
  /** 1-based. */
  readonly line: number;
  /** The line, and one before and after it; long lines are cut around the match. */
  readonly snippet: string;
  /** The 1-based number of the first line of the snippet. */
  readonly firstLine: number;
  /** Greater is better. */
  readonly quality: number;
}

/** Characters of a line in a snippet. */
const widest = 200;
/** Characters of a line that is looked at. */
const looked = 4000;

/** Added to the quality of the line of a definition. */
const definition = 10;

/** Lines that are looked at, as many as are indexed. */
const mostLines = 50_000;

/** Words before a name that is being defined, in most languages. */
const defining =
  /\b(?:class|const|def|defmodule|enum|fn|fun|func|function|impl|interface|let|macro|module|namespace|object|package|record|static|struct|trait|type|typedef|val|var|void)\s/;
/** Characters between such a keyword and the name, and the most of them, with the keyword. */
const isBetween = /[\w.:<>*&\s]/;
const between = 70;
const isWordEnd = /[\p{L}\p{N}_]/u;

/**
 * @param terms folded.
 * @param options.definedAt the line of a definition of a term, which is preferred.
 * @param options.test other lines are passed over; called for lines that contain a term.
 * @returns undefined if no line contains any of the terms.
 */
export function bestLine(
  text: string,
  terms: readonly string[],
  {
    definedAt,
    test = () => true,
  }: { readonly definedAt?: number | undefined; readonly test?: (line: string) => boolean } = {},
): BestLine | undefined {
  let best: { readonly at: number; readonly quality: number; readonly start: number } | undefined;
  let before = 0;
  let start = 0;
  // Folding keeps the number of lines. The whole text is folded at once, because a file may have very many lines.
  const searched = folded(text);
  for (let at = 0, from = 0; at < mostLines && from <= searched.length; at += 1) {
    const end = endOf(searched, from);
    const found = qualityOf(searched.slice(from, Math.min(end, from + looked)), terms);
    const quality = found > 0 && at + 1 === definedAt ? found + definition : found;
    const shown = (): string => text.slice(start, Math.min(endOf(text, start), start + looked));
    if (quality > (best?.quality ?? 0) && test(shown())) best = { at, quality, start: at === 0 ? start : before };
    before = start;
    start = endOf(text, start) + 1;
    from = end + 1;
  }
  if (best === undefined) return undefined;
  const first = Math.max(0, best.at - 1);
  const shown: string[] = [];
  for (let line = first, from = best.start; line <= best.at + 1 && from <= text.length; line += 1) {
    const end = endOf(text, from);
    shown.push(cut(text.slice(from, Math.min(end, from + looked)), line === best.at ? terms : []));
    from = end + 1;
  }
  return { line: best.at + 1, firstLine: first + 1, snippet: shown.join('\n'), quality: best.quality };
}

function endOf(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
}

/** The sum over the terms that the line contains: 1, more for a whole word, and more for a definition. */
function qualityOf(line: string, terms: readonly string[]): number {
  let quality = 0;
  for (const term of terms) {
    const place = line.indexOf(term);
    if (place < 0) continue;
    const isWhole = !isWordEnd.test(line[place - 1] ?? ' ') && !isWordEnd.test(line[place + term.length] ?? ' ');
    quality += 10 + (isWhole ? 5 : 0) + (isWhole && isDefined(line, place) ? 5 : 0);
  }
  return quality;
}

/** Whether the name at this place follows a word that defines it. */
function isDefined(line: string, place: number): boolean {
  let start = place;
  while (start > 0 && place - start < between && isBetween.test(line[start - 1] ?? '')) start -= 1;
  return defining.test(line.slice(start, place));
}

/** At most `widest` characters of a line, around the first term. */
function cut(given: string, terms: readonly string[]): string {
  const line = given.trimEnd();
  if (line.length <= widest) return line;
  const places = terms.map((term) => folded(line).indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(Math.min(...places, line.length) - widest / 4, line.length - widest));
  return `${start > 0 ? '…' : ''}${line.slice(start, start + widest)}…`.toWellFormed();
}
