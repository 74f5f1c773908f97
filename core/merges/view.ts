// Merge requests as they are shown: rows of the store with their repositories of origin, labels, milestones and
// pipelines, each read once for all of them.
import { afterChange } from '#core/kernel/after-change';
import type { Call, Caller } from '#core/kernel/caller';
import { fitMembers } from '#core/kernel/clipping';
import { found } from '#core/kernel/errors';
import { labelsOf, milestonesOf } from '#core/planning/index';
import { lastNumber, type DiffAlgorithm, type Repository } from '#core/repositories/index';
import { diffOf } from './diff.ts';
import { isFromFork, type ListedRequest, type ListedRow, type MergeView } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import { verdictsOf } from './pipeline-verdicts.ts';

type ListedParts = Pick<MergeParts, 'repositories' | 'planning' | 'pipelines'>;
type Parts = ListedParts & Pick<MergeParts, 'store' | 'git' | 'diffs' | 'log'>;

/** Four more reads at the most, however many rows there are. */
export async function listedRequests(
  parts: ListedParts,
  repository: Repository,
  caller: Caller,
  rows: readonly ListedRow[],
): Promise<readonly ListedRequest[]> {
  if (rows.length === 0) return [];
  const [sources, milestone, protections, verdict] = await Promise.all([
    sourcesOf(parts, repository, caller, rows),
    milestonesOf(parts, repository.id, rows),
    parts.repositories.protections(repository.id),
    verdictsOf(
      parts.pipelines,
      repository.id,
      rows.map(({ headOid }) => headOid),
    ),
  ]);
  return fitMembers(
    rows.map((row) => ({
      ...row,
      source: sources.get(row.sourceRepositoryId ?? '') ?? null,
      sourceBranchProtected: !isFromFork(row) && protections.has(row.sourceBranch),
      milestone: milestone(row),
      ciStatus: verdict(row.headOid),
    })),
    ['description'],
  );
}

/** Those that the caller may know of: the repository itself, and forks that they may read. */
async function sourcesOf(
  { repositories }: Pick<ListedParts, 'repositories'>,
  repository: Repository,
  caller: Caller,
  rows: readonly ListedRow[],
): Promise<ReadonlyMap<string, Repository>> {
  const forks = new Set(rows.filter(isFromFork).flatMap(({ sourceRepositoryId }) => sourceRepositoryId ?? []));
  const readable = forks.size === 0 ? [] : await repositories.readable(caller, [...forks]);
  return new Map([...readable, [repository.id, repository]]);
}

/** The one of that number, as this caller sees it. @throws {NotFound} */
export async function viewOf(
  parts: Parts,
  repository: Repository,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
  { number, algorithm }: { readonly number: number; readonly algorithm?: DiffAlgorithm | undefined },
): Promise<MergeView> {
  const known = number >= 1 && number <= lastNumber;
  const row = found(known ? await parts.store.byNumber(repository.id, number) : undefined);
  const [[listed], labels, changes] = await Promise.all([
    listedRequests(parts, repository, caller, [row]),
    labelsOf(parts, repository.id, [row]),
    diffOf(parts, row, algorithm, signal),
  ]);
  const shown = found(listed);
  // Of a fork that the caller may not know of nothing is told.
  const fork = isFromFork(row) ? shown.source : null;
  const ofFork = fork === null ? undefined : await parts.repositories.protections(fork.id);
  return {
    ...row,
    ...shown,
    sourceBranchProtected: shown.sourceBranchProtected || ofFork?.has(row.sourceBranch) === true,
    labels: labels(row),
    changes,
  };
}

/** The one that the caller has just made or changed. @throws {NotFound}; {Unavailable} as `afterChange`. */
export const viewAfterChange = (
  parts: Parts,
  repository: Repository,
  call: Pick<Call, 'caller' | 'signal'>,
  { number }: { readonly number: number },
): Promise<MergeView> => afterChange(`merge request ${number}`, () => viewOf(parts, repository, call, { number }));
