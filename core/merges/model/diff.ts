// The diff of a merge request against the merge base, its files, and the reason if it cannot be shown.
import { jsonBytes } from '#core/kernel/clipping';
import { HexforgeError, NotFound, Unavailable, Unprocessable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import { within } from '#core/kernel/limits/within';
import type { DiffAlgorithm, DiffCaps, GitBackend, Oid, Patch, PatchedFile } from '#core/repositories/index';
import { branchTip } from './branches.ts';
import type { MergeRequest } from './merge-request.ts';
import { commitsPruned, isPruned } from './pruned.ts';

/** The reasons why a diff is not shown: the values of `diff_suppressed_reason` and `suppressed_reason`. */
export const diffSuppressions = [
  'git_backend_unavailable',
  'repository_lookup_failed',
  'compare_branches_failed',
  'binary_files_only',
  'diff_too_large',
  'total_size_cap',
  'file_count_cap',
] as const;
/** One of `diffSuppressions`. */
export type DiffSuppression = (typeof diffSuppressions)[number];

/** The operator's settings for diffs. */
export interface DiffSettings {
  readonly caps: DiffCaps;
  /** The algorithm if the caller does not choose one. */
  readonly algorithm: DiffAlgorithm;
}

export interface DiffParts {
  readonly git: GitBackend;
  readonly diffs: DiffSettings;
  readonly log: Log;
}

/** The members of a merge request that determine its diff. */
export type Compared = Pick<MergeRequest, 'repositoryId' | 'targetBranch' | 'headOid' | 'baseOid'>;

/** The diff of a merge request, as responses show it. */
export interface MergeDiff {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  /** Valid input of `git apply`. Empty if the diff is suppressed. */
  readonly diff: string;
  readonly suppressed: DiffSuppression | undefined;
  /** Sorted by path. Empty if there are too many files, and cut if the paths are too long for one response. */
  readonly files: readonly PatchedFile[];
  readonly caps: DiffCaps;
}

/** The two commits whose difference is the diff of the request. */
export interface MergeRange {
  /** The tip of the target branch. For a merged or closed request, its tip immediately before that. */
  readonly target: Oid;
  /** The merge base. The target if the two have no common ancestor. */
  readonly from: Oid;
  readonly to: Oid;
}

const MiB = 1024 ** 2;
/** The most bytes of JSON for the text of a diff, and for all paths. */
const most = { diff: 8 * MiB, paths: MiB } as const;

/**
 * The diff of one request, with its counts. Failures of git do not throw: the diff is suppressed, also if git takes too
 * long.
 */
export async function diffOf(
  parts: DiffParts,
  request: Compared,
  algorithm: DiffAlgorithm = parts.diffs.algorithm,
  signal?: AbortSignal,
): Promise<MergeDiff> {
  const { caps } = parts.diffs;
  const found = await orReason(parts, request, signal, async (inner) => {
    const { repositoryId } = request;
    const range = await rangeOf(parts, request, inner);
    const [patch, divergences] = await Promise.all([
      parts.git.patch(repositoryId, { from: range.from, to: range.to, algorithm }, caps, inner),
      parts.git.divergence(repositoryId, range.target, [range.to], inner),
    ]);
    return { patch, commits: divergences.get(range.to)?.ahead ?? 0 };
  });
  if ('failure' in found)
    return { commits: 0, additions: 0, deletions: 0, diff: '', suppressed: found.failure, files: [], caps };
  const { patch, commits } = found;
  const { additions, deletions } = patch;
  return { commits, additions, deletions, ...textOf(patch), files: filesBeside(patch), caps };
}

/** The files of a request. @throws the errors of git. */
export async function filesOf(
  { git, diffs }: DiffParts,
  request: Compared,
  {
    algorithm = diffs.algorithm,
    paths,
  }: { readonly algorithm?: DiffAlgorithm | undefined; readonly paths?: readonly string[] },
  signal: AbortSignal,
): Promise<readonly PatchedFile[]> {
  const { from, to } = await rangeOf({ git }, request, signal);
  return (await git.patch(request.repositoryId, { from, to, algorithm, paths }, diffs.caps, signal)).files;
}

/**
 * Computes something from the files of a request.
 * @throws {Unavailable} with the reason, if the diff cannot be computed or takes too long; {Conflict} `commits_pruned`.
 */
export async function ofDiff<T extends object>(
  parts: DiffParts,
  request: Compared,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const found = await orReason(parts, request, signal, work);
  if (!('failure' in found)) return found;
  const { failure, retryAfter, isGone } = found;
  if (isGone === true) throw commitsPruned();
  throw new Unavailable('The diff of the merge request is not available', {
    detail: sentences[failure],
    body: { suppressed_reason: failure },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Why the hunks of a file are not shown. Undefined if they are shown. */
export const suppressionOf = ({ omitted, isBinary }: PatchedFile): DiffSuppression | undefined =>
  omitted ?? (isBinary ? 'binary_files_only' : undefined);

/** @throws {Unprocessable} if the target branch does not exist, and the errors of git. */
export async function rangeOf(
  { git }: Pick<DiffParts, 'git'>,
  { repositoryId, targetBranch, headOid, baseOid }: Compared,
  signal?: AbortSignal,
): Promise<MergeRange> {
  const target = baseOid ?? (await branchTip(git, repositoryId, targetBranch));
  if (target === undefined) throw new Unprocessable('The target branch of the merge request is gone');
  return { target, from: await baseOf(git, repositoryId, { target, head: headOid }, signal), to: headOid };
}

/** The most commits that are read one by one to find the merge base. */
const longestLine = 50;

/**
 * The merge base. Usually the head has a short linear history on top of the target. Then the base is its beginning,
 * which is found without starting a git process.
 */
async function baseOf(
  git: GitBackend,
  repositoryId: string,
  { target, head }: { readonly target: Oid; readonly head: Oid },
  signal?: AbortSignal,
): Promise<Oid> {
  let left = (await git.divergence(repositoryId, target, [head], signal)).get(head)?.ahead ?? Number.POSITIVE_INFINITY;
  let base: Oid | undefined = left > longestLine ? undefined : head;
  for (; left > 0 && base !== undefined; left -= 1) {
    const parents: readonly Oid[] = (await git.commitRecord(repositoryId, base))?.parents ?? [];
    base = parents.length === 1 ? parents[0] : undefined;
  }
  return base ?? (await git.mergeBase(repositoryId, target, head, signal)) ?? target;
}

/** Why the diff cannot be computed, and the seconds after which a retry is useful, if known. */
interface NoDiff {
  readonly failure: 'git_backend_unavailable' | 'repository_lookup_failed' | 'compare_branches_failed';
  readonly retryAfter?: number | undefined;
  /** Whether a commit that is compared was pruned. */
  readonly isGone?: boolean;
}

const sentences: Readonly<Record<NoDiff['failure'], string>> = {
  git_backend_unavailable: 'The git back end does not answer now; try again later',
  repository_lookup_failed: 'The repository is not in the git back end; ask an administrator of this instance',
  compare_branches_failed:
    'The two branches could not be compared; see that both are there, and that they are not too far apart',
};

async function orReason<T extends object>(
  { git, log }: DiffParts,
  request: Compared,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | NoDiff> {
  try {
    return (await within(signal, work)) ?? { failure: 'git_backend_unavailable', retryAfter: 2 };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof HexforgeError)) throw error;
    if (await isPruned(git, request, error).catch(() => false))
      return { failure: 'compare_branches_failed', isGone: true };
    const { repositoryId } = request;
    if (error.kind === 'internal') log.error({ repository: repositoryId, err: error }, 'a merge request has no diff');
    if (error instanceof NotFound) return { failure: 'repository_lookup_failed' };
    if (error instanceof Unavailable) return { failure: 'git_backend_unavailable', retryAfter: error.retryAfter };
    // A comparison that was too expensive has a cause with the retry delay. Until then it is rejected from a cache.
    const { cause } = error;
    return {
      failure: 'compare_branches_failed',
      ...(cause instanceof Unavailable && { retryAfter: cause.retryAfter }),
    };
  }
}

function textOf({ files, omitted }: Patch): Pick<MergeDiff, 'diff' | 'suppressed'> {
  if (omitted !== undefined) return { diff: '', suppressed: omitted };
  if (files.length > 0 && files.every(({ isBinary }) => isBinary)) return { diff: '', suppressed: 'binary_files_only' };
  const diff = files
    .flatMap(({ sections }) => sections.map(({ header, hunks, literal }) => header + (literal ?? hunks)))
    .join('');
  // One character takes at most six bytes of JSON, when it is an escaped control character.
  if (diff.length * 6 > most.diff && jsonBytes(diff) > most.diff) return { diff: '', suppressed: 'total_size_cap' };
  return { diff, suppressed: undefined };
}

function filesBeside({ files, omitted }: Patch): readonly PatchedFile[] {
  if (omitted === 'file_count_cap') return [];
  let bytes = 0;
  const end = files.findIndex(({ oldPath, newPath }) => {
    bytes += jsonBytes(oldPath) + jsonBytes(newPath);
    return bytes > most.paths;
  });
  return end < 0 ? files : files.slice(0, end);
}
