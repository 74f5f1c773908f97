// Finds the commit and author of each line of a file.
import type { Granted } from '#core/kernel/access/access';
import { NotFound, Unprocessable } from '#core/kernel/errors';
import { boundedLines } from './answer-bounds.ts';
import { inlineLimit, looksBinary, take } from './contents.ts';
import type { Derived } from './derived.ts';
import type { GitBackend } from '../git/git-backend.ts';
import type { BlamedLine } from '../git/git-history.ts';
import type { Repository } from '../model/repository.ts';
import { refAndPath } from './revisions.ts';

/** The most lines of a file. Larger files are usually generated. */
const mostLines = 25_000;
const newline = 0x0a;

/**
 * `target` is `REF/PATH`, parsed as for raw files. A binary file has no lines.
 * @throws {NotFound} for an unknown ref or path, a folder or a submodule; {Unprocessable}, from `read`, for a file that
 * exceeds the limits.
 */
export const blameFile =
  ({ git }: { readonly git: GitBackend }) =>
  async (
    { resource: { id }, call }: Granted<Repository, 'repo.read'>,
    { target }: { readonly target: string },
  ): Promise<Derived<readonly BlamedLine[]>> => {
    const { commit, path } = await refAndPath(git, id, target);
    const entry = commit === undefined ? undefined : await git.entry(id, commit, path);
    if (commit === undefined || entry === undefined || entry.type === 'directory' || entry.type === 'submodule')
      throw absent();
    return {
      basis: { commit, path },
      async read() {
        if (entry.size > inlineLimit) throw tooLarge(`It has ${entry.size} bytes; ${inlineLimit} are allowed`);
        const content = await take((await git.blob(id, entry.oid, call.signal)).bytes, inlineLimit);
        if (looksBinary(content)) return [];
        const lines = content.reduce((count, byte) => (byte === newline ? count + 1 : count), 0);
        if (lines > mostLines) throw tooLarge(`It has ${lines} lines; ${mostLines} are allowed`);
        const blamed = await git.blame(id, commit, path, call.signal);
        if (blamed === undefined) throw absent();
        return boundedLines(blamed);
      },
    };
  };

const absent = (): NotFound => new NotFound('There is no such file at this ref');
const tooLarge = (detail: string): Unprocessable =>
  new Unprocessable('The file is too large to be blamed', {
    detail: `${detail}. Clone the repository and use git blame`,
  });
