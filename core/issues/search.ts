// Ranked search for the issues of a repository: what a query asks for, and where it looks when no issue has its words.
import type { Granted } from '#core/kernel/access';
import { ValidationFailed } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { IssueRow, IssueView } from './issue.ts';
import { listedIssues, textShare, withShares } from './listed.ts';
import type { IssueParts } from './parts.ts';

/** The most of a search. */
export const searchBounds = {
  /** Characters of a query, of the list filter's too. */
  query: 256,
  /** Issues that one search finds, and how many it does unless told. */
  limit: { default: 25, most: 100 },
  /** Of those that match, so many of the newest are ranked and counted. */
  ranked: 2000,
  /** Values of each facet, the most frequent. */
  values: 10,
} as const;

/**
 * What a store looks for.
 *
 * - `words`: in title and description, where the title weighs more; `text` is as web searches have it: all words, `"a
 *   phrase"`, `or`, `-not`.
 * - `near`: titles that hold the text, or have words that begin like it or are spelled much like it.
 */
export interface SearchText {
  readonly way: 'words' | 'near';
  readonly text: string;
}

/** An issue that a search found, with how well it matches. */
export interface RankedIssue extends IssueRow {
  /** Above 0, up to 1; only those of one search compare. */
  readonly rank: number;
}

/** By what `facets=true` counts the issues that match (document B, "Issues"). */
export const facets = ['state', 'type', 'label', 'assignee'] as const;
/** One of `facets`. */
export type Facet = (typeof facets)[number];

/** How many of those that match have the value: a state, a type's name, a label's id, a username. */
export interface FacetCount {
  readonly facet: Facet;
  readonly value: string;
  readonly count: number;
}

/** Where issues are searched. In memory both ways are plain: `words` knows no operators, `near` only what it holds. */
export interface IssueSearchStore {
  /**
   * The best first, of equally good ones the newest. One query. Long texts may be cut as `textShare` of as many says,
   * to one character more, which tells of the cut.
   */
  search(repositoryId: string, text: SearchText, limit: number): Promise<readonly RankedIssue[]>;
  /** Of all that match, in any order. One query. */
  facets(repositoryId: string, text: SearchText): Promise<readonly FacetCount[]>;
}

export interface SearchCommand {
  readonly q: string;
  readonly limit: number;
  readonly facets?: boolean | undefined;
}

/** By facet, the most frequent first; labels by name. */
export type FacetValues = Readonly<Record<Facet, readonly Omit<FacetCount, 'facet'>[]>>;

export interface SearchResult {
  readonly hits: readonly (IssueView & Pick<RankedIssue, 'rank'>)[];
  /** Where they were asked for. */
  readonly facets: FacetValues | undefined;
}

type Parts = Pick<IssueParts, 'searches' | 'planning' | 'associations'>;
type Reading = Granted<Repository, 'issue.read'>;

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

/** Words of any language; marks and signs only part them. */
const parted = /[^\p{L}\p{M}\p{N}]+/gu;
const partedButOperators = /[^\p{L}\p{M}\p{N}"\s-]+/gu;
/** A dash that parts words, too: one that takes a word out stands before it and behind nothing. */
const loneDash = /(?<!^|\s)-|-(?![\p{L}\p{M}\p{N}"])/gu;
const takenOut = /-(?:"[^"]*"?|[^\s"]+)/g;
const operator = /["-]|(?<=^|\s)or(?=\s|$)/;

/** In lower case, one blank apart. Empty where there is none. */
export const plainWords = (text: string): string => text.replace(parted, ' ').trim().toLowerCase();

/** Of a text of `words`, what is to be there: what is taken out says nothing of how good a match is. */
export const wantedOf = (text: string): string => text.replace(takenOut, ' ');

/**
 * What is looked for, one after the other until something is found; nothing where the query wants no word. Who uses
 * operators means what is written.
 */
export function waysOf(q: string): readonly SearchText[] {
  // An alternative that is only the absence of a word would be nearly everything.
  const text = q
    .replace(partedButOperators, ' ')
    .replace(loneDash, ' ')
    .toLowerCase()
    .replace(/(?<=^|\s)or\s+(?=-)/g, '')
    .trim();
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
  const named =
    labels.length === 0
      ? undefined
      : await planning?.labels(
          repositoryId,
          labels.map(({ value }) => value),
        );
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
