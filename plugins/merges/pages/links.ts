// The paths of the pages of merge requests, and of the pages of a repository that they link to.
import type { Repository } from 'hexforge/repositories';

type Named = Pick<Repository, 'owner' | 'name'>;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const within = ({ owner, name }: Named, page: string): string =>
  `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/-/${page}`;

export const mergesPage = (repository: Named): string => within(repository, 'merges');
export const newPage = (repository: Named): string => within(repository, 'merges/new');

/** @param part such as `changes`. */
export const requestPage = (repository: Named, number: number, part = ''): string =>
  within(repository, `merges/${String(number)}${part === '' ? '' : `/${part}`}`);

export const livePath = ({ owner, name }: Named, number: number): string =>
  `/ws/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/merges/${String(number)}`;

export const commitPage = (repository: Named, oid: string): string => within(repository, `commit/${oid}`);
export const blobPage = (repository: Named, commit: string, path: string): string =>
  within(repository, `blob/${commit}/${encoded(path)}`);
export const branchPage = (repository: Named, branch: string): string => within(repository, `tree/${encoded(branch)}`);
