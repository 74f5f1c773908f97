// A merge request as a row of a list.
import { html, type Html } from 'hexforge/plugin';
import type { ReviewState } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { dotted, icon, label, pill, time, type Row } from 'hexforge/ui';
import type { BrowsedRequest, LocatedRequest } from '#core/merges/use-cases';
import { labelledPage, requestPage } from './links.ts';
import { branch, sourceOf } from './marks.ts';

const titles = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const;

type Numbered = Pick<BrowsedRequest, 'number' | 'title' | 'state' | 'isDraft'>;

const mark = ({ state }: Pick<Numbered, 'state'>): Html =>
  html`<span class="state ${state}">${icon('branch', titles[state])}</span>`;

const titleOf = (repository: Pick<Repository, 'owner' | 'name'>, { number, title, isDraft, state }: Numbered): Html =>
  html`<a href="${requestPage(repository, number)}"><bdi>${title}</bdi></a>
    ${isDraft && state === 'open' && pill('Draft')}`;

export function requestRow(repository: Repository, request: BrowsedRequest, now: Date): Row {
  const { number, author, createdAt, targetBranch, milestone, labels, reviewers, commentsCount, ciStatus } = request;
  return {
    mark: mark(request),
    title: html`${titleOf(repository, request)}
    ${labels.map(({ name, color }) => html`<a class="bare" href="${labelledPage(repository, name)}">${label(name, color)}</a> `)}`,
    about: dotted([
      `!${String(number)}`,
      html`opened by <bdi>${author.username}</bdi> ${time(createdAt, now)}`,
      html`${branch(targetBranch)} ← ${sourceOf(request, request.source, false)}`,
      milestone !== null && html`in <bdi>${milestone.title}</bdi>`,
      ciStatus !== 'none' && `pipeline ${ciStatus}`,
    ]),
    end: html`${reviewsOf(reviewers.map(({ state }) => state))}
    ${commentsCount > 0 && html`<span title="Comments">${icon('comment', 'Comments')} ${String(commentsCount)}</span>`}`,
  };
}

const words = [
  ['approved', 'approved'],
  ['changes_requested', 'asked for changes'],
  ['pending', 'pending'],
] as const;

/** How many reviewers are in each state. */
function reviewsOf(states: readonly ReviewState[]): Html {
  const counted = words
    .map(([state, word]) => [states.filter((one) => one === state).length, word] as const)
    .filter(([count]) => count > 0);
  return html`${counted.map(([count, word], index) => `${index === 0 ? '' : ', '}${String(count)} ${word}`)}`;
}

/** A row of a list across repositories. */
export const locatedRow = (request: LocatedRequest, now: Date): Row => ({
  mark: mark(request),
  title: titleOf(request.repository, request),
  about: dotted([
    html`<bdi>${request.repository.owner}/${request.repository.name}</bdi> !${String(request.number)}`,
    html`opened by <bdi>${request.author.username}</bdi>`,
    html`changed ${time(request.updatedAt, now)}`,
  ]),
});
