// Moves groups of changed lines up or down, which leaves the diff correct, so that it is easier to read. A port of the
// one in xdiff, with the indent heuristic that git uses by default.
import { lineCount, type LineFile } from './line-files.ts';

const mostIndent = 200;
const mostBlanks = 20;
const mostSliding = 100;
const weights = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  postBlank: 6,
  indent: -4,
  indentWithBlank: 10,
  outdent: 24,
  outdentWithBlank: 17,
  dedent: 23,
  dedentWithBlank: 17,
  perIndent: 60,
} as const;

/** A group of adjacent changed lines, which may be empty. */
class Group {
  readonly #file: LineFile;
  readonly #count: number;
  start = 0;
  end = 0;

  constructor(file: LineFile) {
    this.#file = file;
    this.#count = lineCount(file);
    this.#extend();
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  next(): boolean {
    if (this.end === this.#count) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#extend();
    return true;
  }

  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    this.#extendUp();
    return true;
  }

  slideDown(): boolean {
    const { ids, changed } = this.#file;
    if (this.end >= this.#count || ids[this.start] !== ids[this.end]) return false;
    changed[this.start] = 0;
    changed[this.end] = 1;
    this.start += 1;
    this.end += 1;
    this.#extend();
    return true;
  }

  slideUp(): boolean {
    const { ids, changed } = this.#file;
    if (this.start === 0 || ids[this.start - 1] !== ids[this.end - 1]) return false;
    this.start -= 1;
    this.end -= 1;
    changed[this.start] = 1;
    changed[this.end] = 0;
    this.#extendUp();
    return true;
  }

  #extend(): void {
    while (this.#file.changed[this.end] === 1) this.end += 1;
  }

  #extendUp(): void {
    while (this.start > 0 && this.#file.changed[this.start - 1] === 1) this.start -= 1;
  }
}

export function compact(file: LineFile, other: LineFile): void {
  const group = new Group(file);
  const opposite = new Group(other);
  do {
    if (!group.isEmpty) settle(file, group, opposite);
  } while (group.next() && opposite.next());
}

function settle(file: LineFile, group: Group, opposite: Group): void {
  let size: number;
  let earliest: number;
  let matching: number;
  do {
    size = group.end - group.start;
    matching = -1;
    while (group.slideUp()) opposite.previous();
    earliest = group.end;
    if (!opposite.isEmpty) matching = group.end;
    while (group.slideDown()) {
      opposite.next();
      if (!opposite.isEmpty) matching = group.end;
    }
  } while (size !== group.end - group.start);
  if (group.end === earliest) return;
  if (matching !== -1) {
    while (opposite.isEmpty && group.slideUp()) opposite.previous();
    return;
  }
  const best = bestEnd(file, Math.max(earliest, group.end - size - 1, group.end - mostSliding), group.end, size);
  while (group.end > best && group.slideUp()) opposite.previous();
}

interface Score {
  indent: number;
  penalty: number;
}

function bestEnd(file: LineFile, from: number, to: number, size: number): number {
  let best = -1;
  let least: Score = { indent: 0, penalty: 0 };
  for (let end = from; end <= to; end += 1) {
    const score = { indent: 0, penalty: 0 };
    addSplit(file, end, score);
    addSplit(file, end - size, score);
    const order = weights.perIndent * Math.sign(score.indent - least.indent) + score.penalty - least.penalty;
    if (best === -1 || order <= 0) [best, least] = [end, score];
  }
  return best;
}

/** How bad it is to begin or end a group before this line. */
function addSplit(file: LineFile, split: number, score: Score): void {
  const count = lineCount(file);
  const isEnd = split >= count;
  const own = isEnd ? -1 : indentOf(file, split);
  let [preBlank, preIndent] = [0, -1];
  for (let at = split - 1; at >= 0; at -= 1) {
    preIndent = indentOf(file, at);
    if (preIndent !== -1) break;
    preBlank += 1;
    if (preBlank === mostBlanks) {
      preIndent = 0;
      break;
    }
  }
  let [postBlank, postIndent] = [0, -1];
  for (let at = split + 1; at < count; at += 1) {
    postIndent = indentOf(file, at);
    if (postIndent !== -1) break;
    postBlank += 1;
    if (postBlank === mostBlanks) {
      postIndent = 0;
      break;
    }
  }
  if (preIndent === -1 && preBlank === 0) score.penalty += weights.startOfFile;
  if (isEnd) score.penalty += weights.endOfFile;
  const blankAfter = own === -1 ? 1 + postBlank : 0;
  const blanks = preBlank + blankAfter;
  score.penalty += weights.totalBlank * blanks + weights.postBlank * blankAfter;
  const indent = own === -1 ? postIndent : own;
  score.indent += indent;
  if (indent === -1 || preIndent === -1 || indent === preIndent) return;
  if (indent > preIndent) score.penalty += blanks > 0 ? weights.indentWithBlank : weights.indent;
  else if (postIndent !== -1 && postIndent > indent)
    score.penalty += blanks > 0 ? weights.outdentWithBlank : weights.outdent;
  else score.penalty += blanks > 0 ? weights.dedentWithBlank : weights.dedent;
}

/** Columns before the first character of a line; -1 for a blank line. */
function indentOf({ bytes, starts }: LineFile, index: number): number {
  let indent = 0;
  const end = starts[index + 1] ?? bytes.length;
  for (let at = starts[index] ?? 0; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x20) indent += 1;
    else if (byte === 0x09) indent += 8 - (indent % 8);
    else if (byte !== 0x0a && byte !== 0x0b && byte !== 0x0c && byte !== 0x0d) return indent;
    if (indent >= mostIndent) return mostIndent;
  }
  return -1;
}
