// The changed files of a commit or a comparison, with their lines.
import { html, maybe, oneOf, type Html } from 'hexforge/plugin';
import { readHunks, type Difference, type FileChange, type Repository } from 'hexforge/repositories';
import { counts, diff, urlWith, type ChangedFile } from 'hexforge/ui';
import { most } from '../pages/bounds.ts';
import { blobPath } from '../pages/links.ts';

/** The query parameter of pages with changed files. */
export const viewQuery = { view: maybe(oneOf('unified', 'split').empty('')) } as const;

interface Shown {
  readonly repository: Repository;
  /** The ref at which the changed files are linked. */
  readonly ref: string;
  readonly view: 'unified' | 'split' | undefined;
  readonly url: string;
}

const changedFile = ({ path, previousPath, status, patch, ...file }: FileChange): ChangedFile => ({
  ...file,
  oldPath: previousPath ?? path,
  newPath: path,
  isAdd: status === 'added',
  isDelete: status === 'removed',
  isRename: status === 'renamed',
  hunks: patch === undefined ? [] : readHunks(patch),
  isLeftOut: patch === undefined && !file.isBinary && file.additions + file.deletions > 0,
});

export async function changedFiles(
  { files, additions, deletions, truncated }: Difference,
  { repository, ref, view = 'unified', url }: Shown,
): Promise<Html> {
  const other = view === 'unified' ? 'split' : 'unified';
  return html`<div class="bar">
      <span class="grow">
        ${String(files.length)} ${files.length === 1 ? 'file' : 'files'} changed ${counts(additions, deletions)}
      </span>
      <a href="${urlWith(url, { view: other })}">${other === 'split' ? 'Side by side' : 'Unified'}</a>
    </div>
    ${await diff(files.slice(0, most.files).map(changedFile), {
      view,
      mostLines: most.patchLines,
      of: ({ newPath, isDelete }) => (isDelete ? {} : { href: blobPath(repository, ref, newPath) }),
    })}
    ${(truncated || files.length > most.files) && html`<p class="quiet">More files changed than are shown.</p>`}`;
}
