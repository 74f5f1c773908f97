// The side column of a merge request: reviewers, assignees, labels, milestone and draft, each with its form.
import { html, type Granted, type Html, type RefusedForm } from 'hexforge/plugin';
import type { MergeView } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { button, field, formError, label, person, picks, pill, select, sidePart } from 'hexforge/ui';
import type { MergeStanding, MergeUseCases } from '#core/merges/use-cases';
import { requestPage } from './links.ts';
import { reviewWords } from './marks.ts';
import { stateButton } from './merge-box.ts';

type Choices = Awaited<ReturnType<MergeUseCases['choices']>>;

interface Side {
  readonly view: MergeView;
  readonly standing: MergeStanding;
  readonly choices: Choices;
  readonly refused: RefusedForm | undefined;
}

const region = (id: string, content: Html): Html => html`<div id="merge-${id}" data-region>${content}</div>`;

const none = html`<span class="muted">None yet</span>`;

export function requestSide({ resource: repository }: Granted<Repository, 'repo.read'>, side: Side): Html {
  const { view, standing, choices, refused } = side;
  const { number, assignees, labels, milestone } = view;
  const own = refused?.form === 'mergeMembers' ? refused : undefined;
  const edited = (part: string): boolean => own?.values['part'] === part;
  /** The form of one part; undefined for callers who may not change it. */
  const edit = (part: string, control: Html): Html | undefined =>
    standing.change
      ? html`<form method="post" action="${requestPage(repository, number, 'members')}">
          ${edited(part) && formError(own, 'mergeMembers', part)}
          <input type="hidden" name="part" value="${part}" />
          ${control} ${button('Save')}
        </form>`
      : undefined;
  const of = (part: string): RefusedForm | undefined => (edited(part) ? own : undefined);
  return html`${region('reviewers', reviewersOf(repository, side, edit, of('reviewers'), edited('reviewers')))}
  ${region(
    'assignees',
    sidePart(
      'Assignees',
      assignees.length === 0 ? none : html`${assignees.map(({ username }) => html`<div>${person(username)}</div>`)}`,
      edit(
        'assignees',
        field({
          label: 'Usernames',
          name: 'assignees',
          value: assignees.map(({ username }) => username).join(' '),
          hint: 'With spaces between',
          refused: of('assignees'),
        }),
      ),
      edited('assignees'),
    ),
  )}
  ${region(
    'labels',
    sidePart(
      'Labels',
      labels.length === 0 ? none : html`${labels.map(({ name, color }) => html`${label(name, color)} `)}`,
      choices.labels.length > 0 || labels.length > 0
        ? edit(
            'labels',
            picks({
              label: 'Labels',
              name: 'labels',
              values: labels.map(({ id }) => id),
              choices: choices.labels.map(({ id, name, color }) => ({
                value: id,
                label: name,
                shown: label(name, color),
              })),
              refused: of('labels'),
            }),
          )
        : undefined,
      edited('labels'),
    ),
  )}
  ${region(
    'milestone',
    sidePart(
      'Milestone',
      milestone === null ? none : html`<bdi>${milestone.title}</bdi>`,
      choices.milestones.length > 0
        ? edit(
            'milestone',
            select({
              label: 'Milestone',
              name: 'milestone',
              value: milestone?.id ?? '',
              choices: [
                { value: '', label: 'None' },
                ...choices.milestones.map(({ id, title }) => ({ value: id, label: title })),
              ],
              refused: of('milestone'),
            }),
          )
        : undefined,
      edited('milestone'),
    ),
  )}
  ${region('state', stateOf(repository, side))}`;
}

function reviewersOf(
  repository: Repository,
  { view: { number, reviewers, state }, standing }: Side,
  edit: (part: string, control: Html) => Html | undefined,
  refused: RefusedForm | undefined,
  open: boolean,
): Html {
  const pending = reviewers.filter((one) => one.state === 'pending').map(({ user }) => user.username);
  const again = (username: string): Html =>
    html`<form method="post" action="${requestPage(repository, number, 'members')}">
      <input type="hidden" name="part" value="reviewers" />
      <button class="link" name="reviewers" value="${[...pending, username].join(' ')}">Ask again</button>
    </form>`;
  return sidePart(
    'Reviewers',
    reviewers.length === 0
      ? none
      : html`${reviewers.map(
          ({ user, state: answer }) =>
            html`<div class="reviewer">
              ${person(user.username)} ${pill(reviewWords[answer][0], reviewWords[answer][1])}
              ${standing.change && state === 'open' && answer !== 'pending' && again(user.username)}
            </div>`,
        )}`,
    edit(
      'reviewers',
      field({
        label: 'Usernames',
        name: 'reviewers',
        value: pending.join(' '),
        hint: 'Their review is asked, also again; others who have not answered are not asked any more',
        refused,
      }),
    ),
    open,
  );
}

/** Draft and close, below the members. */
const stateOf = (repository: Repository, { view, standing }: Side): Html =>
  html`${
    view.state === 'open' &&
    (standing.change || standing.close) &&
    html`<section>
      <h2>State</h2>
      <div class="actions">
        ${
          standing.change &&
          (view.isDraft
            ? stateButton(repository, view.number, 'Mark as ready', 'ready')
            : stateButton(repository, view.number, 'Make it a draft', 'draft'))
        }
        ${standing.close && stateButton(repository, view.number, 'Close', 'close')}
      </div>
    </section>`
  }`;
