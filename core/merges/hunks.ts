// Hunks of a unified diff, read from their text: which lines stand where before and after.
import type { PatchSection } from '#core/repositories/index';

/** A line of a hunk. */
export interface DiffLine {
  /** A space for context, `+` for one that is added, `-` for one that is removed. */
  readonly op: ' ' | '+' | '-';
  /** Without its newline; a carriage return before that belongs to it. */
  readonly content: string;
  /** 1-based; 0 for a line that is added. */
  readonly oldNo: number;
  /** 1-based; 0 for a line that is removed. */
  readonly newNo: number;
  /** Of the last line of a file that does not end in a newline. */
  noNewline?: true;
}

/** Lines that are changed together, with those around them. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

const heading = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** All hunks of a file; of one that became a link, say, those of what it was come first. */
export const hunksOf = (sections: readonly PatchSection[]): readonly DiffHunk[] =>
  sections.flatMap(({ hunks }) => readHunks(hunks));

function readHunks(text: string): readonly DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let lines: DiffLine[] = [];
  let [oldNo, newNo] = [0, 0];
  for (const line of text.split('\n').slice(0, -1)) {
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
      // `\ No newline at end of file`, which is said of the line before.
      const last = lines.at(-1);
      if (last !== undefined) last.noNewline = true;
    }
  }
  return hunks;
}
