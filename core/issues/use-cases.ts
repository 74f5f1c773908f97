// All use cases of the area for its own plugin, built once from its parts. Each takes a proof of access and a command.
import { closeIssue, reopenIssue } from './close-issue.ts';
import { createIssue } from './create-issue.ts';
import { deleteIssue } from './delete-issue.ts';
import { fetchIssue } from './fetch-issue.ts';
import { listChildren, listIssues } from './list-issues.ts';
import { milestoneCounts, repositoryCounters, userReferences } from './offers.ts';
import type { IssueParts } from './parts.ts';
import { clearParent, setParent } from './set-parent.ts';
import { updateIssue } from './update-issue.ts';

export type IssueUseCases = ReturnType<typeof issueUseCases>;

export function issueUseCases(parts: IssueParts) {
  return {
    create: createIssue(parts),
    list: listIssues(parts),
    fetch: fetchIssue(parts),
    update: updateIssue(parts),
    close: closeIssue(parts),
    reopen: reopenIssue(parts),
    delete: deleteIssue(parts),
    children: listChildren(parts),
    setParent: setParent(parts),
    clearParent: clearParent(parts),
    repositoryCounters: repositoryCounters(parts),
    userReferences: userReferences(parts),
    milestoneCounts: milestoneCounts(parts),
    /** What planning has deleted is on no issue any more. */
    dropLabel: (labelId: string) => parts.store.dropLabel(labelId),
    dropMilestone: (milestoneId: string) => parts.store.dropMilestone(milestoneId),
  };
}
