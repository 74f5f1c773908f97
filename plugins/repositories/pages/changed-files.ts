// The changed files of a commit or a comparison, with their patches.
import { html, type Html } from 'hexforge/plugin';
import type { Difference, FileChange, Repository } from 'hexforge/repositories';
import { pill } from 'hexforge/ui';
import { inTurns, most } from './bounds.ts';
import { blobPath } from './links.ts';

const tones = { added: 'good', removed: 'bad', modified: 'neutral', renamed: 'accent' } as const;

/** A changed file. @param patch its hunks; undefined if they are not shown. */
async function changedFile(
  repository: Repository,
  oid: string,
  file: FileChange,
  patch?: readonly string[],
): Promise<Html> {
  const { path, previousPath, status, additions, deletions, isBinary } = file;
  const lines = patch && (await inTurns(patch, patchLine));
  return html`<section class="box diff">
    <div class="head">
      ${pill(status, tones[status])}
      <span class="grow">
        ${previousPath !== undefined && html`<bdi>${previousPath}</bdi> → `}
        ${
          status === 'removed'
            ? html`<bdi>${path}</bdi>`
            : html`<a href="${blobPath(repository, oid, path)}"><bdi>${path}</bdi></a>`
        }
      </span>
      <span class="plus">+${String(additions)}</span> <span class="minus">−${String(deletions)}</span>
    </div>
    ${
      lines === undefined
        ? html`<p class="quiet">
            ${isBinary ? 'A binary file' : additions + deletions > 0 ? 'Too large to be shown' : 'No lines changed'}
          </p>`
        : html`<pre class="patch">${lines}</pre>`
    }
  </section>`;
}

const classes: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' };
const patchLine = (line: string): Html => html`<span class="${classes[line[0] ?? ''] ?? ''}">${line}${'\n'}</span>`;

/** The files with hunks until the bound of all lines is reached. @param ref at which the files are shown. */
export async function changedFiles(repository: Repository, ref: string, difference: Difference): Promise<Html> {
  const { files, additions, deletions, truncated } = difference;
  let left: number = most.patchLines;
  const shown: Html[] = [];
  for (const file of files.slice(0, most.files)) {
    const lines = file.patch?.split('\n');
    const fits = lines !== undefined && lines.length <= left;
    if (fits) left -= lines.length;
    shown.push(await changedFile(repository, ref, file, fits ? lines : undefined));
  }
  return html`<p>
      ${String(files.length)} ${files.length === 1 ? 'file' : 'files'} changed,
      <span class="plus">+${String(additions)}</span> <span class="minus">−${String(deletions)}</span>
    </p>
    ${shown}
    ${(truncated || files.length > most.files) && html`<p class="quiet">More files changed than are shown.</p>`}`;
}
