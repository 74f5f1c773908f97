// Where comments are anchored: checked when one is made, and looked for again at the present head when it is shown.
import { Unavailable, ValidationFailed } from '#core/kernel/errors';
import type { FileChange, GitBackend, Oid } from '#core/repositories/index';
import { branchTip } from './branches.ts';
import type { Anchor } from './comment.ts';
import { isFromFork, type MergeRequest } from './merge-request.ts';

type Git = Pick<
  GitBackend,
  'commitRecord' | 'divergence' | 'isLegalName' | 'readRefs' | 'entry' | 'blob' | 'difference'
>;

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
async function presentHead(git: Git, request: MergeRequest): Promise<Oid> {
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

/**
 * Whether each of the anchors is outdated at the head. No process where no file has changed; else one diff for each
 * commit that they are anchored to, which git's provider keeps by the pair of oids.
 */
export async function outdatedAt(
  git: Git,
  request: MergeRequest,
  anchors: readonly Anchor[],
  signal: AbortSignal,
): Promise<readonly (boolean | null)[]> {
  if (anchors.every(({ filePath }) => filePath === null)) return anchors.map(() => false);
  const { repositoryId } = request;
  const head = await presentHead(git, request);
  const files = new Map<string, Promise<Oid | undefined>>();
  const file = (commit: Oid, path: string): Promise<Oid | undefined> => {
    const key = `${commit}:${path}`;
    const known = files.get(key) ?? git.entry(repositoryId, commit, path).then((entry) => entry?.oid);
    files.set(key, known);
    return known;
  };
  const diffs = new Map<Oid, Changes | undefined>();
  const answers: (boolean | null)[] = [];
  // One after the other: a page of comments takes one of git's places at a time.
  for (const { commitOid, filePath, lineNumber } of anchors) {
    if (commitOid === null || filePath === null || commitOid === head) {
      answers.push(false);
      continue;
    }
    const [before, now] = await Promise.all([file(commitOid, filePath), file(head, filePath)]);
    if (before === undefined || before === now) {
      // A commit that no push brings back may have been pruned.
      answers.push(before === undefined);
      continue;
    }
    if (!diffs.has(commitOid)) diffs.set(commitOid, await changes(git, repositoryId, commitOid, head, signal));
    answers.push(diffs.get(commitOid)?.outdated(filePath, lineNumber) ?? null);
  }
  return answers;
}

interface Changes {
  /** Of a file that has changed. Undefined where the diff does not tell. */
  outdated(path: string, line: number | null): boolean | undefined;
}

async function changes(
  git: Git,
  repositoryId: string,
  from: Oid,
  to: Oid,
  signal: AbortSignal,
): Promise<Changes | undefined> {
  try {
    const { files } = await git.difference(repositoryId, from, to, signal);
    const byPath = new Map(
      files
        .filter(({ status }) => status !== 'added')
        .map((change) => [change.previousPath ?? change.path, change] as const),
    );
    const removed = new Map<string, ReadonlySet<number> | undefined>();
    return {
      outdated(path, line) {
        const change = byPath.get(path);
        if (change === undefined) return undefined;
        if (change.status === 'removed') return true;
        if (line === null) return false;
        if (!removed.has(path)) removed.set(path, removedLines(change));
        return removed.get(path)?.has(line);
      },
    };
  } catch (error) {
    // A list of comments is not refused because a comparison takes too long.
    if (error instanceof Unavailable && !signal.aborted) return undefined;
    throw error;
  }
}

/** Numbers of the lines that a change takes away, as they were before. Undefined where it is not told. */
export function removedLines({ patch, deletions, isBinary }: FileChange): ReadonlySet<number> | undefined {
  if (patch === undefined) return deletions === 0 && !isBinary ? new Set() : undefined;
  const removed = new Set<number>();
  let line = 0;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)/.exec(text);
    if (hunk !== null) line = Number(hunk[1]);
    else if (text.startsWith('-')) removed.add(line++);
    else if (text.startsWith(' ')) line += 1;
  }
  return removed;
}
