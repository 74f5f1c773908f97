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

/** What the line of a definition adds to its quality. */
const definition = 10;

/** Words before a name that is being defined, in most languages. */
const defining =
  /\b(?:class|const|def|defmodule|enum|fn|fun|func|function|impl|interface|let|macro|module|namespace|object|package|record|static|struct|trait|type|typedef|val|var|void)\s+[\w.:<>*&\s]{0,60}$/;
const isWordEnd = /[\p{L}\p{N}_]/u;

/**
 * @param terms folded.
 * @param definedAt the line of a definition of a term, which is preferred.
 * @returns undefined if no line contains any of the terms.
 */
export function bestLine(text: string, terms: readonly string[], definedAt?: number): BestLine | undefined {
  let best: { readonly at: number; readonly quality: number } | undefined;
  let at = 0;
  const lines: string[] = [];
  for (let start = 0; start <= text.length; at += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + looked));
    lines.push(line);
    const found = qualityOf(folded(line), terms);
    const quality = found > 0 && at + 1 === definedAt ? found + definition : found;
    if (quality > 0 && quality > (best?.quality ?? 0)) best = { at, quality };
    if (newline < 0) break;
    start = end + 1;
  }
  if (best === undefined) return undefined;
  const first = Math.max(0, best.at - 1);
  const shown = lines.slice(first, best.at + 2).map((line, place) => cut(line, first + place === best.at ? terms : []));
  return { line: best.at + 1, firstLine: first + 1, snippet: shown.join('\n'), quality: best.quality };
}

/** The sum over the terms that the line contains: 1, more for a whole word, and more for a definition. */
function qualityOf(line: string, terms: readonly string[]): number {
  let quality = 0;
  for (const term of terms) {
    const place = line.indexOf(term);
    if (place < 0) continue;
    const isWhole = !isWordEnd.test(line[place - 1] ?? ' ') && !isWordEnd.test(line[place + term.length] ?? ' ');
    const isDefined = isWhole && defining.test(line.slice(Math.max(0, place - 100), place));
    quality += 10 + (isWhole ? 5 : 0) + (isDefined ? 5 : 0);
  }
  return quality;
}

/** At most `widest` characters of a line, around the first term. */
function cut(given: string, terms: readonly string[]): string {
  const line = given.replace(/\s+$/, '');
  if (line.length <= widest) return line;
  const places = terms.map((term) => folded(line).indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(Math.min(...places, line.length) - widest / 4, line.length - widest));
  return `${start > 0 ? '…' : ''}${line.slice(start, start + widest)}…`.toWellFormed();
}
