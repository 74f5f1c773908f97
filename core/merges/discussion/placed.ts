// Finds the lines of a later commit that comments on an earlier one are about.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import { hunksOf, type DiffCaps, type DiffHunk, type GitBackend, type Oid } from '#core/repositories/index';
import type { Anchor } from '../model/comment.ts';

/** A file of the later commit, and a line of it. */
export interface Place {
  readonly path: string;
  readonly line: number | undefined;
  /** The first line of a range; undefined for one line, and if it was removed. */
  readonly start: number | undefined;
}

/** The most earlier commits that are compared, and the limits of each comparison. */
const mostCommits = 10;
const caps: DiffCaps = { maxFileBytes: 128 * 1024, maxTotalBytes: 2 * 1024 ** 2, maxFileLines: 20_000, maxFiles: 100 };

/**
 * The place of each anchor at the commit. Undefined for an anchor without a file, if the file or line no longer
 * exists, and if git does not report the changes in time.
 */
export async function placedAt(
  git: Pick<GitBackend, 'patch'>,
  repositoryId: string,
  anchors: readonly Anchor[],
  commit: Oid,
  signal: AbortSignal,
): Promise<readonly (Place | undefined)[]> {
  const files = await within(signal, (inner) => changesSince(git, repositoryId, anchors, commit, inner));
  return anchors.map(({ commitOid, filePath, lineNumber, startLine }) => {
    if (commitOid === null || filePath === null) return undefined;
    const line = lineNumber ?? undefined;
    const start = startLine ?? undefined;
    if (commitOid === commit) return { path: filePath, line, start };
    const changes = files?.get(commitOid);
    if (changes === undefined) return undefined;
    const change = changes.get(filePath);
    if (change === undefined) return { path: filePath, line, start };
    if (change === 'gone') return undefined;
    if (line === undefined) return { path: change.path, line, start };
    const now = lineAfter(change.hunks, line);
    return now === undefined
      ? undefined
      : { path: change.path, line: now, start: start === undefined ? undefined : lineAfter(change.hunks, start) };
  });
}

type Change = 'gone' | { readonly path: string; readonly hunks: readonly DiffHunk[] };

/** The changes of the named files from each earlier commit, by its old path. */
async function changesSince(
  git: Pick<GitBackend, 'patch'>,
  repositoryId: string,
  anchors: readonly Anchor[],
  to: Oid,
  signal: AbortSignal,
): Promise<ReadonlyMap<Oid, ReadonlyMap<string, Change>>> {
  const found = new Map<Oid, ReadonlyMap<string, Change>>();
  const byCommit = Map.groupBy(
    anchors.filter(({ commitOid, filePath }) => commitOid !== to && filePath !== null),
    ({ commitOid }) => commitOid ?? '',
  );
  for (const [from, own] of [...byCommit].slice(0, mostCommits)) {
    const paths = [...new Set(own.flatMap(({ filePath }) => filePath ?? []))].slice(0, caps.maxFiles);
    try {
      const { files } = await git.patch(repositoryId, { from, to, algorithm: 'myers', paths }, caps, signal);
      found.set(from, new Map(files.map((file) => [file.oldPath, changeOf(file)])));
    } catch (error) {
      // A commit may have been pruned, or be too far away.
      if (!(error instanceof HexforgeError) || signal.aborted) throw error;
    }
  }
  return found;
}

const changeOf = (file: Awaited<ReturnType<GitBackend['patch']>>['files'][number]): Change =>
  file.isDelete || file.isBinary || file.omitted !== undefined
    ? 'gone'
    : { path: file.newPath, hunks: hunksOf(file.sections) };

/** The number of the line after the change; undefined if it was removed. */
export function lineAfter(hunks: readonly DiffHunk[], line: number): number | undefined {
  let moved = 0;
  for (const { oldStart, oldLines, newLines, lines } of hunks) {
    // A hunk without old lines is behind the line that it names.
    const first = oldLines === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldLines) return lines.find(({ op, oldNo }) => op === ' ' && oldNo === line)?.newNo;
    moved += newLines - oldLines;
  }
  return line + moved;
}
