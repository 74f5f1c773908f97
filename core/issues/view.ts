// Issues as they are shown: rows of the store with their labels and milestones, each read once for all of them.
import { found } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import { issueNumber, type IssueRow, type IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';

type Parts = Pick<IssueParts, 'store' | 'planning'>;

/** Two more reads, however many rows there are. */
export async function viewsOf(
  { planning }: Pick<Parts, 'planning'>,
  repositoryId: string,
  rows: readonly IssueRow[],
): Promise<readonly IssueView[]> {
  const labelIds = [...new Set(rows.flatMap((row) => row.labelIds))];
  const milestoneIds = [...new Set(rows.flatMap(({ milestoneId }) => milestoneId ?? []))];
  const [labels, milestones] = await Promise.all([
    labelIds.length === 0 ? undefined : planning?.labels(repositoryId, labelIds),
    milestoneIds.length === 0 ? undefined : planning?.milestones(repositoryId, milestoneIds),
  ]);
  return rows.map((row) => ({
    ...row,
    labels: row.labelIds
      .flatMap((id) => labels?.get(id) ?? [])
      .sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1)),
    milestone: milestones?.get(row.milestoneId ?? '') ?? null,
  }));
}

/** The one that a path names. @throws {NotFound} */
export async function viewOf(parts: Parts, repository: Repository, reference: string): Promise<IssueView> {
  const row = found(await parts.store.byNumber(repository.id, issueNumber(reference, repository)));
  const [view] = await viewsOf(parts, repository.id, [row]);
  return found(view);
}
