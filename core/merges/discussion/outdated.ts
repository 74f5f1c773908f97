// Finds out whether the anchors of comments still exist at the current head. A result depends only on two commits and a
// path, so it is cached. Each request computes a limited number of missing results.
import { Unavailable, Unprocessable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import { within } from '#core/kernel/limits/within';
import type { DiffCaps, GitBackend, Oid, PatchedFile } from '#core/repositories/index';
import { presentHead } from './anchors.ts';
import type { Anchor } from '../model/comment.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import { hasLine, removedBy, removedRanges, type LineRanges } from './removed-lines.ts';

type Git = Pick<GitBackend, 'isLegalName' | 'readRefs' | 'entry' | 'difference' | 'patch'>;

/**
 * The most comparisons per request: of named paths, and of whole commits. The latter are needed to find renamed files.
 */
const [mostNamed, mostWhole] = [20, 2];
/** Limits of the diffs in which lines are searched. */
const caps: DiffCaps = { maxFileBytes: 128 * 1024, maxTotalBytes: 8 * 1024 ** 2, maxFileLines: 20_000, maxFiles: 100 };
/** The approximate size of the cache in bytes, and the most failed comparisons that are remembered. */
const [mostKnown, mostFailed] = [8_000_000, 10_000];

/**
 * The state of a file at the head. `removed` has the old numbers of the removed lines; it is undefined if git does not
 * report them. The whole value is undefined if the comparison has no result for the file.
 */
type Fate = 'gone' | { readonly removed: LineRanges | undefined } | undefined;

/** Which files a comparison includes: those that are asked for, or all of the commits. */
type Way = 'named' | 'whole';

interface Question {
  readonly index: number;
  readonly commit: Oid;
  readonly path: string;
  readonly line: number | null;
  /** Whether the path still is a file. Then the file was not renamed, and comparing this path alone is enough. */
  readonly isThere: boolean;
  readonly key: string;
}

export function outdatedAnchors(git: Git) {
  const known = new Lru<{ readonly fate: Fate }>(mostKnown);
  /** Comparisons that failed. They are tried after all others, so that they do not use up the limit each time. */
  const failed = new Lru<true>(mostFailed);

  const remember = (key: string, fate: Fate): void =>
    known.set(key, { fate }, 300 + key.length + (typeof fate === 'object' ? 8 * (fate.removed?.length ?? 0) : 0));

  /**
   * Compares files with an older commit. If all paths still exist, only they are compared; otherwise the whole commits
   * are, to find renames.
   */
  async function compared(
    repositoryId: string,
    from: Oid,
    way: Way,
    asked: ReadonlySet<string>,
    to: Oid,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Fate>> {
    if (way === 'named') {
      const query = { from, to, algorithm: 'myers', paths: [...asked] } as const;
      const { files } = await git.patch(repositoryId, query, caps, signal);
      return new Map(files.map((file) => [file.newPath, fateOf(file)]));
    }
    const { files } = await git.difference(repositoryId, from, to, signal);
    return new Map(
      files
        .map((change) => [change.previousPath ?? change.path, change] as const)
        .filter(([path, { status }]) => status !== 'added' && asked.has(path))
        .map(([path, change]) => [path, change.status === 'removed' ? 'gone' : { removed: removedBy(change) }]),
    );
  }

  /**
   * Runs one comparison after another, so that a page of comments uses one slot of git at a time, and at most one of
   * each commit. Stops at the first failure.
   */
  async function findOut(
    repositoryId: string,
    questions: readonly Question[],
    head: Oid,
    signal: AbortSignal,
  ): Promise<void> {
    const left = { named: mostNamed, whole: mostWhole };
    const unknown = Map.groupBy(
      questions.filter(({ key }) => known.get(key) === undefined),
      ({ commit }) => commit,
    );
    const ofCommits = [...unknown].map(([commit, own]) => {
      const fresh = own.filter(({ key }) => failed.get(key) === undefined);
      // A file whose comparison failed before is compared alone, so that it cannot fail the others.
      return { commit, hasFailed: fresh.length === 0, asked: fresh.length === 0 ? own.slice(0, 1) : fresh };
    });
    for (const { commit, asked } of ofCommits.toSorted((one, two) => Number(one.hasFailed) - Number(two.hasFailed))) {
      const way: Way = asked.every(({ isThere }) => isThere) ? 'named' : 'whole';
      if (left[way] === 0) continue;
      left[way] -= 1;
      const paths = [...new Set(asked.map(({ path }) => path))].slice(0, way === 'named' ? caps.maxFiles : undefined);
      const among = new Set(paths);
      const compares = asked.filter(({ path }) => among.has(path));
      try {
        const fates = await compared(repositoryId, commit, way, among, head, signal);
        for (const { path, key, isThere } of compares)
          // A comparison of whole commits may leave files out. One that still exists is compared alone later.
          if (way === 'named' || !isThere || isKnown(fates.get(path))) remember(key, fates.get(path));
      } catch (error) {
        // A comparison that takes too long must not fail the list of comments.
        if (!(error instanceof Unavailable || error instanceof Unprocessable) || signal.aborted) throw error;
        for (const { key } of compares) failed.set(key, true);
        return;
      }
    }
  }

  /** Whether each anchor is outdated at the head. Null if that is unknown, or not known yet. */
  return async (
    request: MergeRequest,
    anchors: readonly Anchor[],
    signal: AbortSignal,
  ): Promise<readonly (boolean | null)[]> => {
    const answers: (boolean | null)[] = anchors.map(() => false);
    if (anchors.every(({ filePath }) => filePath === null)) return answers;
    const { repositoryId } = request;
    const head = await presentHead(git, request);
    const files = new Map<string, ReturnType<Git['entry']>>();
    const file = (commit: Oid, path: string): ReturnType<Git['entry']> => {
      const key = `${commit}:${path}`;
      const entry = files.get(key) ?? git.entry(repositoryId, commit, path);
      files.set(key, entry);
      return entry;
    };
    const questions: Question[] = [];
    for (const [index, { commitOid: commit, filePath: path, lineNumber: line }] of anchors.entries()) {
      if (commit === null || path === null || commit === head) continue;
      const [before, now] = await Promise.all([file(commit, path), file(head, path)]);
      // A commit that is no longer part of any branch may have been pruned.
      if (before === undefined) answers[index] = true;
      if (before === undefined || before.oid === now?.oid) continue;
      const isThere = now !== undefined && now.type !== 'directory';
      const key = `${repositoryId}:${commit}:${head}:${path}`;
      questions.push({ index, commit, path, line, isThere, key });
    }
    await within(signal, (inner) => findOut(repositoryId, questions, head, inner));
    for (const { index, key, line } of questions) answers[index] = standing(known.get(key)?.fate, line);
    return answers;
  };
}

function fateOf(file: PatchedFile): Fate {
  if (file.isDelete) return 'gone';
  if (file.isBinary || (file.omitted !== undefined && file.deletions > 0)) return { removed: undefined };
  return { removed: removedRanges(file.sections.map(({ hunks }) => hunks)) };
}

const isKnown = (fate: Fate): boolean => fate === 'gone' || fate?.removed !== undefined;

function standing(fate: Fate, line: number | null): boolean | null {
  if (fate === undefined) return null;
  if (fate === 'gone') return true;
  if (line === null) return false;
  return fate.removed === undefined ? null : hasLine(fate.removed, line);
}
