// Converts issue rows to views with labels, milestones, components and versions, and reads each of them once for all
// rows.
import { labelsOf, milestonesOf } from '#core/planning/index';
import { noAssociations } from '../model/associations.ts';
import type { IssueRow, IssueView } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';

/** Makes four more queries, independent of the number of rows. */
export async function viewsOf<R extends IssueRow>(
  parts: Pick<IssueParts, 'planning' | 'associations'>,
  repositoryId: string,
  rows: readonly R[],
): Promise<readonly (R & IssueView)[]> {
  const [labels, milestone, associated] = await Promise.all([
    labelsOf(parts, repositoryId, rows),
    milestonesOf(parts, repositoryId, rows),
    parts.associations.of(rows.map(({ id }) => id)),
  ]);
  return rows.map((row) => ({
    ...row,
    ...noAssociations,
    ...associated.get(row.id),
    labels: labels(row),
    milestone: milestone(row),
  }));
}
