// Converts merge request rows to views with source repositories, labels, milestones and pipelines, and reads each of
// them once for all rows.
import { afterChange } from '#core/kernel/storage/after-change';
import type { Call, Caller } from '#core/kernel/caller';
import { fitMembers } from '#core/kernel/clipping';
import { found } from '#core/kernel/errors';
import { labelsOf, milestonesOf } from '#core/planning/index';
import { lastNumber, type DiffAlgorithm, type Repository } from '#core/repositories/index';
import { diffOf } from './diff.ts';
import { isFromFork, type ListedRow, type MergeView, type Surroundings } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import { verdictsOf } from './pipeline-verdicts.ts';
import { sourceLossNow } from './source-access.ts';

type ListedParts = Pick<MergeParts, 'repositories' | 'planning' | 'pipelines'>;
type Parts = ListedParts & Pick<MergeParts, 'store' | 'settling' | 'git' | 'diffs' | 'log'>;

/** Makes at most four more reads, independent of the number of rows. */
export async function listedRequests<R extends ListedRow>(
  parts: ListedParts,
  repository: Repository,
  caller: Caller,
  rows: readonly R[],
): Promise<readonly (R & Surroundings)[]> {
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

/** The source repositories that the caller may know: the repository itself, and the forks that the caller can read. */
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

/** The request with that number, for this caller. @throws {NotFound} */
export async function viewOf(
  parts: Parts,
  repository: Repository,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
  { number, algorithm }: { readonly number: number; readonly algorithm?: DiffAlgorithm | undefined },
): Promise<MergeView> {
  const known = number >= 1 && number <= lastNumber;
  const read = async () => found(known ? await parts.store.byNumber(repository.id, number) : undefined);
  const first = await read();
  const row = (await parts.settling.request(first, signal)) ? await read() : first;
  const [[listed], labels, changes, loss] = await Promise.all([
    listedRequests(parts, repository, caller, [row]),
    labelsOf(parts, repository.id, [row]),
    diffOf(parts, row, algorithm, signal),
    row.state === 'open' ? sourceLossNow(parts, row) : undefined,
  ]);
  const shown = found(listed);
  // Reads nothing about a fork that the caller cannot read.
  const fork = isFromFork(row) ? shown.source : null;
  const ofFork = fork === null ? undefined : await parts.repositories.protections(fork.id);
  return {
    ...row,
    ...shown,
    sourceBranchProtected: shown.sourceBranchProtected || ofFork?.has(row.sourceBranch) === true,
    labels: labels(row),
    changes,
    sourceAccessLost: loss !== undefined,
  };
}

/** The request that the caller has just created or changed. @throws {NotFound}; {Unavailable} as `afterChange`. */
export const viewAfterChange = (
  parts: Parts,
  repository: Repository,
  call: Pick<Call, 'caller' | 'signal'>,
  { number }: { readonly number: number },
): Promise<MergeView> => afterChange(`merge request ${number}`, () => viewOf(parts, repository, call, { number }));
