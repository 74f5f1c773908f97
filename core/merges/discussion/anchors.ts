// Checks the anchor of a new comment: the commit, file and line that it refers to.
import { ValidationFailed } from '#core/kernel/errors';
import type { GitBackend, Oid } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import type { Anchor, AnchorWish } from '../model/comment.ts';
import { isFromFork, type MergeRequest } from '../model/merge-request.ts';

type Git = Pick<GitBackend, 'commitRecord' | 'divergence' | 'isLegalName' | 'readRefs' | 'entry' | 'blob'>;

/** The most bytes of a file that are searched for lines. */
const mostBytes = 16 * 1024 ** 2;
/** git's own rule for binary files: a NUL byte among the first 8000 bytes. */
const probed = 8000;
const newline = 0x0a;

const refused = (member: string, why: string): ValidationFailed =>
  new ValidationFailed('There is nothing to comment on there', { detail: `"${member}" ${why}` });

/**
 * Checks an anchor. A file without a commit refers to the current head.
 * @throws {ValidationFailed} for a commit that is not part of the request, a file that the commit does not have, or a
 * line that the file does not have.
 */
export async function checkedAnchor(
  git: Git,
  request: MergeRequest,
  { commitOid, filePath, lineNumber, startLine }: AnchorWish,
  signal: AbortSignal,
): Promise<Anchor> {
  if (lineNumber !== undefined && filePath === undefined)
    throw refused('line_number', 'needs the file that the line is in: send "file_path" too');
  if (startLine !== undefined && (lineNumber === undefined || startLine > lineNumber))
    throw refused('start_line', 'must not be past the last line of the range: send it as "line_number"');
  const head = await presentHead(git, request);
  if (commitOid !== undefined && !(await isCommitOf(git, { ...request, headOid: head }, commitOid, signal)))
    throw refused('commit_sha', `must be one of the commits of the merge request; "${commitOid}" is not`);
  if (filePath === undefined)
    return { commitOid: commitOid ?? null, filePath: null, lineNumber: null, startLine: null };
  const commit = commitOid ?? head;
  const entry = await git.entry(request.repositoryId, commit, filePath);
  if (entry?.type !== 'file' && entry?.type !== 'symlink')
    throw refused('file_path', `must be a file at the commit "${commit}"`);
  if (lineNumber !== undefined && !(await hasLine(git, request.repositoryId, entry, lineNumber, signal)))
    throw refused('line_number', `must be a line of the file, and not past the first ${mostBytes} bytes of it`);
  const isRange = startLine !== undefined && startLine !== lineNumber;
  return { commitOid: commit, filePath, lineNumber: lineNumber ?? null, startLine: isRange ? startLine : null };
}

/**
 * The current tip of the source branch. The stored head follows a push with a delay, and new commits can be commented
 * on immediately.
 */
export async function presentHead(
  git: Pick<GitBackend, 'isLegalName' | 'readRefs'>,
  request: MergeRequest,
): Promise<Oid> {
  if (request.state !== 'open' || isFromFork(request)) return request.headOid;
  return (await branchTip(git, request.repositoryId, request.sourceBranch)) ?? request.headOid;
}

/**
 * Whether the commit is reachable from the head and not from the target. For a merged or closed request, the target is
 * the one stored at that time.
 */
async function isCommitOf(git: Git, request: MergeRequest, commit: Oid, signal: AbortSignal): Promise<boolean> {
  const { repositoryId, headOid, baseOid, targetBranch } = request;
  if (commit === headOid) return true;
  if ((await git.commitRecord(repositoryId, commit)) === undefined) return false;
  const base = baseOid ?? (await branchTip(git, repositoryId, targetBranch));
  const standing = await git.divergence(repositoryId, commit, [headOid, ...(base === undefined ? [] : [base])], signal);
  const leadsToIt = (other: Oid): boolean => standing.get(other)?.behind === 0;
  return leadsToIt(headOid) && (base === undefined || !leadsToIt(base));
}

/** Whether the file has this line. Binary files have no lines. */
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
