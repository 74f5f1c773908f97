// The paths of the pages of a repository, without that of the external URL.
import type { Repository } from './repository.ts';

type Named = Pick<Repository, 'owner' | 'name'>;

/**
 * A path of files or the name of a ref, percent-encoded; its slashes stay.
 *
 * @example
 *   const folder = encodedPath('src/a b');
 */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/**
 * The path of the front page of a repository.
 *
 * @example
 *   const front = repositoryPath({ owner: 'ada', name: 'site' });
 */
export const repositoryPath = ({ owner, name }: Named): string =>
  `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;

/**
 * The path of a page of a repository.
 *
 * @example
 *   const issue = repositoryPage({ owner: 'ada', name: 'site' }, 'issues/7');
 *
 * @param page Percent-encoded, without the `/-/` before it.
 */
export const repositoryPage = (repository: Named, page: string): string => `${repositoryPath(repository)}/-/${page}`;
