// Parses the hunks of a unified diff into lines with their old and new line numbers.
import type { PatchSection } from './git-diffs.ts';

/** A line of a hunk. */
export interface DiffLine {
  /** A space for a context line, `+` for an added line, `-` for a removed line. */
  readonly op: ' ' | '+' | '-';
  /** Without the newline. A carriage return before the newline is part of the content. */
  readonly content: string;
  /** 1-based; 0 for an added line. */
  readonly oldNo: number;
  /** 1-based; 0 for a removed line. */
  readonly newNo: number;
  /** Set on the last line of a file that does not end with a newline. */
  noNewline?: true;
}

/** Adjacent changed lines with their context. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

const heading = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * All hunks of a file. If the type of the file changed, such as to a symbolic link, the hunks of the old file precede
 * those of the new one.
 */
export const hunksOf = (sections: readonly PatchSection[]): readonly DiffHunk[] =>
  sections.flatMap(({ hunks }) => readHunks(hunks));

/** @param text hunks as git prints them, such as the `patch` of a changed file. */
export function readHunks(text: string): readonly DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let lines: DiffLine[] = [];
  let [oldNo, newNo] = [0, 0];
  for (const line of (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')) {
    const [op] = line;
    const content = line.slice(1);
    if (op === '@') {
      const [, oldStart, oldLines, newStart, newLines] = heading.exec(line) ?? [];
      [oldNo, newNo] = [Number(oldStart), Number(newStart)];
      lines = [];
      hunks.push({
        oldStart: oldNo,
        oldLines: Number(oldLines ?? 1),
        newStart: newNo,
        newLines: Number(newLines ?? 1),
        lines,
      });
    } else if (op === '+') lines.push({ op, content, oldNo: 0, newNo: newNo++ });
    else if (op === '-') lines.push({ op, content, oldNo: oldNo++, newNo: 0 });
    else if (op === ' ') lines.push({ op, content, oldNo: oldNo++, newNo: newNo++ });
    else {
      // `\ No newline at end of file` refers to the line before it.
      const last = lines.at(-1);
      if (last !== undefined) last.noNewline = true;
    }
  }
  return hunks;
}
