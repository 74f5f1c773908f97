// Clauses of queries. Texts of users are values in them, never a query language or a script.
import type { FileFilter, Within } from '#core/search/index';

export type Clause = Readonly<Record<string, unknown>>;

/**
 * Documents whose text in a field of trigrams contains the folded text. A phrase is literal, because each window of
 * three code points is a token at its own position. A shorter text is the beginning of a trigram.
 */
export function contains(field: 'grams' | 'path_grams' | 'symbols.grams', searched: string): Clause {
  const text = searched.toWellFormed();
  const isShort = Array.from(text.slice(0, 6)).length < 3;
  return isShort ? { prefix: { [field]: { value: text } } } : { match_phrase: { [field]: { query: text } } };
}

export const anyOf = (clauses: readonly Clause[]): Clause => ({ bool: { should: clauses, minimum_should_match: 1 } });

/** Each has a fixed score. */
export const scored = (clauses: readonly (readonly [score: number, filter: Clause])[]): readonly Clause[] =>
  clauses.map(([boost, filter]) => ({ constant_score: { filter, boost } }));

/**
 * The ids of the repositories to search. Read for every query, so that a change of access counts at once.
 * @throws what `readable.ids` throws.
 */
export async function repositoriesOf({ readable, repositoryIds }: Within): Promise<readonly string[]> {
  const ids = await readable.ids();
  return repositoryIds === undefined ? [...ids] : repositoryIds.filter((id) => ids.has(id));
}

export const within = (repositories: readonly string[]): Clause => ({ terms: { repository_id: repositories } });

export const fileFilters = ({ languages, paths }: FileFilter): readonly Clause[] => [
  ...(languages.length === 0 ? [] : [{ terms: { language: languages } }]),
  ...paths.map((path) => contains('path_grams', path)),
];
