// Shows a file by its kind: code, rendered Markdown, an image, a link, or a download.
import { html, type Html } from 'hexforge/plugin';
import type { FileBlob } from 'hexforge/repositories';
import { empty, linkButton } from 'hexforge/ui';
import { most } from './bounds.ts';
import { codeTable } from './code-table.ts';
import type { At } from './folder-view.ts';
import { blamePath, blobPath, commitsPath, rawPath } from './links.ts';
import { symlinkText } from './symlinks.ts';
import { codeLines, isMarkdown, shownText, type Texts } from './texts.ts';

/** Images of more bytes are only downloaded. */
const largestImage = 20 * 1024 * 1024;
/** SVG is among them: in `<img>` it runs and loads nothing. */
const imageName = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|svg)$/i;

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;
function sized(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? String(bytes) : (bytes / 1024 ** step).toFixed(1)} ${units[step] ?? ''}`;
}

interface Shown {
  readonly texts: Texts;
  /** Renders Markdown; undefined if the source is wanted. */
  readonly rendered: ((text: string) => Promise<Html>) | undefined;
  /** The URL of a submodule, if it can be linked. */
  readonly submodule: string | undefined;
  /** The page of the target of a symbolic link, if it is in the repository. */
  readonly target: string | undefined;
}

export async function fileView(at: At, blob: FileBlob, shown: Shown): Promise<Html> {
  const { repository, ref, path } = at;
  const isFile = blob.type === 'file';
  const isText = isFile && shownText(blob) !== undefined;
  const raw = rawPath(repository, ref, path);
  return html`<div class="box">
    <div class="head">
      <span class="grow quiet">${aboutFile(blob)}</span>
      ${isText && isMarkdown(path) && views(at, shown.rendered !== undefined)}
      ${isFile && html`<a class="button small" href="${raw}">Raw</a>`}
      ${isText && html`<a class="button small" href="${blamePath(repository, ref, path)}">Blame</a>`}
      <a class="button small" href="${commitsPath(repository, ref, path)}">History</a>
      ${isFile && html`<a class="button small" href="${raw}?download=1">Download</a>`}
    </div>
    ${await contentOf(at, blob, shown)}
  </div>`;
}

const aboutFile = ({ type, lang, size }: FileBlob): Html | string =>
  type === 'submodule'
    ? 'submodule'
    : type === 'symlink'
      ? 'symbolic link'
      : `${lang === '' ? '' : `${lang} · `}${sized(size)}`;

/** The choice between the rendered text and its source. */
const views = ({ repository, ref, path }: At, rendered: boolean): Html => {
  const link = (title: string, href: string, current: boolean): Html =>
    html`<a class="button small" href="${href}" ${current && html`aria-current="page"`}>${title}</a>`;
  const own = blobPath(repository, ref, path);
  return html`${link('Rendered', own, rendered)} ${link('Source', `${own}?plain=1`, !rendered)}`;
};

async function contentOf(at: At, blob: FileBlob, { texts, rendered, submodule, target }: Shown): Promise<Html> {
  const { repository, ref, path } = at;
  if (blob.type === 'symlink')
    return notice(html`It points to ${linked(html`<code>${symlinkText(blob)}</code>`, target)}`);
  if (blob.type === 'submodule')
    return notice(
      html`Commit <code>${blob.sha}</code> of another repository`,
      submodule !== undefined && html`<a href="${submodule}" rel="nofollow noreferrer"><bdi>${submodule}</bdi></a>`,
    );
  const raw = rawPath(repository, ref, path);
  if (imageName.test(path) && blob.size <= largestImage)
    return html`<div class="image"><img src="${raw}" alt="${path}" /></div>`;
  if (blob.size === 0) return empty('The file is empty');
  const text = shownText(blob);
  if (text === undefined || text.split('\n', most.lines + 2).length > most.lines + 1)
    return notice(
      blob.isBinary ? 'A binary file is not shown' : 'The file is too large to be shown',
      linkButton(`Download ${sized(blob.size)}`, `${raw}?download=1`),
    );
  if (rendered !== undefined && isMarkdown(path)) return html`<div class="body">${await rendered(text)}</div>`;
  return codeTable(await codeLines(texts, text, blob.lang, blob.sha));
}

const linked = (text: Html, href: string | undefined): Html =>
  href === undefined ? text : html`<a href="${href}">${text}</a>`;

const notice = (title: Html | string, next: Html | false = false): Html =>
  html`<div class="empty">
    <p><b>${title}</b></p>
    ${next}
  </div>`;
