// The statements of a merge request that are the same in SQL and in memory.
import type { MergeStore } from 'hexforge/merges';
import { storeOf } from 'hexforge/plugin';
import { assigneeRows, labelRows, requestRows } from '../tables.ts';

export const requestWrites = storeOf(
  { requests: requestRows, labels: labelRows, assignees: assigneeRows },
  ({ requests, labels, assignees }) =>
    ({
      async insert(request) {
        await requests.insert({ ...request, sourceRepositoryId: request.sourceRepositoryId ?? null });
      },
      update: (id, patch) => requests.updateMany({ where: { id } }, patch),
      replaceLabels: (requestId, ids) =>
        labels.replace(
          { requestId },
          ids.map((labelId) => ({ requestId, labelId })),
        ),
      replaceAssignees: (requestId, ids) =>
        assignees.replace(
          { requestId },
          ids.map((userId) => ({ requestId, userId })),
        ),
      dropLabel: (labelId) => labels.deleteMany({ where: { labelId } }),
      dropMilestone: (milestoneId) => requests.updateMany({ where: { milestoneId } }, { milestoneId: null }),
    }) satisfies Partial<MergeStore>,
);
