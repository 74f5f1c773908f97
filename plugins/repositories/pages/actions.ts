// Links that change files, for callers who may write to a branch.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { linkButton } from 'hexforge/ui';
import type { At } from './folder-view.ts';
import { writePath } from './links.ts';

/** The proof of a reader, and whether the ref of the page is a branch. */
export interface Changeable {
  readonly granted: Pick<Granted<Repository, 'repo.read'>, 'may'>;
  readonly isBranch: boolean;
}

const offered = ({ granted, isBranch }: Changeable): boolean => isBranch && granted.may('repo.write');

/** Beside a file. */
export const fileActions = ({ repository, ref, path }: At, changeable: Changeable): Html | false =>
  offered(changeable) &&
  html`${linkButton('Edit', writePath(repository, 'edit', ref, path), { key: 'e' })}
  ${linkButton('Delete', writePath(repository, 'delete', ref, path))}`;

/** Beside a folder. */
export const folderActions = ({ repository, ref, path }: At, changeable: Changeable): Html | false =>
  offered(changeable) &&
  html`${linkButton('New file', writePath(repository, 'new-file', ref, path))}
  ${linkButton('Upload', writePath(repository, 'upload', ref, path))}`;
