// The form for a comment on a file or a line, which a link opens without a script.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { button, linkButton, textArea, urlWith } from 'hexforge/ui';

/** A file, or a line of it, on which the caller wants to comment. */
export interface Wish {
  readonly path: string;
  readonly line: number | undefined;
}

/** The text of a wish in a URL: `PATH`, or `PATH:R:LINE` for a line of the new file. */
export const wishText = ({ path, line }: Wish): string => `${path}:R:${line === undefined ? '' : String(line)}`;

export function wishIn(text: string | undefined): Wish | undefined {
  const [, path, line] = /^(.*?)(?::R:(\d{0,9}))?$/s.exec(text ?? '') ?? [];
  if (path === undefined || path === '') return undefined;
  return { path, line: line === undefined || line === '' ? undefined : Number(line) };
}

interface LineForm {
  /** The path and query of the page. */
  readonly url: string;
  readonly page: string;
  readonly commit: string;
  readonly wish: Wish;
  readonly refused: RefusedForm | undefined;
}

export function lineForm({ url, page, commit, wish, refused }: LineForm): Html {
  const own = refused?.form === 'mergeLineComment' ? refused : undefined;
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return html`<form class="line-form" id="line-form" method="post" action="${page}/comments${query}">
    <input type="hidden" name="commit_sha" value="${commit}" />
    <input type="hidden" name="file_path" value="${wish.path}" />
    ${wish.line !== undefined && html`<input type="hidden" name="line_number" value="${String(wish.line)}" />`}
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
