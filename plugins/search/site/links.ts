// The paths of pages that hits and suggestions lead to.
import { encodedPath, repositoryPage, repositoryPath, type Repository } from 'hexforge/repositories';
import type { Suggestion } from 'hexforge/search';

type Named = Pick<Repository, 'owner' | 'name'>;

export const searchPath = '/-/search';
/** The JSON route that the search boxes of pages ask. */
export const suggestionsPath = `${searchPath}/suggestions`;

/** The page of a file on a branch, at a line. */
export const filePath = (repository: Named, branch: string, path: string, line?: number): string =>
  `${repositoryPage(repository, `blob/${encodedPath(branch)}/${encodedPath(path)}`)}${line === undefined ? '' : `#L${line}`}`;

export const suggestionPath = ({ place, ...repository }: Suggestion): string =>
  place === undefined ? repositoryPath(repository) : filePath(repository, place.branch, place.path, place.line);

export const definitionPath = (repository: Named): string => repositoryPage(repository, 'definition');

/** A filter as the search text has it. */
export const filterText = (name: 'lang' | 'path' | 'repo', value: string): string =>
  /^[\w./-]+$/.test(value) ? `${name}:${value}` : `${name}:"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** The search text within a repository, which a search box sends beside the text. */
export const textWithin = (repo: string | undefined, q: string): string =>
  repo === undefined ? q : `${filterText('repo', repo)} ${q}`.trim();

/** The search page for a text. */
export const searchPage = (q: string, more: Readonly<Record<string, string>> = {}): string =>
  `${searchPath}?${new URLSearchParams({ q, ...more })}`;
