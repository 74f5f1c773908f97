// Parses what a person types into a search: words, quoted phrases, and filters such as `lang:go`.
import { isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';
import { folded, isIndexable } from './folded.ts';
import type { SearchPattern } from './pattern.ts';
import { wordsIn } from './words.ts';

/** The bounds of a search text: characters, terms, and characters of a term. */
export const searchBounds = { query: 1000, terms: 16, term: 256 } as const;

/** A search text in its parts. */
export interface SearchText {
  /** Words and phrases without quotes, otherwise unchanged. */
  readonly terms: readonly string[];
  /** Values of `lang:`, as `languageOf` names languages. */
  readonly languages: readonly string[];
  /** Folded values of `path:`. */
  readonly paths: readonly string[];
  /** Values of `repo:`, as `owner/name`. */
  readonly repositories: readonly string[];
  /** Regular expressions, which were typed between slashes; at most two. */
  readonly patterns: readonly string[];
}

const filters = { lang: 'languages', language: 'languages', path: 'paths', repo: 'repositories' } as const;

/** Languages by other names than those of `languageOf`. */
const synonyms: Readonly<Record<string, string>> = {
  bash: 'shell',
  'c#': 'csharp',
  'c++': 'cpp',
  golang: 'go',
  js: 'javascript',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shell',
  ts: 'typescript',
  yml: 'yaml',
};

/** A regular expression between slashes. Without such a character, as in `/src/lib/`, it is plain text. */
const pattern = /^\/((?:[^/\\]|\\.)+)\/$/;
const special = /[\\.*+?()[\]{}|^$]/;
const mostPatterns = 2;

/** A token: a filter before its value, and a value in quotes or without blanks. `\"` is a quote within quotes. */
const token = /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^\s"]\S*))/gy;

/** @throws {ValidationFailed} for a text without any term or filter, or one that is too long. */
export function parseSearchText(given: string): SearchText {
  // Lone surrogates and NUL cannot be stored, so nothing contains them.
  const text = given.toWellFormed().replaceAll('\0', ' ').trim();
  if (text === '') throw new ValidationFailed('There is nothing to search for', { detail: '"q" must not be empty' });
  if (isLonger(text, searchBounds.query))
    throw new ValidationFailed('The search text is too long', {
      detail: `"q" must be at most ${searchBounds.query} characters`,
    });
  const found = {
    terms: [] as string[],
    languages: [] as string[],
    paths: [] as string[],
    repositories: [] as string[],
    patterns: [] as string[],
  };
  for (const { filter, value, quoted } of tokens(text)) {
    const [, source = ''] = quoted || filter !== undefined ? [] : (pattern.exec(value) ?? []);
    if (special.test(source) && found.patterns.length < mostPatterns) {
      found.patterns.push(source.slice(0, searchBounds.term));
      continue;
    }
    const kind =
      filter === undefined || !Object.hasOwn(filters, filter) ? 'terms' : filters[filter as keyof typeof filters];
    const whole = kind === 'terms' && filter !== undefined ? `${filter}:${value}` : value;
    const shown = kind === 'terms' ? whole : folded(value);
    if (shown.trim() !== '' && found[kind].length < searchBounds.terms) found[kind].push(clipped(shown));
  }
  return {
    ...found,
    languages: found.languages.map((name) => (Object.hasOwn(synonyms, name) ? (synonyms[name] ?? name) : name)),
  };
}

function* tokens(text: string): Generator<{
  readonly filter: string | undefined;
  readonly value: string;
  readonly quoted: boolean;
}> {
  token.lastIndex = 0;
  for (let at = 0; at < text.length;) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) {
      at += 1;
      continue;
    }
    const [whole, filter, quoted, plain] = match;
    yield quoted === undefined
      ? { filter, value: plain ?? '', quoted: false }
      : { filter, value: quoted.replaceAll(/\\(["\\])/g, '$1'), quoted: true };
    at += whole.length;
  }
}

/** One line of limited length. */
const clipped = (term: string): string => term.replaceAll(/\s+/g, ' ').slice(0, searchBounds.term).toWellFormed();

/** The terms of a search of files. */
export interface FileTerms {
  /** Terms that an index of trigrams finds; without any, files are not searched. */
  readonly terms: readonly string[];
  readonly short: readonly string[];
}

/** @param patterns whose literal texts a file contains, too. */
export function fileTerms({ terms }: SearchText, patterns: readonly Pick<SearchPattern, 'literals'>[]): FileTerms {
  const literals = patterns.flatMap((pattern) => pattern.literals);
  const all = [...new Set([...terms.map(folded), ...literals])].slice(0, searchBounds.terms);
  return { terms: all.filter(isIndexable), short: all.filter((term) => !isIndexable(term)) };
}

/** The words and phrases of a search of documents. */
export const documentWords = ({ terms }: SearchText): readonly string[] =>
  [...new Set(terms)].filter((term) => wordsIn(folded(term)).length > 0);

/** The name of a search of symbols: words are parts of one name. Undefined without any. */
export function symbolName({ terms }: SearchText): string | undefined {
  const name = folded(terms.join('')).replaceAll(/\s+/g, '').slice(0, searchBounds.term);
  return name === '' ? undefined : name;
}
