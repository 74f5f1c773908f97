// Reads history: the commits that are reachable from a ref, and one commit with its changes.
import { isLonger } from '#core/kernel/characters';
import type { Granted } from '#core/kernel/access/access';
import { NotFound, ValidationFailed } from '#core/kernel/errors';
import { offsetOf, type PageRequest } from '#core/kernel/page';
import { boundedCommits, boundedDifference, type Bounded } from './answer-bounds.ts';
import type { Derived } from './derived.ts';
import type { GitBackend } from '../git/git-backend.ts';
import type { CommitRecord, Difference } from '../git/git-history.ts';
import type { Repository } from '../model/repository.ts';
import { commitNamed, isUnborn } from './revisions.ts';

export interface CommitsCommand extends PageRequest {
  readonly ref?: string | undefined;
  /** The path of a file or folder. */
  readonly path?: string | undefined;
  /** A part of the author's name or email address, matched literally. */
  readonly author?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Commits to pass over, in place of a page. */
  readonly skip?: number | undefined;
}

/** A commit with its changes. */
export interface CommitDetail {
  readonly commit: CommitRecord;
  /** Relative to the first parent, as on GitHub. */
  readonly difference: Difference;
}

type Readable = Granted<Repository, 'repo.read'>;
type Parts = { readonly git: GitBackend };

const longestAuthor = 255;

/** Newest first. @throws {NotFound | ValidationFailed} */
export const listCommits =
  ({ git }: Parts) =>
  async (
    { resource: repository, call }: Readable,
    command: CommitsCommand,
  ): Promise<Derived<Bounded<CommitRecord>>> => {
    const { ref = 'HEAD', path, author, since, until, skip, page, perPage } = command;
    if (author !== undefined && (isLonger(author, longestAuthor) || /\p{Cc}/u.test(author))) {
      throw new ValidationFailed('The author is not allowed', {
        detail: `"author" must be at most ${longestAuthor} characters and hold no control character`,
      });
    }
    const tip = await git.resolveCommit(repository.id, ref);
    if (tip === undefined) {
      if (await isUnborn(git, repository, ref)) return { basis: {}, read: async () => boundedCommits([]) };
      throw new NotFound('There is no such branch, tag or commit');
    }
    const query = {
      tip,
      path: path?.replace(/\/$/, ''),
      author,
      since,
      until,
      skip: skip ?? offsetOf({ page, perPage }),
      limit: perPage,
    };
    return { basis: query, read: async () => boundedCommits(await git.history(repository.id, query, call.signal)) };
  };

/** @throws {NotFound} */
export const fetchCommit =
  ({ git }: Parts) =>
  async (
    { resource: { id }, call }: Readable,
    { revision }: { readonly revision: string },
  ): Promise<Derived<CommitDetail>> => {
    const oid = await commitNamed(git, id, revision);
    return {
      basis: { oid },
      async read() {
        const commit = await git.commitRecord(id, oid);
        if (commit === undefined) throw new NotFound('There is no such commit');
        const difference = await git.difference(id, commit.parents[0], commit.oid, call.signal);
        return { commit, difference: boundedDifference(difference) };
      },
    };
  };
