// A reader of `git diff` output that is independent of the one under test: it relies on the line counts in the hunk
// headers.

export interface ReadLine {
  readonly op: string;
  readonly content: string;
  readonly oldNo: number;
  readonly newNo: number;
  readonly noNewline?: true;
}
export interface ReadHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly ReadLine[];
}

/** The hunks of each `diff --git`, in order. */
export function readDiff(printed: string): readonly (readonly ReadHunk[])[] {
  const lines = printed.split('\n');
  const files: ReadHunk[][] = [];
  for (let at = 0; at < lines.length;) {
    const text = lines[at++] ?? '';
    if (text.startsWith('diff --git ')) files.push([]);
    const numbers = /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@/.exec(text);
    if (numbers === null) continue;
    const [, oldStart = '', oldCount = ',1', newStart = '', newCount = ',1'] = numbers;
    const [oldLines, newLines] = [Number(oldCount.slice(1)), Number(newCount.slice(1))];
    const hunk: ReadLine[] = [];
    let [old, now] = [0, 0];
    while (old < oldLines || now < newLines) {
      const whole = lines[at++] ?? '';
      const op = whole.charAt(0);
      const isOld = op !== '+';
      const isNew = op !== '-';
      const lacks = lines[at]?.startsWith('\\') === true;
      if (lacks) at += 1;
      hunk.push({
        op,
        content: whole.substring(1),
        oldNo: isOld ? Number(oldStart) + old : 0,
        newNo: isNew ? Number(newStart) + now : 0,
        ...(lacks && { noNewline: true }),
      });
      if (isOld) old += 1;
      if (isNew) now += 1;
    }
    files.at(-1)?.push({ oldStart: Number(oldStart), oldLines, newStart: Number(newStart), newLines, lines: hunk });
  }
  return files;
}
