// Lists the open merge requests of all repositories that wait for the caller.
import { signedIn } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import type { Repository } from '#core/repositories/index';
import type { ListedRow } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { mergeAccess } from '../model/permissions.ts';

/** A merge request with its target repository. */
export interface LocatedRequest extends ListedRow {
  readonly repository: Repository;
}

/** How many requests are read before those are left out whose repository the caller can no longer read. */
const mostRead = 100;

/**
 * Open requests that the caller wrote, or whose review by the caller is pending. The last updated first.
 * @throws {Unauthorized | Forbidden} for callers who are not signed in, and tokens that may not read repositories.
 */
export const listMine =
  ({ store, repositories, access }: Pick<MergeParts, 'store' | 'repositories' | 'access'>) =>
  async (
    call: Call,
    { role, limit }: { readonly role: 'author' | 'reviewer'; readonly limit: number },
  ): Promise<readonly LocatedRequest[]> => {
    await access.decide(call, signedIn, mergeAccess.reading.scope, {});
    const { caller } = call;
    if (caller.kind !== 'user') return [];
    const found = await store.openOfUser(caller.id, role, mostRead);
    const ids = [...new Set(found.map(({ repositoryId }) => repositoryId))];
    const readable = await repositories.readable(caller, ids);
    return found
      .flatMap((request) => {
        const repository = readable.get(request.repositoryId);
        return repository === undefined ? [] : [{ ...request, repository }];
      })
      .slice(0, limit);
  };
