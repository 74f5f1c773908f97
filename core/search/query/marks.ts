// Finds the places of search terms in a shown text, so that a page can mark them.
import { folded } from './folded.ts';
import { literalsIn } from './pattern.ts';
import { documentWords, type SearchText } from './search-text.ts';
import { wordsIn } from './words.ts';

/** A part of a text; `isMatch` if it contains a term. All parts together are the text. */
export interface MarkedPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Longer texts are not searched for terms. */
const longest = 5000;

const ascii = /^\p{ASCII}*$/u;
const letter = /[\p{L}\p{N}_]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A folded text, and for each of its code units the place in the original text where its character begins and ends. */
interface Mapped {
  readonly text: string;
  readonly begins: (at: number) => number;
  readonly ends: (at: number) => number;
}

/** Folding a text may change its length, so each character is folded by itself. */
function mapped(given: string): Mapped {
  if (ascii.test(given)) return { text: comparable(given), begins: (at) => at, ends: (at) => at };
  const begins: number[] = [];
  const ends: number[] = [];
  let text = '';
  for (const { segment, index } of graphemes.segment(given)) {
    const one = comparable(segment);
    for (let unit = 0; unit < one.length; unit += 1) {
      begins.push(index);
      ends.push(index + segment.length);
    }
    text += one;
  }
  return {
    text,
    begins: (at) => begins[at] ?? given.length,
    ends: (at) => (at === 0 ? 0 : (ends[at - 1] ?? given.length)),
  };
}

/** The lower case of sigma depends on its neighbours, which a single character does not have. */
const comparable = (text: string): string => folded(text).replaceAll('ς', 'σ');

/**
 * The parts of a text, of which some contain a term. Matching is literal, in the folded form.
 * @param whole whether only whole words match, as in documents; otherwise parts of words do, as in files.
 */
export function markedParts(text: string, terms: readonly string[], { whole = false } = {}): readonly MarkedPart[] {
  if (text.length > longest) return [{ text, isMatch: false }];
  const place = mapped(text);
  const found: (readonly [from: number, to: number])[] = [];
  for (const term of new Set(terms.map(comparable)))
    for (let at = term === '' ? -1 : place.text.indexOf(term); at >= 0; at = place.text.indexOf(term, at + term.length))
      if (!whole || isWhole(place.text, at, at + term.length))
        found.push([place.begins(at), place.ends(at + term.length)]);
  const parts: MarkedPart[] = [];
  let end = 0;
  for (const [from, to] of found.toSorted(([one], [other]) => one - other)) {
    if (to <= end) continue;
    const start = Math.max(from, end);
    if (start > end) parts.push({ text: text.slice(end, start), isMatch: false });
    parts.push({ text: text.slice(start, to), isMatch: true });
    end = to;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMatch: false });
  return parts;
}

const isWhole = (text: string, from: number, to: number): boolean =>
  !letter.test(text[from - 1] ?? ' ') && !letter.test(text[to] ?? ' ');

/**
 * The terms and literal texts of regular expressions that are marked in files, and the words that are marked in
 * documents.
 */
export const markedTerms = (
  text: SearchText,
): { readonly files: readonly string[]; readonly words: readonly string[] } => ({
  files: [...text.terms, ...text.patterns.flatMap(literalsIn)],
  words: documentWords(text).flatMap((term) => wordsIn(folded(term))),
});
