// The lines of one changed file as a table: unified, or with the old and the new file side by side. Characters above
// U+00FF are written as entities: without them, the text of a long page takes half the memory, and is sent faster.
import { html, type Html } from 'hexforge/plugin';
import { inTurns, type Turns } from '../in-turns.ts';
import { keptRows } from './kept.ts';

/** A line of a hunk. */
export interface FileLine {
  /** A space for a context line, `+` for an added line, `-` for a removed line. */
  readonly op: ' ' | '+' | '-';
  readonly content: string;
  /** 1-based; 0 for an added line. */
  readonly oldNo: number;
  /** 1-based; 0 for a removed line. */
  readonly newNo: number;
  /** Whether the file ends in this line without a newline. */
  readonly noNewline?: boolean;
}

/** Adjacent changed lines with their context. */
export interface FileHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly FileLine[];
}

/** All highlighted lines of the old and of the new file. */
export interface HighlightedLines {
  readonly old?: readonly Html[] | undefined;
  readonly new?: readonly Html[] | undefined;
}

/** The look of the lines of one file. */
export interface LineLooks {
  /** Default: the contents of the lines. */
  readonly highlighted?: HighlightedLines;
  /** The page with a form for a comment on the line. */
  readonly commentOn?: ((line: FileLine) => string | undefined) | undefined;
  /** Below the line, such as comments. */
  readonly below?: ((line: FileLine) => Html | undefined) | undefined;
  /** The page with all lines of the file. */
  readonly expand?: string | undefined;
  /**
   * Identifies the lines, `commentOn` and `expand`, such as by object ids. Rows of the same key are kept and shown to
   * everyone. Rows with something `below` are not kept. Default: none are.
   */
  readonly key?: string | undefined;
}

/** A longer line is cut, because browsers need seconds to break it. */
const longestLine = 2000;

/** A row of the table: lines, or the text between hunks. */
type Row =
  | { readonly kind: 'hunk'; readonly hunk: FileHunk }
  | { readonly kind: 'lines'; readonly old: FileLine | undefined; readonly new: FileLine | undefined };

/** @param turns shared by all files of a page */
export async function diffLines(
  { newPath, hunks }: { readonly newPath: string; readonly hunks: readonly FileHunk[] },
  view: 'unified' | 'split',
  id: string,
  looks: LineLooks,
  turns: Turns,
): Promise<Html> {
  const { key, below, highlighted } = looks;
  const rows = (): Promise<Html> => rowsOf(hunks, view, id, looks, turns);
  return html`<table class="lines ${view}">
    <caption class="skip">
      Changes of
      <bdi>${newPath}</bdi>
    </caption>
    <colgroup>
      ${view === 'split' ? splitColumns : unifiedColumns}
    </colgroup>
    <tbody>
      ${key === undefined || below !== undefined ? await rows() : await keptRows([key, view, id], highlighted, rows)}
    </tbody>
  </table>`;
}

async function rowsOf(
  hunks: readonly FileHunk[],
  view: 'unified' | 'split',
  id: string,
  looks: LineLooks,
  turns: Turns,
): Promise<Html> {
  const rows = hunks.flatMap((hunk): readonly Row[] => [
    { kind: 'hunk', hunk },
    ...(view === 'split' ? pairs(hunk.lines) : hunk.lines.map(alone)),
  ]);
  const render = view === 'split' ? splitRow : unifiedRow;
  const write = (row: Row): Html => (row.kind === 'hunk' ? hunkRow(row.hunk, view, looks) : render(row, id, looks));
  return html`${await inTurns(rows, write, turns)}`;
}

type Lines = Extract<Row, { readonly kind: 'lines' }>;

const unifiedColumns = html`<col class="no" />
  <col class="no" />
  <col />`;
const splitColumns = html`<col class="no" />
  <col />
  <col class="no" />
  <col />`;

const alone = (line: FileLine): Lines => ({
  kind: 'lines',
  old: line.op === '+' ? undefined : line,
  new: line.op === '-' ? undefined : line,
});

/** The removed and the added lines of each change beside each other, in their order. */
function pairs(lines: readonly FileLine[]): readonly Lines[] {
  const rows: Lines[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.op === ' ') {
      rows.push({ kind: 'lines', old: line, new: line });
      at += 1;
      continue;
    }
    const removed = run(lines, at, '-');
    const added = run(lines, at + removed.length, '+');
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push({ kind: 'lines', old: removed[index], new: added[index] });
    at += removed.length + added.length;
  }
  return rows;
}

function run(lines: readonly FileLine[], from: number, op: FileLine['op']): readonly FileLine[] {
  let end = from;
  while (lines[end]?.op === op) end += 1;
  return lines.slice(from, end);
}

const hunkRow = (
  { oldStart, oldLines, newStart, newLines }: FileHunk,
  view: 'unified' | 'split',
  { expand }: LineLooks,
): Html =>
  html`<tr class="hunk">
    <td colspan="${view === 'split' ? '4' : '3'}">
      ${expand !== undefined && html`<a href="${expand}" aria-label="Show all lines"><u>&hellip;</u></a>`} @@
      &minus;${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@
    </td>
  </tr>`;

/** Another name for the tag, because the formatter would add whitespace to each of thousands of rows. */
const compact = html;

const rowKind = { ' ': html``, '+': compact` class="added"`, '-': compact` class="removed"` } as const;
/** A row of a unified diff has the class of its line; side by side, its cells have those of theirs. */
const numberCell = {
  ' ': compact`<td class="no">`,
  '+': compact`<td class="no added">`,
  '-': compact`<td class="no removed">`,
} as const;
const lineCell = {
  ' ': compact`<td class="line">`,
  '+': compact`<td class="line added">`,
  '-': compact`<td class="line removed">`,
} as const;
const noNumber = compact`<td class="no"></td>`;
const noCode = compact`<td class="none"></td>`;
const noNewlineMark = html` <span class="quiet" title="The file has no newline at its end">&empty;</span>`;

/** The number of a line. It is not part of the copied text, because the style sheet writes it. */
function number(
  line: FileLine | undefined,
  side: 'L' | 'R',
  id: string,
  { commentOn }: LineLooks,
  view: 'unified' | 'split',
  named = false,
): Html {
  const no = line === undefined ? 0 : side === 'L' ? line.oldNo : line.newNo;
  if (line === undefined || no === 0) return noNumber;
  const text = String(no);
  // The number in the new file is the link; in the old one only if the line was removed.
  if (side === 'L' && line.op !== '-') return compact`<td class="no" data-no="${text}"></td>`;
  const own = `${id}-${side}${text}`;
  const href = commentOn?.(line);
  const link =
    href === undefined
      ? compact`href="#${own}" data-no="${text}" aria-label="Line ${text}"`
      : compact`class="add" href="${href}" data-no="${text}" aria-label="Comment on line ${text}"`;
  return compact`${numberCell[view === 'split' ? line.op : ' ']}<a ${named && compact`id="${own}" `}${link}></a></td>`;
}

/** The text of a line, and whether the file ends with it. */
function code(line: FileLine, side: 'L' | 'R', looks: LineLooks): Html {
  const { content, noNewline } = line;
  return compact`${text(line, side, looks, content)}${noNewline === true && noNewlineMark}`;
}

function text({ oldNo, newNo }: FileLine, side: 'L' | 'R', { highlighted }: LineLooks, content: string): Html {
  if (content.length > longestLine) {
    const left = content.length - longestLine;
    return html`${content.slice(0, longestLine)}<span class="quiet"> &hellip; ${String(left)} more characters</span>`;
  }
  const shown = side === 'L' ? highlighted?.old?.[oldNo - 1] : highlighted?.new?.[newNo - 1];
  return shown ?? html`${content.endsWith('\r') ? content.slice(0, -1) : content}`;
}

/** The side of which the row of a unified diff is. */
const sideOf = ({ new: added }: Lines): 'L' | 'R' => (added === undefined ? 'L' : 'R');

const idOf = (line: FileLine, id: string): string =>
  line.op === '-' ? `${id}-L${String(line.oldNo)}` : `${id}-R${String(line.newNo)}`;

function unifiedRow(row: Lines, id: string, looks: LineLooks): Html {
  const line = row.new ?? row.old;
  if (line === undefined) return html``;
  const [old, added] = [number(row.old, 'L', id, looks, 'unified'), number(row.new, 'R', id, looks, 'unified')];
  const shown = code(line, sideOf(row), looks);
  return compact`<tr id="${idOf(line, id)}"${rowKind[line.op]}>${old}${added}${lineCell[' ']}${shown}</td></tr>${below([line], '3', looks)}`;
}

const codeCell = (line: FileLine | undefined, side: 'L' | 'R', looks: LineLooks): Html =>
  line === undefined ? noCode : compact`${lineCell[line.op]}${code(line, side, looks)}</td>`;

/** A changed pair has the id of the new line; the cell of the old one has its own. */
function splitRow(row: Lines, id: string, looks: LineLooks): Html {
  const { old, new: added } = row;
  const main = added ?? old;
  const left = compact`${number(old, 'L', id, looks, 'split', old !== main)}${codeCell(old, 'L', looks)}`;
  const right = compact`${number(added, 'R', id, looks, 'split')}${codeCell(added, 'R', looks)}`;
  return compact`<tr${main !== undefined && compact` id="${idOf(main, id)}"`}>${left}${right}</tr>${below(old === added ? [added] : [old, added], '4', looks)}`;
}

const below = (lines: readonly (FileLine | undefined)[], columns: '3' | '4', looks: LineLooks): readonly Html[] =>
  lines.flatMap((line) => {
    const shown = line === undefined ? undefined : looks.below?.(line);
    return shown === undefined
      ? []
      : html`<tr class="talk">
          <td colspan="${columns}">${shown}</td>
        </tr>`;
  });
