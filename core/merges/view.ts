// Merge requests as they are shown: rows of the store with their repositories of origin, labels, milestones and
// pipelines, each read once for all of them.
import type { Call, Caller } from '#core/kernel/caller';
import { fitMembers } from '#core/kernel/clipping';
import { found } from '#core/kernel/errors';
import type { Milestone } from '#core/planning/index';
import type { DiffAlgorithm, Repository } from '#core/repositories/index';
import { diffOf } from './diff.ts';
import { isFromFork, lastMergeNumber, type ListedRequest, type ListedRow, type MergeView } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import { verdictsOf } from './pipeline-verdicts.ts';

type ListedParts = Pick<MergeParts, 'repositories' | 'planning' | 'pipelines'>;
type Parts = ListedParts & Pick<MergeParts, 'store' | 'git' | 'diffs' | 'log'>;

/** Bytes of JSON that the descriptions of one list take together; past it the longest end in an ellipsis. */
const mostTexts = 8 * 1024 ** 2;

/** Four more reads at the most, however many rows there are. */
export async function listedRequests(
  parts: ListedParts,
  repository: Repository,
  caller: Caller,
  rows: readonly ListedRow[],
): Promise<readonly ListedRequest[]> {
  if (rows.length === 0) return [];
  const [sources, milestones, protections, verdict] = await Promise.all([
    sourcesOf(parts, repository, caller, rows),
    milestonesOf(parts, repository, rows),
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
      milestone: milestones.get(row.milestoneId ?? '') ?? null,
      ciStatus: verdict(row.headOid),
    })),
    ['description'],
    mostTexts,
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

async function milestonesOf(
  { planning }: Pick<ListedParts, 'planning'>,
  { id }: Repository,
  rows: readonly ListedRow[],
): Promise<ReadonlyMap<string, Milestone>> {
  const ids = [...new Set(rows.flatMap(({ milestoneId }) => milestoneId ?? []))];
  return (ids.length === 0 ? undefined : await planning?.milestones(id, ids)) ?? new Map();
}

/** The one of that number, as this caller sees it. @throws {NotFound} */
export async function viewOf(
  parts: Parts,
  repository: Repository,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
  { number, algorithm }: { readonly number: number; readonly algorithm?: DiffAlgorithm | undefined },
): Promise<MergeView> {
  const known = number >= 1 && number <= lastMergeNumber;
  const row = found(known ? await parts.store.byNumber(repository.id, number) : undefined);
  const [[listed], labels, changes] = await Promise.all([
    listedRequests(parts, repository, caller, [row]),
    row.labelIds.length === 0 ? undefined : parts.planning?.labels(repository.id, row.labelIds),
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
    labels: row.labelIds
      .flatMap((id) => labels?.get(id) ?? [])
      .sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1)),
    changes,
  };
}
