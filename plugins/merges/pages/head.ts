// The head of all pages of one merge request: title, state, branches, and the tabs of its pages.
import { html, type Html } from 'hexforge/plugin';
import type { MergeView } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { person, plural, tabs, time } from 'hexforge/ui';
import { requestPage } from './links.ts';
import { branch, sourceOf, stateMark } from './marks.ts';

export type Part = 'overview' | 'commits' | 'changes';

const parts = [
  ['overview', 'Overview', ''],
  ['commits', 'Commits', 'commits'],
  ['changes', 'Changes', 'changes'],
] as const;

/** @param comments the number of comments, where it is known. */
export function requestHead(
  repository: Repository,
  view: MergeView,
  current: Part,
  now: Date,
  comments?: number,
): Html {
  const { number, title, author, changes, targetBranch, createdAt, source } = view;
  const counts = { overview: comments, commits: changes.commits, changes: view.changes.files.length };
  return html`<div id="merge-head" data-region>
    <h1 class="merge-title"><bdi>${title}</bdi> <span class="muted">!${String(number)}</span></h1>
    <p class="merge-line">
      ${stateMark(view)} ${person(author.username)} ${view.state === 'open' ? 'wants to merge' : 'wanted to merge'}
      ${plural(changes.commits, 'commit')} into ${branch(targetBranch, repository)} from ${sourceOf(view, source)}
      <span class="quiet">opened ${time(createdAt, now)}</span>
    </p>
    ${tabs(
      'Parts of the merge request',
      parts.map(([part, name, path]) => ({
        title: name,
        href: requestPage(repository, number, path),
        count: counts[part],
        current: part === current,
      })),
    )}
  </div>`;
}
