// Implements the ports of other areas with counts of issues.
import type { UserReferences } from '#core/identity/index';
import type { MilestoneCounts } from '#core/planning/index';
import type { RepositoryCounters } from '#core/repositories/index';
import type { IssueParts } from './parts.ts';

type Parts = Pick<IssueParts, 'store'>;

/** The number of open issues in the record of a repository. */
export const repositoryCounters = ({ store }: Parts): RepositoryCounters => ({
  async counts(repositoryIds) {
    const open = await store.countOpen(repositoryIds);
    return new Map(repositoryIds.map((id) => [id, { openIssues: open.get(id) ?? 0 }]));
  },
});

/** A user who wrote issues, comments or descriptions cannot be deleted. */
export const userReferences = ({ store }: Parts): UserReferences => ({
  what: 'issues, comments and descriptions',
  counts: (userIds) => store.countByAuthor(userIds),
});

/** The numbers of open and closed issues of milestones. */
export const milestoneCounts = ({ store }: Parts): MilestoneCounts => ({
  counts: (repositoryId, milestoneIds) => store.countByMilestone(repositoryId, milestoneIds),
});
