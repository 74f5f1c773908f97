// Downloads the files of a ref as one archive.
import type { Granted } from '#core/kernel/access/access';
import { NotFound } from '#core/kernel/errors';
import type { GitBackend } from '../git/git-backend.ts';
import type { ArchiveFormat } from '../git/git-history.ts';
import type { Repository } from '../model/repository.ts';
import { commitNamed } from './revisions.ts';

/** The archive of a ref. */
export interface Archive {
  /** With its extension. */
  readonly fileName: string;
  readonly format: ArchiveFormat;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

const formats: readonly ArchiveFormat[] = ['tar.gz', 'zip'];

/** `target` is `REF.tar.gz` or `REF.zip`. @throws {NotFound} for another extension and for an unknown ref. */
export const archiveOf =
  ({ git }: { readonly git: GitBackend }) =>
  async (
    { resource: { id, name }, call }: Granted<Repository, 'repo.read'>,
    { target }: { readonly target: string },
  ): Promise<Archive> => {
    const format = formats.find((extension) => target.endsWith(`.${extension}`));
    if (format === undefined) throw new NotFound('Archives end in .tar.gz or .zip');
    const ref = target.slice(0, -format.length - 1);
    const commit = await commitNamed(git, id, ref);
    const folder = `${name}-${ref.replaceAll('/', '-')}`;
    return {
      fileName: `${folder}.${format}`,
      format,
      open: () => git.archive(id, commit, { format, prefix: `${folder}/` }, call.signal),
    };
  };
