// Converts the changes of a merge request to files as the diff component shows them: highlighted, without changes of
// whitespace, or with all lines.
import { within, type Html, type Markup } from 'hexforge/plugin';
import { suppressionOf, type DiffSuppression } from 'hexforge/merges';
import { languageOf, type DiffHunk, type DiffLine } from 'hexforge/repositories';
import type { ChangedFile } from 'hexforge/ui';
import type { FileText, RequestChanges, ShownFile } from '#core/merges/use-cases';

/** Why the lines of a file are not shown. */
const reasons: Readonly<Record<DiffSuppression, string>> = {
  git_backend_unavailable: 'Git does not answer now; load the page again later.',
  repository_lookup_failed: 'The repository is not in git; ask an administrator of this instance.',
  compare_branches_failed: 'The branches could not be compared.',
  binary_files_only: 'A binary file is not shown.',
  diff_too_large: 'The changes of this file are too large to be shown.',
  total_size_cap: 'The changes of all files together are too large to be shown.',
  file_count_cap: 'There are too many files to show the changes of each.',
};

/** Reasons that do not apply to a file that is shown alone. */
const together: ReadonlySet<string | undefined> = new Set(['total_size_cap', 'file_count_cap']);

export interface FileView {
  readonly whitespace: boolean;
  /** Only one file is shown. */
  readonly isAlone: boolean;
  /** All lines of the file are shown. */
  readonly isWhole: boolean;
}

export function changedFile(shown: ShownFile, { whitespace, isAlone, isWhole }: FileView): ChangedFile {
  const { file, leftOut } = shown;
  const reason = suppressionOf(file);
  const isLeftOut = leftOut || (!isAlone && together.has(reason));
  const whole = isWhole ? allLines(shown.hunks, (shown.new ?? shown.old)?.text) : shown.hunks;
  return {
    ...file,
    hunks: whitespace ? whole : withoutWhitespace(whole),
    isLeftOut,
    ...(reason !== undefined && !isLeftOut && { suppressed: reasons[reason] }),
  };
}

/** A longer file is shown by its hunks alone, and without highlighting. */
const mostLines = 10_000;

const isLong = (text: string): boolean => text.split('\n', mostLines + 1).length > mostLines;

/** The hunks and the lines between them, as one. */
export function allLines(hunks: readonly DiffHunk[], text: string | undefined): readonly DiffHunk[] {
  const [first] = hunks;
  if (text === undefined || first === undefined || isLong(text)) return hunks;
  const texts = text.split('\n');
  if (texts.at(-1) === '') texts.pop();
  const lines: DiffLine[] = [];
  let [oldNo, newNo] = [1, 1];
  const until = (end: number): void => {
    for (; newNo < end; newNo += 1, oldNo += 1) lines.push({ op: ' ', content: texts[newNo - 1] ?? '', oldNo, newNo });
  };
  for (const hunk of hunks) {
    until(hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart);
    for (const line of hunk.lines) lines.push(line);
    oldNo += hunk.oldLines;
    newNo += hunk.newLines;
  }
  until(texts.length + 1);
  return [{ oldStart: 1, oldLines: oldNo - 1, newStart: 1, newLines: newNo - 1, lines }];
}

const stripped = (line: DiffLine | undefined): string | undefined => line?.content.replaceAll(/\s+/g, '');

/**
 * Shows changes that only differ in whitespace as context. Removed lines are compared with the added lines at the same
 * place of the change. A hunk without other changes is left out.
 */
export function withoutWhitespace(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  return hunks.flatMap((hunk) => {
    const lines: DiffLine[] = [];
    for (let at = 0; at < hunk.lines.length;) {
      const removed = run(hunk.lines, at, '-');
      const added = run(hunk.lines, at + removed.length, '+');
      if (removed.length + added.length === 0) {
        const line = hunk.lines[at];
        if (line !== undefined) lines.push(line);
        at += 1;
        continue;
      }
      at += removed.length + added.length;
      lines.push(...unchanged(removed, added));
    }
    return lines.every(({ op }) => op === ' ') ? [] : { ...hunk, lines };
  });
}

function run(lines: readonly DiffLine[], from: number, op: DiffLine['op']): readonly DiffLine[] {
  let end = from;
  while (lines[end]?.op === op) end += 1;
  return lines.slice(from, end);
}

function unchanged(removed: readonly DiffLine[], added: readonly DiffLine[]): readonly DiffLine[] {
  const isSame = (index: number): boolean =>
    removed.length === added.length && stripped(removed[index]) === stripped(added[index]);
  const lines: DiffLine[] = [];
  let start = 0;
  // A change of different lengths is kept, because it is unknown which of its lines belong together.
  const flush = (end: number): void => {
    lines.push(...removed.slice(start, end), ...added.slice(start, end));
    start = end;
  };
  for (let index = 0; index < Math.min(removed.length, added.length); index += 1) {
    const line = added[index];
    if (line === undefined || !isSame(index)) continue;
    flush(index);
    lines.push({ ...line, op: ' ', oldNo: removed[index]?.oldNo ?? 0 });
    start = index + 1;
  }
  flush(Math.max(removed.length, added.length));
  return lines;
}

export interface Highlighted {
  readonly old?: readonly Html[] | undefined;
  readonly new?: readonly Html[] | undefined;
}

/** The most characters of all files that are highlighted. */
const mostCharacters = 1_000_000;
/** Files that are highlighted at a time: the queue of a caller has 20 texts, and a file has two. */
const filesAtATime = 4;

/** The highlighted lines of each file. Those that are late are missing. */
export async function highlighted(
  markup: Markup | undefined,
  { files }: RequestChanges,
  signal: AbortSignal,
): Promise<ReadonlyMap<ShownFile, Highlighted>> {
  const done = new Map<ShownFile, Highlighted>();
  if (markup === undefined) return done;
  const code = ({ text, oid }: FileText, path: string): Promise<readonly Html[]> | undefined => {
    const language = languageOf(path);
    return language === '' ? undefined : markup.code(text, language, oid);
  };
  let left = mostCharacters;
  const some = files.filter(({ old, new: now }) => {
    const length = (old?.text.length ?? 0) + (now?.text.length ?? 0);
    const fits = length > 0 && length <= left && ![old, now].some((side) => side !== undefined && isLong(side.text));
    if (fits) left -= length;
    return fits;
  });
  await within(signal, async (inner) => {
    const waiting = some.values();
    const next = async (): Promise<void> => {
      for (const shown of waiting) {
        inner.throwIfAborted();
        const { file, old, new: now } = shown;
        const [ofOld, ofNew] = await Promise.all([old && code(old, file.oldPath), now && code(now, file.newPath)]);
        done.set(shown, { old: ofOld, new: ofNew });
      }
    };
    await Promise.all(Array.from({ length: filesAtATime }, next));
  });
  return new Map(done);
}
