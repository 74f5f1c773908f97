// Ranked search for the issues of a repository. Falls back to similar titles if no issue contains the words of the
// query.
import { ValidationFailed } from '#core/kernel/errors';
import type { Reading } from '../model/held-issue.ts';
import type { IssueView } from '../model/issue.ts';
import { listedIssues, textShare, withShares } from './listed.ts';
import type { IssueParts } from '../model/parts.ts';
import type { Facet, FacetCount, RankedIssue, SearchText } from '../model/ports.ts';

/** Limits of a search. */
export const searchBounds = {
  /** Characters of a query. Also the limit of `q` in the list of issues. */
  query: 256,
  /** Words of a query that are searched; further ones are ignored. */
  words: 32,
  /** How many issues a search returns, by default and at most. */
  limit: { default: 25, most: 100 },
  /** Only this many of the newest matching issues are ranked. */
  ranked: 200,
  /** Only this many of the newest matching issues are counted for facets. */
  counted: 2000,
  /** How many values of each facet are returned, the most frequent first. */
  values: 10,
} as const;

export interface SearchCommand {
  readonly q: string;
  readonly limit: number;
  readonly facets?: boolean | undefined;
}

/** Counts per facet, the most frequent first. Labels are given by name. */
export type FacetValues = Readonly<Record<Facet, readonly Omit<FacetCount, 'facet'>[]>>;

export interface SearchResult {
  readonly hits: readonly (IssueView & Pick<RankedIssue, 'rank'>)[];
  /** Undefined if the caller did not request facets. */
  readonly facets: FacetValues | undefined;
}

type Parts = Pick<IssueParts, 'searches' | 'planning' | 'associations'>;

/** @throws {ValidationFailed} */
export const searchIssues =
  (parts: Parts) =>
  async ({ resource: { id } }: Reading, { q, limit, facets: counted }: SearchCommand): Promise<SearchResult> => {
    if (q.trim() === '') throw new ValidationFailed('A search needs a text', { detail: '"q" must not be empty' });
    for (const text of waysOf(q)) {
      const rows = await parts.searches.search(id, text, limit);
      if (rows.length === 0) continue;
      const [hits, counts] = await Promise.all([
        listedIssues(parts, id, withShares(rows, textShare(rows.length))),
        counted === true ? parts.searches.facets(id, text) : undefined,
      ]);
      return { hits, facets: counts && (await valuesOf(parts, id, counts)) };
    }
    return { hits: [], facets: counted === true ? await valuesOf(parts, id, []) : undefined };
  };

/** Everything between the words of any language. */
const parted = /[^\p{L}\p{M}\p{N}]+/gu;
const partedButOperators = /[^\p{L}\p{M}\p{N}"\s-]+/gu;
/**
 * A dash that only separates words. A dash before an excluded word is preceded by whitespace or the start of the text.
 */
const loneDash = /(?<!^|\s)-|-(?![\p{L}\p{M}\p{N}"])/gu;
const takenOut = /-(?:"[^"]*"?|[^\s"]+)/g;
const operator = /["-]|(?<=^|\s)or(?=\s|$)/;

/** The words in lower case, separated by single spaces. Empty if the text has no words. */
export const plainWords = (text: string): string => text.replace(parted, ' ').trim().toLowerCase();

/** The words of a query as `plainWords`, without those beyond the limit. */
export const searchedWords = (query: string): string => plainWords(query).split(' ', searchBounds.words).join(' ');

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Cuts the text after the last word within the limit. */
function fewWords(text: string): string {
  let end = 0;
  let count = 0;
  for (const {
    index,
    0: { length },
  } of text.matchAll(word)) {
    if (count === searchBounds.words) return text.slice(0, end);
    count += 1;
    end = index + length;
  }
  return text;
}

/** The part of a `words` text that must be present. Excluded words do not count for the rank. */
export const wantedOf = (text: string): string => text.replace(takenOut, ' ');

/**
 * The searches to try in order until one has a result. Empty if the query contains no words to search for. A query with
 * operators is searched only as written.
 */
export function waysOf(q: string): readonly SearchText[] {
  // Removes `or` before an exclusion: an alternative that only excludes words would match almost every issue.
  const text = fewWords(
    q
      .replace(partedButOperators, ' ')
      .replace(loneDash, ' ')
      .toLowerCase()
      .replace(/(?<=^|\s)or\s+(?=-)/g, '')
      .trim(),
  );
  const wanted = plainWords(wantedOf(text));
  if (wanted === '' || /^or(?: or)*$/.test(wanted)) return [];
  const words: SearchText = { way: 'words', text };
  return operator.test(text) ? [words] : [words, { way: 'near', text: wanted }];
}

async function valuesOf(
  { planning }: Pick<Parts, 'planning'>,
  repositoryId: string,
  counts: readonly FacetCount[],
): Promise<FacetValues> {
  const most = (facet: Facet) =>
    counts
      .filter((one) => one.facet === facet)
      .map(({ value, count }) => ({ value, count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  const labels = most('label');
  const ids = labels.map(({ value }) => value);
  const named = ids.length === 0 ? undefined : await planning?.labels(repositoryId, ids);
  return {
    state: most('state'),
    type: most('type').slice(0, searchBounds.values),
    label: labels
      .flatMap(({ value, count }) => {
        const label = named?.get(value);
        return label === undefined ? [] : [{ value: label.name, count }];
      })
      .slice(0, searchBounds.values),
    assignee: most('assignee').slice(0, searchBounds.values),
  };
}
