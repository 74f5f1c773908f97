// The paths of the pages of merge requests, and of the pages of a repository that they link to.
import { encodedPath as encoded, repositoryPage as within, type Repository } from 'hexforge/repositories';
import { urlWith } from 'hexforge/ui';

type Named = Pick<Repository, 'owner' | 'name'>;

export const mergesPage = (repository: Named): string => within(repository, 'merges');
export const newPage = (repository: Named): string => within(repository, 'merges/new');

/** @param part such as `changes`. */
export const requestPage = (repository: Named, number: number, part = ''): string =>
  within(repository, `merges/${String(number)}${part === '' ? '' : `/${part}`}`);

export const labelledPage = (repository: Named, label: string): string =>
  `${mergesPage(repository)}?${new URLSearchParams({ label: label.toLowerCase() }).toString()}`;
/** The page of the plugin "planning". */
export const milestonePage = (repository: Named, id: string): string => within(repository, `milestones/${id}`);

export const livePath = ({ owner, name }: Named, number: number): string =>
  `/ws/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/merges/${String(number)}`;

export const commitPage = (repository: Named, oid: string): string => within(repository, `commit/${oid}`);
export const blobPage = (repository: Named, commit: string, path: string): string =>
  within(repository, `blob/${commit}/${encoded(path)}`);
export const branchPage = (repository: Named, branch: string): string => within(repository, `tree/${encoded(branch)}`);

/**
 * The page to which the pages and forms of a comment lead back: that of changes if their query names it, else the
 * overview, with their query.
 */
export function talkPage(repository: Named, number: number, url: string): string {
  const query = url.split('?', 2)[1] ?? '';
  const part = new URLSearchParams(query).get('back') === 'changes' ? 'changes' : '';
  return urlWith(`${requestPage(repository, number, part)}?${query}`, { back: undefined, comment: undefined });
}
