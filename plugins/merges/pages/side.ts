// The side column of a merge request: reviewers, assignees, labels, milestone and draft, each with its form.
import { html, type Granted, type Html, type RefusedForm } from 'hexforge/plugin';
import type { MergeView } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { button, field, formError, label, person, picks, pill, select, sidePart } from 'hexforge/ui';
import type { MergeStanding, MergeUseCases } from '#core/merges/use-cases';
import { labelledPage, milestonePage, requestPage } from './links.ts';
import { reviewWords } from './marks.ts';
import { stateButton } from './merge-box.ts';

type Choices = Awaited<ReturnType<MergeUseCases['choices']>>;

interface Side {
  readonly view: MergeView;
  readonly standing: MergeStanding;
  readonly choices: Choices;
  readonly planned: boolean;
  readonly refused: RefusedForm | undefined;
}

/** The form of one part; undefined for callers who may not change it. */
type Edit = (part: string, control: Html) => Html | undefined;

const region = (id: string, content: Html): Html => html`<div id="merge-${id}" data-region>${content}</div>`;

export function requestSide({ resource: repository }: Granted<Repository, 'repo.read'>, side: Side): Html {
  const { view, standing, planned, refused } = side;
  const { number, assignees } = view;
  const own = refused?.form === 'mergeMembers' ? refused : undefined;
  const edited = (part: string): boolean => own?.values['part'] === part;
  const edit: Edit = (part, control) =>
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
      assignees.length === 0
        ? undefined
        : html`${assignees.map(({ username }) => html`<div>${person(username)}</div>`)}`,
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
  ${
    planned &&
    html`${region('labels', labelsOf(repository, side, edit, of('labels'), edited('labels')))}
    ${region('milestone', milestoneOf(repository, side, edit, of('milestone'), edited('milestone')))}`
  }
  ${region('state', stateOf(repository, side))}`;
}

/** All choices, and those of the request that are not offered to the caller. */
const withOwn = <T extends { readonly id: string }>(all: readonly T[], own: readonly T[]): readonly T[] => [
  ...all,
  ...own.filter(({ id }) => all.every((one) => one.id !== id)),
];

function labelsOf(
  repository: Repository,
  { view: { labels }, choices }: Side,
  edit: Edit,
  refused: RefusedForm | undefined,
  open: boolean,
): Html {
  const all = withOwn(choices.labels, labels);
  return sidePart(
    'Labels',
    labels.length === 0
      ? undefined
      : html`${labels.map(
          ({ name, color }) =>
            html`<a class="bare" href="${labelledPage(repository, name)}">${label(name, color)}</a> `,
        )}`,
    all.length > 0
      ? edit(
          'labels',
          picks({
            label: 'Labels',
            name: 'labels',
            values: labels.map(({ id }) => id),
            choices: all.map(({ id, name, color }) => ({ value: id, label: name, shown: label(name, color) })),
            refused,
          }),
        )
      : undefined,
    open,
  );
}

function milestoneOf(
  repository: Repository,
  { view: { milestone }, choices }: Side,
  edit: Edit,
  refused: RefusedForm | undefined,
  open: boolean,
): Html {
  const all = withOwn(
    choices.milestones.filter(({ state }) => state === 'open'),
    milestone === null ? [] : [milestone],
  );
  return sidePart(
    'Milestone',
    milestone === null
      ? undefined
      : html`<a href="${milestonePage(repository, milestone.id)}"><bdi>${milestone.title}</bdi></a>`,
    all.length > 0
      ? edit(
          'milestone',
          select({
            label: 'Milestone',
            name: 'milestone',
            value: milestone?.id ?? '',
            choices: [{ value: '', label: 'None' }, ...all.map(({ id, title }) => ({ value: id, label: title }))],
            refused,
          }),
        )
      : undefined,
    open,
  );
}

function reviewersOf(
  repository: Repository,
  { view: { number, reviewers, state }, standing }: Side,
  edit: Edit,
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
      ? undefined
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
