// The change of one file between two commits.
import type { Granted } from '#core/kernel/access/access';
import { NotFound, Unprocessable } from '#core/kernel/errors';
import type { GitBackend, Oid } from '../git/git-backend.ts';
import type { PatchedFile } from '../git/git-diffs.ts';
import type { Repository } from '../model/repository.ts';
import { commitNamed } from './revisions.ts';

/** The change of one file between two commits. */
export interface FileDiff {
  readonly base: Oid;
  readonly head: Oid;
  /** Undefined if the file is the same in both. */
  readonly file: PatchedFile | undefined;
}

const diffCaps = {
  maxFileBytes: 1024 ** 2,
  maxTotalBytes: 1024 ** 2,
  maxFileLines: 20_000,
  maxFiles: 10,
} as const;

/** @throws {NotFound | Unprocessable} */
export const diffOfFile =
  ({ git }: { readonly git: GitBackend }) =>
  async (
    { resource: { id }, call }: Granted<Repository, 'repo.read'>,
    { path, base: from, head: to }: { readonly path: string; readonly base: string; readonly head: string },
  ): Promise<FileDiff> => {
    const [base, head] = await Promise.all([commitNamed(git, id, from), commitNamed(git, id, to)]);
    const entries = await Promise.all([git.entry(id, base, path), git.entry(id, head, path)]);
    const present = entries.filter((entry) => entry !== undefined);
    if (present.length === 0)
      throw new NotFound(`There is no "${path}" at either ref`, { detail: 'list_tree names the files' });
    if (present.every(({ type }) => type === 'directory'))
      throw new Unprocessable(`"${path}" is a folder`, { detail: 'show_commit lists the files that a commit changed' });
    const query = { from: base, to: head, algorithm: 'histogram', paths: [path] } as const;
    const { files } = await git.patch(id, query, diffCaps, call.signal);
    return { base, head, file: files.find(({ oldPath, newPath }) => oldPath === path || newPath === path) };
  };
