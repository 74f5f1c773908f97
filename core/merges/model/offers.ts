// Implements the ports of other areas with counts of merge requests.
import type { UserReferences } from '#core/identity/index';
import type { RepositoryCounters } from '#core/repositories/index';
import type { MergeParts } from './parts.ts';

type Parts = Pick<MergeParts, 'store'>;

/** The number of open merge requests in the record of a repository. */
export const repositoryCounters = ({ store }: Parts): RepositoryCounters => ({
  async counts(repositoryIds) {
    const open = await store.countOpen(repositoryIds);
    return new Map(repositoryIds.map((id) => [id, { openMergeRequests: open.get(id) ?? 0 }]));
  },
});

/** A user who opened, merged, reviews or commented on a merge request cannot be deleted. */
export const userReferences = ({ store }: Parts): UserReferences => ({
  what: 'merge requests, reviews and comments on them',
  counts: (userIds) => store.countByUser(userIds),
});
