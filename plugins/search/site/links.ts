// The paths of pages that hits and suggestions lead to.
import { encodedPath, repositoryPage, repositoryPath, type Repository } from 'hexforge/repositories';
import type { Suggestion } from 'hexforge/search';

/** The page of a file on a branch, at a line. */
export const filePath = (
  repository: Pick<Repository, 'owner' | 'name'>,
  branch: string,
  path: string,
  line?: number,
): string =>
  `${repositoryPage(repository, `blob/${encodedPath(branch)}/${encodedPath(path)}`)}${line === undefined ? '' : `#L${line}`}`;

export const suggestionPath = ({ place, ...repository }: Suggestion): string =>
  place === undefined ? repositoryPath(repository) : filePath(repository, place.branch, place.path, place.line);
