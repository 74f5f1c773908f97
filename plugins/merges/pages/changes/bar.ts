// The line above the changes, with the choices of the view, and the list of files beside them.
import { html, type Call, type Html } from 'hexforge/plugin';
import type { MergeView } from 'hexforge/merges';
import { counts, fileId, filterChoice, linkButton, urlWith, type ChangedFile } from 'hexforge/ui';
import type { MergeTalk, RequestChanges } from '#core/merges/use-cases';
import { plural } from '../marks.ts';

interface Bar {
  readonly url: string;
  readonly view: MergeView;
  readonly changes: RequestChanges;
  readonly talk: MergeTalk;
  readonly caller: Call['caller'];
  readonly mayReview: boolean;
  readonly asked: Readonly<
    Partial<Record<'view' | 'algorithm' | 'whitespace' | 'since' | 'file' | 'full' | 'viewed', string | undefined>>
  >;
}

export function changesBar({ url, view, changes, talk, caller, mayReview, asked }: Bar): Html {
  const mine =
    talk.reviews.find(({ userId }) => caller.kind === 'user' && userId === caller.id)?.commitOid ?? undefined;
  const { since, file, full, viewed } = asked;
  const kept = Object.entries({ since, file, full, viewed }).filter(([, value]) => value !== undefined);
  return html`<div class="bar changes-bar" id="merge-bar" data-region>
    <span>${plural(file === undefined ? changes.files.length : 1, 'file')}</span>
    <span class="counts">${counts(changes.additions, changes.deletions)}</span>
    ${since !== undefined && html`<span class="quiet">since <code>${since.slice(0, 7)}</code></span>`}
    ${
      (since !== undefined || file !== undefined) &&
      linkButton(
        'All changes',
        urlWith(url, { since: undefined, file: undefined, full: undefined, comment: undefined }),
      )
    }
    ${
      mine !== undefined &&
      mine !== since &&
      mine !== view.headOid &&
      linkButton('Since my review', urlWith(url, { since: mine, file: undefined, full: undefined, comment: undefined }))
    }
    ${mine !== undefined && mine === view.headOid && html`<span class="quiet">Nothing changed since your review</span>`}
    <span class="grow"></span>
    <form class="filter" method="get" action="${url.split('?', 1)[0] ?? ''}">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${filterChoice('View', 'view', asked.view ?? '', [
        { value: '', label: 'Unified' },
        { value: 'split', label: 'Side by side' },
      ])}
      ${filterChoice('Whitespace', 'whitespace', asked.whitespace ?? '', [
        { value: '', label: 'With whitespace' },
        { value: 'ignore', label: 'Without whitespace' },
      ])}
      ${filterChoice('Algorithm', 'algorithm', asked.algorithm ?? '', [
        { value: '', label: 'Usual' },
        { value: 'myers', label: 'Myers' },
        { value: 'histogram', label: 'Histogram' },
      ])}
      <button class="button">Show</button>
    </form>
    ${mayReview && linkButton(view.state === 'open' ? 'Review' : 'Comment', '#review', { kind: 'primary' })}
  </div>`;
}

/** The most files in the list. */
const mostListed = 500;

export const fileList = (files: readonly ChangedFile[], viewed: ReadonlySet<string>): Html => {
  const done = files.filter((file) => viewed.has(fileId(file))).length;
  return html`<nav class="file-list" aria-label="Files">
    ${done > 0 && html`<p class="quiet">${String(done)} of ${String(files.length)} viewed</p>`}
    <ul>
      ${files.slice(0, mostListed).map((file) => {
        const id = fileId(file);
        return html`<li class="${viewed.has(id) && 'viewed'}">
          <a class="grow" href="#${id}"><bdi>${file.newPath}</bdi></a>
          <span class="counts">${counts(file.additions, file.deletions)}</span>
        </li>`;
      })}
    </ul>
    ${files.length > mostListed && html`<p class="quiet">and ${plural(files.length - mostListed, 'other')}</p>`}
  </nav>`;
};
