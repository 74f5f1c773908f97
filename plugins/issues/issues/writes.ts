// The statements of an issue that are the same in SQL and in memory.
import { storeOf } from 'hexforge/plugin';
import type { IssueStore } from 'hexforge/issues';
import { assigneeRows, issueRows, labelRows, watcherRows } from '../tables.ts';

export const issueWrites = storeOf(
  { issues: issueRows, labels: labelRows, assignees: assigneeRows, watchers: watcherRows },
  ({ issues, labels, assignees, watchers }) =>
    ({
      delete: (id) => issues.deleteMany({ where: { id } }),
      replaceLabels: (issueId, ids) =>
        labels.replace(
          { issueId },
          ids.map((labelId) => ({ issueId, labelId })),
        ),
      replaceAssignees: (issueId, ids) =>
        assignees.replace(
          { issueId },
          ids.map((userId) => ({ issueId, userId })),
        ),
      async watch(issueId, userIds) {
        await watchers.addMany([...new Set(userIds)].map((userId) => ({ issueId, userId })));
      },
      unwatch: (issueId, userId) => watchers.deleteMany({ where: { issueId, userId } }),
      dropLabel: (labelId) => labels.deleteMany({ where: { labelId } }),
      dropMilestone: (milestoneId) => issues.updateMany({ where: { milestoneId } }, { milestoneId: null }),
    }) satisfies Partial<IssueStore>,
);
