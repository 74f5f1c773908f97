// The form for a comment on a file or a line, which a link opens without a script.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { button, linkButton, textArea, urlWith } from 'hexforge/ui';

/** A file, or a line of it, on which the caller wants to comment. */
export interface Wish {
  readonly path: string;
  readonly line: number | undefined;
  /** The first line of a range. */
  readonly start?: number | undefined;
}

/** The text in a URL: `PATH`, `PATH:R:LINE` for a line of the new file, or `PATH:R:FIRST-LAST` for a range. */
export const wishText = ({ path, line }: Wish): string => `${path}:R:${line === undefined ? '' : String(line)}`;

export function wishIn(text: string | undefined): Wish | undefined {
  const [, path, start, line] = /^(.*?)(?::R:(?:(\d{1,9})-)?(\d{0,9}))?$/s.exec(text ?? '') ?? [];
  if (path === undefined || path === '') return undefined;
  const number = (digits: string | undefined): number | undefined =>
    digits === undefined || digits === '' ? undefined : Number(digits);
  return { path, line: number(line), start: number(start) };
}

interface LineForm {
  /** The path and query of the page. */
  readonly url: string;
  readonly page: string;
  readonly commit: string;
  readonly wish: Wish;
  readonly refused: RefusedForm | undefined;
}

const startOf = ({ start, line }: Wish, refused: RefusedForm | undefined): string => {
  const typed = refused?.values['start_line'];
  return typeof typed === 'string' ? typed : String(start ?? line ?? '');
};

export function lineForm({ url, page, commit, wish, refused }: LineForm): Html {
  const own = refused?.form === 'mergeLineComment' ? refused : undefined;
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return html`<form class="line-form" id="line-form" method="post" action="${page}/comments${query}">
    <input type="hidden" name="commit_sha" value="${commit}" />
    <input type="hidden" name="file_path" value="${wish.path}" />
    ${wish.line !== undefined && html`<input type="hidden" name="line_number" value="${String(wish.line)}" />`}
    ${
      wish.line !== undefined &&
      wish.line > 1 &&
      html`<p class="range">
        <label for="start_line">From line</label>
        <input
          id="start_line"
          name="start_line"
          type="number"
          min="1"
          max="${String(wish.line)}"
          value="${startOf(wish, own)}"
        />
        to line ${String(wish.line)}
      </p>`
    }
    ${textArea({
      label: wish.line === undefined ? 'Comment on the file' : `Comment on line ${String(wish.line)}`,
      name: 'body',
      id: 'line-comment',
      rows: 4,
      hint: 'Markdown',
      required: true,
      refused: own,
    })}
    <div class="actions">${button('Comment')} ${linkButton('Cancel', urlWith(url, { comment: undefined }))}</div>
  </form>`;
}
