// Lists the open issues of all repositories that wait for the caller.
import type { Call, User } from '#core/kernel/caller';
import { signedIn } from '#core/kernel/access/access';
import type { Repository } from '#core/repositories/index';
import type { OwnIssue } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';
import { issueAccess } from '../model/permissions.ts';

/** An issue with its repository. */
export interface LocatedIssue extends OwnIssue {
  readonly repository: Repository;
}

/** How many issues are read before those are left out whose repository the caller can no longer read. */
const mostRead = 100;

/**
 * Open issues that the caller wrote or is assigned to, the newest first.
 * @throws {InsufficientScope} for a token that may not read issues.
 */
export const listMine =
  ({ store, repositories, access }: Pick<IssueParts, 'store' | 'repositories' | 'access'>) =>
  async (call: Call<User>, { limit }: { readonly limit: number }): Promise<readonly LocatedIssue[]> => {
    await access.decide(call, signedIn, issueAccess.reading.scope, {});
    const found = await store.ofUser(call.caller.id, mostRead);
    const ids = [...new Set(found.map(({ repositoryId }) => repositoryId))];
    const readable = await repositories.readable(call.caller, ids);
    return found
      .flatMap((issue) => {
        const repository = readable.get(issue.repositoryId);
        return repository === undefined ? [] : [{ ...issue, repository }];
      })
      .slice(0, limit);
  };
