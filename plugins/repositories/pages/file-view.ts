// Shows a file with numbered lines. A file that is binary or too large is offered as a download.
import { html, type Html } from 'hexforge/plugin';
import type { FileBlob } from 'hexforge/repositories';
import { empty } from 'hexforge/ui';
import { inTurns, most } from './bounds.ts';
import type { At } from './folder-view.ts';
import { commitsPath, rawPath } from './links.ts';

const utf8 = new TextDecoder('utf-8');

/** The text of a file; undefined if it is binary or too large to be shown. */
export const shownText = ({ content, isBinary }: FileBlob): string | undefined =>
  content === undefined || isBinary || content.byteLength > most.bytes ? undefined : utf8.decode(content);

async function numbered(lines: readonly string[]): Promise<Html> {
  const rows = await inTurns(
    lines,
    (line, index) =>
      html`<tr id="L${String(index + 1)}">
        <td class="number"><a href="#L${String(index + 1)}" data-line="${String(index + 1)}"></a></td>
        <td><code>${line}</code></td>
      </tr>`,
  );
  return html`<table class="code">
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;
function sized(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? String(bytes) : (bytes / 1024 ** step).toFixed(1)} ${units[step] ?? ''}`;
}

export async function fileView({ repository, ref, path }: At, blob: FileBlob): Promise<Html> {
  const raw = rawPath(repository, ref, path);
  const lines = shownText(blob)?.split('\n');
  if (lines?.at(-1) === '') lines.pop();
  const content =
    lines === undefined || lines.length > most.lines
      ? html`<div class="empty">
          <p><b>${blob.isBinary ? 'A binary file is not shown' : 'The file is too large to be shown'}</b></p>
          <a href="${raw}">Download ${sized(blob.size)}</a>
        </div>`
      : blob.size === 0
        ? empty('The file is empty')
        : await numbered(lines);
  return html`<div class="box">
    <div class="head">
      <span class="grow quiet">${blob.lang !== '' && `${blob.lang} · `}${sized(blob.size)}</span>
      <a class="button small" href="${raw}">Raw</a>
      <a class="button small" href="${commitsPath(repository, ref, path)}">History</a>
    </div>
    ${content}
  </div>`;
}
