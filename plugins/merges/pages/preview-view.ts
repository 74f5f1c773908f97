// The commits and files that a new merge request would have.
import { html, type Html } from 'hexforge/plugin';
import { hunksOf, type Repository } from 'hexforge/repositories';
import { commitRow, counts, diff, list, plural } from 'hexforge/ui';
import type { MergePreview } from '#core/merges/use-cases';
import { changedFile } from './changes/shown-files.ts';

/** The most files that are shown, and lines of all of them. */
const most = { files: 50, lines: 1500 } as const;

export async function previewView(
  repository: Repository,
  { commits, patch, isOlder }: MergePreview,
  now: Date,
): Promise<Html> {
  if (commits === undefined)
    return html`<p class="quiet">Git did not compare the branches in time. They can be merged all the same.</p>`;
  return html`<section class="card">
      <h2>${plural(commits.items.length, 'commit')}${commits.items.length === 100 && ' or more'}</h2>
      ${isOlder && html`<p class="quiet">The fork does not have the newest commits of <bdi>${repository.name}</bdi>, so more may be listed than would be merged.</p>`}
      ${
        commits.items.length === 0
          ? html`<p class="muted">The target has all commits already.</p>`
          : list(commits.items.map((commit) => commitRow(commit, now)))
      }
    </section>
    ${
      patch !== undefined &&
      patch.files.length > 0 &&
      html`<section class="card">
        <h2>
          ${plural(patch.files.length, 'file')} <span class="counts">${counts(patch.additions, patch.deletions)}</span>
        </h2>
        ${await diff(
          patch.files.slice(0, most.files).map((file) =>
            changedFile(
              {
                file,
                hunks: file.isBinary ? [] : hunksOf(file.sections),
                leftOut: false,
                old: undefined,
                new: undefined,
              },
              { whitespace: true, isAlone: false, isWhole: false },
            ),
          ),
          { view: 'unified', mostLines: most.lines },
        )}
        ${patch.files.length > most.files && html`<p class="quiet">and ${plural(patch.files.length - most.files, 'other file')}</p>`}
      </section>`
    }`;
}
