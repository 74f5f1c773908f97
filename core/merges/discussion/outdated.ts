// Finds out whether the anchors of comments still exist at the current head. A result depends only on two commits and a
// path, so it is cached. Each request computes a limited number of missing results.
import { Unavailable, Unprocessable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import { within } from '#core/kernel/limits/within';
import type { DiffCaps, FileChange, GitBackend, Oid, PatchedFile } from '#core/repositories/index';
import { presentHead } from './anchors.ts';
import type { Anchor } from '../model/comment.ts';
import { hunksOf } from './hunks.ts';
import type { MergeRequest } from '../model/merge-request.ts';

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
type Fate = 'gone' | { readonly removed: readonly number[] | undefined } | undefined;

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
   * Compares files with an older commit. If the paths still exist, only they are compared; otherwise the whole commits
   * are, to find renames.
   */
  async function compared(
    repositoryId: string,
    { commit: from, isThere }: Question,
    asked: ReadonlySet<string>,
    to: Oid,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Fate>> {
    if (isThere) {
      const query = { from, to, algorithm: 'myers', paths: [...asked] } as const;
      const { files } = await git.patch(repositoryId, query, caps, signal);
      return new Map(files.map((file) => [file.newPath, fateOf(file)]));
    }
    const { files } = await git.difference(repositoryId, from, to, signal);
    return new Map(
      files
        .map((change) => [change.previousPath ?? change.path, change] as const)
        .filter(([path, { status }]) => status !== 'added' && asked.has(path))
        .map(([path, change]) => [path, change.status === 'removed' ? 'gone' : { removed: removedLines(change) }]),
    );
  }

  /**
   * Runs one comparison after another, so that a page of comments uses one slot of git at a time. Stops at the first
   * failure.
   */
  async function findOut(
    repositoryId: string,
    questions: readonly Question[],
    head: Oid,
    signal: AbortSignal,
  ): Promise<void> {
    const left = { named: mostNamed, whole: mostWhole };
    const tried = new Set(questions.filter(({ key }) => failed.get(key) !== undefined));
    for (const one of [...questions.filter((question) => !tried.has(question)), ...tried]) {
      if (known.get(one.key) !== undefined) continue;
      const way = one.isThere ? 'named' : 'whole';
      if (left[way] === 0) continue;
      left[way] -= 1;
      const alike = questions.filter(({ commit, isThere }) => commit === one.commit && isThere === one.isThere);
      // A comparison that failed before runs alone, so that it cannot fail the others.
      const same = tried.has(one) ? [one] : alike.filter((other) => !tried.has(other)).slice(0, caps.maxFiles);
      try {
        const fates = await compared(repositoryId, one, new Set(same.map(({ path }) => path)), head, signal);
        for (const { path, key } of same) remember(key, fates.get(path));
      } catch (error) {
        // A comparison that takes too long must not fail the list of comments.
        if (!(error instanceof Unavailable || error instanceof Unprocessable) || signal.aborted) throw error;
        for (const { key } of same) failed.set(key, true);
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
  const lines = hunksOf(file.sections).flatMap((hunk) => hunk.lines.filter(({ op }) => op === '-'));
  return { removed: lines.map(({ oldNo }) => oldNo) };
}

function standing(fate: Fate, line: number | null): boolean | null {
  if (fate === undefined) return null;
  if (fate === 'gone') return true;
  if (line === null) return false;
  return fate.removed?.includes(line) ?? null;
}

/** The old numbers of the lines that a change removes. Undefined if the change has no patch that lists them. */
export function removedLines({ patch, deletions, isBinary }: FileChange): readonly number[] | undefined {
  if (patch === undefined) return deletions === 0 && !isBinary ? [] : undefined;
  const removed: number[] = [];
  let line = 0;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)/.exec(text);
    if (hunk !== null) line = Number(hunk[1]);
    else if (text.startsWith('-')) removed.push(line++);
    else if (text.startsWith(' ')) line += 1;
  }
  return removed;
}
