// The paths of the pages of a repository.
import {
  encodedPath as encoded,
  repositoryPage as within,
  repositoryPath,
  type Repository,
} from 'hexforge/repositories';
import { urlWith } from 'hexforge/ui';

type Named = Pick<Repository, 'owner' | 'name'>;

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');

export { encoded, repositoryPath, within };

export const treePath = (repository: Named, ref: string, path = ''): string =>
  within(repository, joined('tree', encoded(ref), encoded(path)));
export const blobPath = (repository: Named, ref: string, path: string): string =>
  within(repository, joined('blob', encoded(ref), encoded(path)));
export const rawPath = (repository: Named, ref: string, path: string): string =>
  within(repository, joined('raw', encoded(ref), encoded(path)));
export const blamePath = (repository: Named, ref: string, path: string): string =>
  within(repository, joined('blame', encoded(ref), encoded(path)));
export const findPath = (repository: Named, ref: string): string => within(repository, joined('find', encoded(ref)));
/** A page that changes a file or folder of a branch. */
export const writePath = (
  repository: Named,
  what: 'edit' | 'delete' | 'new-file' | 'upload',
  ref: string,
  path: string,
): string => within(repository, joined(what, encoded(ref), encoded(path)));
export const commitsPath = (repository: Named, ref: string, path = ''): string =>
  within(repository, joined('commits', encoded(ref), encoded(path)));
export const commitPath = (repository: Named, oid: string): string => within(repository, `commit/${oid}`);
/** @param format of the archive. */
export const archivePath = (repository: Named, ref: string, format: 'zip' | 'tar.gz'): string =>
  within(repository, `archive/${encoded(ref)}.${format}`);
export const comparePath = (repository: Named, base: string, head: string): string =>
  within(repository, `compare/${encoded(base)}...${encoded(head)}`);
export const branchesPath = (repository: Named): string => within(repository, 'branches');
export const tagsPath = (repository: Named): string => within(repository, 'tags');

/** The kinds of pages that show a ref and a path. `blob` and `tree` lead to the same thing. */
export const refPages = ['tree', 'blob', 'blame', 'commits', 'find'] as const;
export type RefPage = (typeof refPages)[number];

/** A page and the path that it shows. */
export interface Shown {
  readonly show: RefPage;
  readonly path: string;
}

/** The page of this kind and path at a ref. */
export const shownPath = (repository: Named, ref: string, { show, path }: Shown): string =>
  within(repository, joined(show, encoded(ref), show === 'find' ? '' : encoded(path)));

/** The list of branches or tags from which another ref of a page is chosen. */
export const otherRefPath = (repository: Named, list: 'branches' | 'tags', { show, path }: Shown): string =>
  urlWith(within(repository, list), { show: show === 'tree' && path === '' ? undefined : show, path });
