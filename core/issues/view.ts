// Issues as they are shown: rows of the store with their labels, milestones, components and versions, each
// read once for all of them.
import { labelsOf, milestonesOf } from '#core/planning/index';
import { noAssociations } from './associations.ts';
import type { IssueRow, IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';

/** Four more reads, however many rows there are. */
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
