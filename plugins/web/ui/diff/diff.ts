// Diffs: changed files with their lines, unified or side by side.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';
import { diffLines, type FileHunk, type LineLooks } from './lines.ts';
import { digestOf } from '../text/digest.ts';
import { Turns } from '../in-turns.ts';
import { pill, type Tone } from '../pill.ts';

/** A changed file. */
export interface ChangedFile {
  readonly oldPath: string;
  readonly newPath: string;
  readonly isAdd: boolean;
  readonly isDelete: boolean;
  readonly isRename: boolean;
  readonly isBinary: boolean;
  readonly additions: number;
  readonly deletions: number;
  /** The modes before and after, such as `100644`. */
  readonly oldMode?: string | undefined;
  readonly newMode?: string | undefined;
  readonly hunks: readonly FileHunk[];
  /** Whether the lines are not given, because the page would be too long. */
  readonly isLeftOut?: boolean | undefined;
  /** Why the lines are not shown, as a sentence. */
  readonly suppressed?: string | undefined;
}

/** The look of one file. */
export interface FileLooks extends LineLooks {
  /** The page of the file, to which its name leads. */
  readonly href?: string | undefined;
  /** At the end of the head, such as a button. */
  readonly actions?: HtmlPiece;
  /** Below the head, such as comments on the file. */
  readonly above?: HtmlPiece;
  /** Whether the lines are hidden until the reader opens them. */
  readonly closed?: boolean | undefined;
}

/** The look of a diff. */
export interface DiffLooks {
  readonly view: 'unified' | 'split';
  /** Default: none. */
  readonly of?: (file: ChangedFile, index: number) => FileLooks;
  /** The page with the lines of one file, for files whose lines exceed the limits. */
  readonly alone?: (file: ChangedFile) => string;
  /** Whether each file is replaced while the page is open, as `HtmlPage.live` says. */
  readonly isLive?: boolean;
  /** The most lines of all files together. Default: 5000. */
  readonly mostLines?: number;
}

/** The limits of one page: files with lines, and lines. */
const most = { files: 100, lines: 5000 } as const;

/**
 * The id of the element of a file; its lines have `-L3` (old) or `-R3` (new) appended. It depends on the path alone.
 */
export const fileId = ({ newPath }: Pick<ChangedFile, 'newPath'>): string => `f${digestOf(newPath)}`;

/**
 * The files with their lines. A file whose lines exceed the limits of a page has a head and a link.
 *
 * @example
 *   const shown = await diff([], { view: 'unified' });
 */
export async function diff(files: readonly ChangedFile[], looks: DiffLooks): Promise<Html> {
  const { mostLines = most.lines } = looks;
  const shown: Html[] = [];
  const turns = new Turns();
  let [bodies, left] = [0, mostLines];
  for (const [index, file] of files.entries()) {
    const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    const fits = file.isLeftOut !== true && bodies < most.files && lines <= left;
    if (fits) [bodies, left] = [bodies + 1, left - lines];
    shown.push(await fileOf(file, fits, lines, looks, looks.of?.(file, index) ?? {}, turns));
  }
  return html`<div class="diffs" ${looks.isLive === true && html`data-regions`}>${shown}</div>`;
}

const states = [
  ['isAdd', 'added', 'good'],
  ['isDelete', 'deleted', 'bad'],
  ['isRename', 'renamed', 'accent'],
] as const satisfies readonly (readonly [keyof ChangedFile, string, Tone])[];

function head(file: ChangedFile, { href, actions }: FileLooks): Html {
  const { oldPath, newPath, oldMode, newMode, additions, deletions } = file;
  const state = states.find(([member]) => file[member]);
  const name = html`<bdi>${newPath}</bdi>`;
  return html`<div class="head">
    <h2 class="grow path">
      ${oldPath !== newPath && html`<bdi>${oldPath}</bdi> &rarr; `}${href === undefined ? name : html`<a href="${href}">${name}</a>`}
    </h2>
    ${state !== undefined && pill(state[1], state[2])}
    ${modeChanged(file) && html`<span class="quiet">${oldMode} &rarr; ${newMode}</span>`}
    ${!file.isBinary && html`<span class="counts">${counts(additions, deletions)}</span>`} ${actions}
  </div>`;
}

/** The numbers of added and deleted lines. */
export const counts = (additions: number, deletions: number): Html =>
  html`<span class="plus">+${String(additions)}</span> <span class="minus">&minus;${String(deletions)}</span>`;

const modeChanged = ({ isAdd, isDelete, oldMode, newMode }: ChangedFile): boolean =>
  !isAdd && !isDelete && oldMode !== newMode;

/** The class with the approximate height of so many lines. */
const sizeOf = (lines: number): string => `size${String(Math.min(4, Math.floor(Math.log2(lines + 1) / 2.5)))}`;

async function fileOf(
  file: ChangedFile,
  fits: boolean,
  lines: number,
  { view, alone, isLive }: DiffLooks,
  looks: FileLooks,
  turns: Turns,
): Promise<Html> {
  const id = fileId(file);
  const note = noteOn(file);
  const body =
    note !== undefined
      ? html`<p class="quiet note">${note}</p>`
      : fits
        ? html`<details ${looks.closed !== true && html`open`}>
            <summary class="fold">
              <span class="skip">Lines of <bdi>${file.newPath}</bdi></span>
            </summary>
            ${await diffLines(file, view, id, looks, turns)}
          </details>`
        : html`<p class="quiet note">
            ${file.isLeftOut === true ? 'Its' : String(lines)} lines are not shown on this page.
            ${alone !== undefined && html`<a href="${alone(file)}">Show <bdi>${file.newPath}</bdi></a>`}
          </p>`;
  return html`<section
    class="box diff ${note === undefined && fits && looks.closed !== true && sizeOf(lines)}"
    id="${id}"
    ${isLive === true && html`data-region`}
  >
    ${head(file, looks)} ${looks.above} ${body}
  </section>`;
}

/** The text instead of the lines. */
function noteOn(file: ChangedFile): string | undefined {
  if (file.suppressed !== undefined) return file.suppressed;
  if (file.isBinary) return 'A binary file is not shown.';
  if (file.isLeftOut === true) return undefined;
  if (file.hunks.length > 0) return undefined;
  return file.isRename
    ? 'The file was renamed without changes.'
    : modeChanged(file)
      ? 'Only the mode changed.'
      : 'No lines changed.';
}
