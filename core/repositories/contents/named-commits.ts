// The commits that texts refer to by the first digits of their ids.
import type { GitBackend, Oid } from '../git/git-backend.ts';

/** Digits are looked up one by one, and in git's own process. */
const most = 10;

/** Digits → the commit, for those that name one. Further ones are not looked up. */
export const namedCommits =
  ({ git }: { readonly git: GitBackend }) =>
  async (repositoryId: string, digits: readonly string[]): Promise<ReadonlyMap<string, Oid>> => {
    const found = await Promise.all(
      digits.slice(0, most).map(async (one) => [one, (await git.resolveCommit(repositoryId, one)) ?? ''] as const),
    );
    // A branch may have the digits as its name.
    return new Map(found.filter(([one, oid]) => oid.startsWith(one.toLowerCase())));
  };
