// What this area offers to others: counts, in the ports of the areas that show or ask for them.
import type { UserReferences } from '#core/identity/index';
import type { RepositoryCounters } from '#core/repositories/index';
import type { MergeParts } from './parts.ts';

type Parts = Pick<MergeParts, 'store'>;

/** Open merge requests of a repository's record. */
export const repositoryCounters = ({ store }: Parts): RepositoryCounters => ({
  async counts(repositoryIds) {
    const open = await store.countOpen(repositoryIds);
    return new Map(repositoryIds.map((id) => [id, { openMergeRequests: open.get(id) ?? 0 }]));
  },
});

/** A user who opened or merged requests, reviews one or commented on one, cannot be deleted. */
export const userReferences = ({ store }: Parts): UserReferences => ({
  what: 'merge requests, reviews and comments on them',
  counts: (userIds) => store.countByUser(userIds),
});
