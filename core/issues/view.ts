// Issues as they are shown: rows of the store with their labels, milestones, components and versions, each
// read once for all of them.
import { found } from '#core/kernel/errors';
import { labelsOf, milestonesOf } from '#core/planning/index';
import type { Repository } from '#core/repositories/index';
import { noAssociations } from './associations.ts';
import { issueNumber, type IssueRow, type IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations'>;

/** Four more reads, however many rows there are. */
export async function viewsOf<R extends IssueRow>(
  parts: Pick<Parts, 'planning' | 'associations'>,
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

/** The one that a path names. @throws {NotFound} */
export async function viewOf(parts: Parts, repository: Repository, reference: string): Promise<IssueView> {
  const row = found(await parts.store.byNumber(repository.id, issueNumber(reference, repository)));
  const [view] = await viewsOf(parts, repository.id, [row]);
  return found(view);
}
