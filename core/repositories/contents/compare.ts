// Compares two refs: the commits and changes that the second has and the first does not.
import type { Granted } from '#core/kernel/access/access';
import { NotFound } from '#core/kernel/errors';
import { boundedCommits, boundedDifference, type Bounded } from './answer-bounds.ts';
import type { Derived } from './derived.ts';
import type { GitBackend, Oid } from '../git/git-backend.ts';
import type { CommitRecord, Difference } from '../git/git-history.ts';
import type { Repository } from '../model/repository.ts';
import { commitNamed } from './revisions.ts';

/** The commits and changes of one ref relative to another. */
export interface Comparison {
  readonly aheadBy: number;
  readonly behindBy: number;
  /** Undefined if the two have no common ancestor. */
  readonly mergeBase: Oid | undefined;
  /** Newest first, at most 250. `aheadBy` counts all of them. */
  readonly commits: Bounded<CommitRecord>;
  /** From the merge base to the head, or from the base if there is no merge base. */
  readonly difference: Difference;
}

const mostCommits = 250;
const between = '...';

/**
 * `range` is `BASE...HEAD`, which is unambiguous because no ref name contains two consecutive dots.
 * @throws {NotFound}
 */
export const compareRefs =
  ({ git }: { readonly git: GitBackend }) =>
  async (
    { resource: { id }, call }: Granted<Repository, 'repo.read'>,
    { range }: { readonly range: string },
  ): Promise<Derived<Comparison>> => {
    const cut = range.indexOf(between);
    if (cut < 0) throw new NotFound('Two refs are compared as BASE...HEAD');
    const [base, head] = await Promise.all([
      commitNamed(git, id, range.slice(0, cut)),
      commitNamed(git, id, range.slice(cut + between.length)),
    ]);
    return {
      basis: { base, head },
      async read() {
        const [mergeBase, divergences] = await Promise.all([
          git.mergeBase(id, base, head, call.signal),
          git.divergence(id, base, [head], call.signal),
        ]);
        const { ahead, behind } = divergences.get(head) ?? { ahead: 0, behind: 0 };
        const [commits, difference] = await Promise.all([
          ahead === 0 ? [] : git.history(id, { tip: head, except: base, skip: 0, limit: mostCommits }, call.signal),
          git.difference(id, mergeBase ?? base, head, call.signal),
        ]);
        return {
          aheadBy: ahead,
          behindBy: behind,
          mergeBase,
          commits: boundedCommits(commits),
          difference: boundedDifference(difference),
        };
      },
    };
  };
