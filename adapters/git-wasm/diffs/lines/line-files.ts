// Two files as lines, in which equal lines have the same number, for the algorithms of this folder.

export interface LineFile {
  /** The offset of each line, and of the end of the file. */
  readonly starts: readonly number[];
  readonly bytes: Buffer;
  /** The number of each line. */
  readonly ids: Int32Array;
  /** 1 for each line that is removed or added; one more than there are lines. */
  readonly changed: Uint8Array;
}

export const lineCount = ({ starts }: LineFile): number => starts.length - 1;

export const lineAt = ({ bytes, starts }: LineFile, index: number): Buffer =>
  bytes.subarray(starts[index] ?? 0, starts[index + 1] ?? bytes.length);

function startsIn(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(0x0a, at);
    at = newline < 0 ? bytes.length : newline + 1;
    starts.push(at);
  }
  return starts;
}

export function lineFiles(one: Buffer, other: Buffer): readonly [LineFile, LineFile] {
  const numbers = new Map<string, number>();
  const fileOf = (bytes: Buffer): LineFile => {
    const starts = startsIn(bytes);
    const ids = new Int32Array(starts.length - 1);
    for (let index = 0; index < ids.length; index += 1) {
      const line = bytes.toString('latin1', starts[index], starts[index + 1]);
      const known = numbers.get(line) ?? numbers.size;
      if (known === numbers.size) numbers.set(line, known);
      ids[index] = known;
    }
    return { starts, bytes, ids, changed: new Uint8Array(starts.length) };
  };
  return [fileOf(one), fileOf(other)];
}

/** A range of changed lines, counted from 0: `removed` lines at `oldStart` become `added` lines at `newStart`. */
export interface LineChange {
  readonly oldStart: number;
  readonly newStart: number;
  readonly removed: number;
  readonly added: number;
}

/** The changes in the order of the files. */
export function changesIn(one: LineFile, other: LineFile): LineChange[] {
  const changes: LineChange[] = [];
  const [before, after] = [lineCount(one), lineCount(other)];
  for (let [old, now] = [0, 0]; old < before || now < after;) {
    const [oldStart, newStart] = [old, now];
    while (old < before && one.changed[old] === 1) old += 1;
    while (now < after && other.changed[now] === 1) now += 1;
    if (old > oldStart || now > newStart)
      changes.push({ oldStart, newStart, removed: old - oldStart, added: now - newStart });
    old += 1;
    now += 1;
  }
  return changes;
}
