// Where comments are anchored: checked when one is made.
import { ValidationFailed } from '#core/kernel/errors';
import type { GitBackend, Oid } from '#core/repositories/index';
import { branchTip } from './branches.ts';
import type { Anchor } from './comment.ts';
import { isFromFork, type MergeRequest } from './merge-request.ts';

type Git = Pick<GitBackend, 'commitRecord' | 'divergence' | 'isLegalName' | 'readRefs' | 'entry' | 'blob'>;

/** What is asked for of an anchor. */
export interface AnchorWish {
  readonly commitOid?: Oid | undefined;
  readonly filePath?: string | undefined;
  readonly lineNumber?: number | undefined;
}

/** Bytes of a file in which lines are looked for. */
const mostBytes = 16 * 1024 ** 2;
/** git's own rule for binary files: a NUL among the first 8000 bytes. */
const probed = 8000;
const newline = 0x0a;

const refused = (member: string, why: string): ValidationFailed =>
  new ValidationFailed('There is nothing to comment on there', { detail: `"${member}" ${why}` });

/**
 * A file without a commit is that of the present head. @throws {ValidationFailed} for a commit that is none of the
 * request's, a file that it does not have, a line that is not in it.
 */
export async function checkedAnchor(
  git: Git,
  request: MergeRequest,
  { commitOid, filePath, lineNumber }: AnchorWish,
  signal: AbortSignal,
): Promise<Anchor> {
  if (lineNumber !== undefined && filePath === undefined)
    throw refused('line_number', 'needs the file that the line is in: send "file_path" too');
  const head = await presentHead(git, request);
  if (commitOid !== undefined && !(await isCommitOf(git, { ...request, headOid: head }, commitOid, signal)))
    throw refused('commit_sha', `must be one of the commits of the merge request; "${commitOid}" is not`);
  if (filePath === undefined) return { commitOid: commitOid ?? null, filePath: null, lineNumber: null };
  const commit = commitOid ?? head;
  const entry = await git.entry(request.repositoryId, commit, filePath);
  if (entry?.type !== 'file' && entry?.type !== 'symlink')
    throw refused('file_path', `must be a file at the commit "${commit}"`);
  if (lineNumber !== undefined && !(await hasLine(git, request.repositoryId, entry, lineNumber, signal)))
    throw refused('line_number', `must be a line of the file, and not past the first ${mostBytes} bytes of it`);
  return { commitOid: commit, filePath, lineNumber: lineNumber ?? null };
}

/** The head on record follows a push a moment later; what was pushed may be commented on at once. */
export async function presentHead(
  git: Pick<GitBackend, 'isLegalName' | 'readRefs'>,
  request: MergeRequest,
): Promise<Oid> {
  if (request.state !== 'open' || isFromFork(request)) return request.headOid;
  return (await branchTip(git, request.repositoryId, request.sourceBranch)) ?? request.headOid;
}

/** Whether the head leads to it and the target does not; of what is merged or closed, the target as it was then. */
async function isCommitOf(git: Git, request: MergeRequest, commit: Oid, signal: AbortSignal): Promise<boolean> {
  const { repositoryId, headOid, baseOid, targetBranch } = request;
  if (commit === headOid) return true;
  if ((await git.commitRecord(repositoryId, commit)) === undefined) return false;
  const base = baseOid ?? (await branchTip(git, repositoryId, targetBranch));
  const standing = await git.divergence(repositoryId, commit, [headOid, ...(base === undefined ? [] : [base])], signal);
  const leadsToIt = (other: Oid): boolean => standing.get(other)?.behind === 0;
  return leadsToIt(headOid) && (base === undefined || !leadsToIt(base));
}

/** No binary file has one. */
async function hasLine(
  git: Git,
  repositoryId: string,
  { oid }: { readonly oid: Oid },
  wanted: number,
  signal: AbortSignal,
): Promise<boolean> {
  let [read, lines] = [0, 0];
  let open = false;
  for await (const chunk of (await git.blob(repositoryId, oid, signal)).bytes) {
    if (read < probed && chunk.subarray(0, probed - read).includes(0)) return false;
    for (let at = chunk.indexOf(newline); at >= 0 && lines < wanted; at = chunk.indexOf(newline, at + 1)) lines += 1;
    if (lines >= wanted) return true;
    read += chunk.length;
    if (read > mostBytes) return false;
    open = chunk.at(-1) !== newline;
  }
  return open && lines + 1 === wanted;
}
