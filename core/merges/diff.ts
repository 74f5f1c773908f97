// What a merge request changes: the diff against the merge base, its files, and why it is not shown where it is not.
import { jsonBytes } from '#core/kernel/clipping';
import { HexforgeError, NotFound, Unavailable, Unprocessable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/log';
import { within } from '#core/kernel/within';
import type { DiffAlgorithm, DiffCaps, GitBackend, Oid, Patch, PatchedFile } from '#core/repositories/index';
import { branchTip } from './branches.ts';
import type { MergeRequest } from './merge-request.ts';

/** Why a diff is not shown (document B, "Merge request object"). */
export const diffSuppressions = [
  'git_backend_unavailable',
  'repository_lookup_failed',
  'compare_branches_failed',
  'binary_files_only',
  'diff_too_large',
  'total_size_cap',
  'file_count_cap',
] as const;
/** Why a diff is left out (document B, "Merge request object"). */
export type DiffSuppression = (typeof diffSuppressions)[number];

/** What the operator says of diffs. */
export interface DiffSettings {
  readonly caps: DiffCaps;
  /** Where the caller names none. */
  readonly algorithm: DiffAlgorithm;
}

export interface DiffParts {
  readonly git: GitBackend;
  readonly diffs: DiffSettings;
  readonly log: Log;
}

/** The part of a merge request that its diff follows from. */
export type Compared = Pick<MergeRequest, 'repositoryId' | 'targetBranch' | 'headOid' | 'baseOid'>;

/** What a merge request tells of its diff. */
export interface MergeDiff {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  /** What `git apply` takes; empty where it is suppressed. */
  readonly diff: string;
  readonly suppressed: DiffSuppression | undefined;
  /** In the order of their paths; none where there are too many. */
  readonly files: readonly PatchedFile[];
  readonly caps: DiffCaps;
}

/** Two commits whose difference is that of the request. */
export interface MergeRange {
  /** Where the target stands; of a merged request, where it stood right before. */
  readonly target: Oid;
  /** What both lead to; the target where there is nothing. */
  readonly from: Oid;
  readonly to: Oid;
}

const MiB = 1024 ** 2;
/** Bytes of JSON: of the text of a diff, and of the paths beside it. */
const most = { diff: 8 * MiB, paths: MiB } as const;

/**
 * The diff of one request with its counts. Never fails for git: then it is suppressed, as while git has no answer yet.
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

/** The files of a request. @throws what git throws. */
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

/** What is made of a request's files. @throws {Unavailable} with the reason, where there is no diff, or not yet. */
export async function ofDiff<T extends object>(
  parts: DiffParts,
  request: Compared,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const found = await orReason(parts, request, signal, work);
  if (!('failure' in found)) return found;
  const { failure, retryAfter } = found;
  throw new Unavailable('The diff of the merge request is not available', {
    detail: sentences[failure],
    body: { suppressed_reason: failure },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Why the hunks of a file are not shown; undefined where they are. */
export const suppressionOf = ({ omitted, isBinary }: PatchedFile): DiffSuppression | undefined =>
  omitted ?? (isBinary ? 'binary_files_only' : undefined);

/** @throws {Unprocessable} where the target branch is gone, and what git throws. */
export async function rangeOf(
  { git }: Pick<DiffParts, 'git'>,
  { repositoryId, targetBranch, headOid, baseOid }: Compared,
  signal?: AbortSignal,
): Promise<MergeRange> {
  const target = baseOid ?? (await branchTip(git, repositoryId, targetBranch));
  if (target === undefined) throw new Unprocessable('The target branch of the merge request is gone');
  return { target, from: await baseOf(git, repositoryId, { target, head: headOid }, signal), to: headOid };
}

/** Commits of a line that are read one after the other. */
const longestLine = 50;

/**
 * Where both meet. What a head has over its target is a line of few commits as a rule: then it is where the line
 * begins, and no process has to look for it.
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

/** Why there is no diff, and the seconds after which it is worth asking again, where that is known. */
interface NoDiff {
  readonly failure: 'git_backend_unavailable' | 'repository_lookup_failed' | 'compare_branches_failed';
  readonly retryAfter?: number | undefined;
}

const sentences: Readonly<Record<NoDiff['failure'], string>> = {
  git_backend_unavailable: 'The git back end does not answer now; try again later',
  repository_lookup_failed: 'The repository is not in the git back end; ask an administrator of this instance',
  compare_branches_failed:
    'The two branches could not be compared; see that both are there, and that they are not too far apart',
};

async function orReason<T extends object>(
  { log }: DiffParts,
  { repositoryId }: Compared,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | NoDiff> {
  try {
    return (await within(signal, work)) ?? { failure: 'git_backend_unavailable', retryAfter: 2 };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof HexforgeError)) throw error;
    if (error.kind === 'internal') log.error({ repository: repositoryId, err: error }, 'a merge request has no diff');
    if (error instanceof NotFound) return { failure: 'repository_lookup_failed' };
    if (error instanceof Unavailable) return { failure: 'git_backend_unavailable', retryAfter: error.retryAfter };
    // What was too costly is known for a while.
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
  // Control characters take six bytes each.
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
