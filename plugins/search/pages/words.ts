// Words of the search pages: counts that stop at a bound, marked matches, and the help for search texts.
import { html, type Html } from 'hexforge/plugin';
import { mostCounted } from 'hexforge/search';
import { markedParts } from '#core/search/use-cases';

/** A total, of which it is only known that it is large from some number on. */
export const counted = (total: number): string =>
  total >= mostCounted ? `${mostCounted.toLocaleString('en')}+` : total.toLocaleString('en');

/** A text with marked terms. @param whole whether only whole words are marked. */
export const marked = (text: string, terms: readonly string[], whole = false): Html =>
  html`${markedParts(text, terms, { whole }).map(({ text: part, isMatch }) =>
    isMatch ? html`<mark>${part}</mark>` : part,
  )}`;

const keywords: readonly (readonly [string, string])[] = [
  ['"not found"', 'this phrase'],
  [String.raw`/parse\w+Config/`, 'lines that match this regular expression'],
  ['lang:go', 'in files of this language'],
  ['path:src/', 'in files with this in their path'],
  ['repo:owner/name', 'in this repository'],
];

/** How a search text is written, and the files that are not searched. */
export const help = html`<dl class="keywords">
    ${keywords.map(
      ([typed, finds]) =>
        html`<dt><code>${typed}</code></dt>
          <dd>${finds}</dd>`,
    )}
  </dl>
  <p class="explained">
    All words must match, in any case. Code is that of default branches, without binary and generated files, and without
    files of more than 1 MiB. A search of code needs a word of at least three letters or digits.
  </p>`;
