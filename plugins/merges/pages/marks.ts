// Small marks of merge requests: states, verdicts of reviewers, branches.
import { html, type Html } from 'hexforge/plugin';
import type { MergeRequest, ReviewState } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { pill, statePill, type Tone } from 'hexforge/ui';
import { branchPage } from './links.ts';

export { plural } from 'hexforge/ui';

export const stateMark = ({ state, isDraft }: Pick<MergeRequest, 'state' | 'isDraft'>): Html =>
  html`${statePill(state, 'bad')} ${isDraft && state === 'open' && pill('Draft')}`;

/** The words for the state of a review, and its tone. */
export const reviewWords = {
  approved: ['approved', 'good'],
  changes_requested: ['changes asked', 'warning'],
  pending: ['review asked', 'neutral'],
} as const satisfies { readonly [S in ReviewState]: readonly [string, Tone] };

export const branch = (name: string, repository?: Pick<Repository, 'owner' | 'name'>): Html =>
  repository === undefined
    ? html`<code class="ref"><bdi>${name}</bdi></code>`
    : html`<a class="ref" href="${branchPage(repository, name)}"
        ><code><bdi>${name}</bdi></code></a
      >`;

/** The source: with its owner if it is another repository that the caller can read. */
export const sourceOf = (
  {
    sourceBranch,
    sourceRepositoryId,
    repositoryId,
  }: Pick<MergeRequest, 'sourceBranch' | 'sourceRepositoryId' | 'repositoryId'>,
  source: Repository | null,
  linked = true,
): Html => {
  const isFork = sourceRepositoryId !== repositoryId;
  const name = isFork && source !== null ? `${source.owner}:${sourceBranch}` : sourceBranch;
  const link = linked && source !== null ? source : undefined;
  return link === undefined
    ? branch(name)
    : html`<a class="ref" href="${branchPage(link, sourceBranch)}"
        ><code><bdi>${name}</bdi></code></a
      >`;
};
