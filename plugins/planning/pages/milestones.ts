// The pages of milestones: the list with progress, and one milestone with its issues.
import {
  form,
  html,
  HtmlPage,
  maybe,
  oneOf,
  page,
  shape,
  text,
  day,
  word,
  type Granted,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import {
  maxMilestoneDescription,
  maxMilestoneTitle,
  milestoneStates,
  type CountedMilestone,
  type IssuePages,
  type Milestone,
} from 'hexforge/planning';
import type { Repository } from 'hexforge/repositories';
import {
  button,
  disclosure,
  empty,
  field,
  formError,
  linkButton,
  list,
  listLinks,
  pill,
  plural,
  progress,
  statePill,
  textArea,
  time,
} from 'hexforge/ui';
import { reading, writing } from '../milestones/routes.ts';
import { milestonePath, navigation, within, type PageParts } from './links.ts';

const milestoneForm = shape({
  title: word().max(maxMilestoneTitle),
  description: maybe(text().replace(/\r\n?/g, '\n').max(maxMilestoneDescription)),
  due_date: maybe(day()),
});
const wish = ({
  title,
  description = '',
  due_date = '',
}: {
  title: string;
  description?: string;
  due_date?: string;
}) => ({
  title,
  description,
  dueDate: due_date,
});

export const milestoneControls = (one: Milestone | undefined, refused: RefusedForm | undefined): Html =>
  html`${field({ label: 'Title', name: 'title', required: true, value: one?.title, refused })}
  ${field({ label: 'Due date', name: 'due_date', type: 'date', value: one?.dueDate ?? '', refused })}
  ${textArea({ label: 'Description', name: 'description', rows: 4, value: one?.description ?? '', hint: 'Markdown', refused })}`;

const done = ({ openIssues, closedIssues }: CountedMilestone): Html | string =>
  openIssues + closedIssues === 0
    ? 'no issues'
    : progress(closedIssues, openIssues + closedIssues, `${closedIssues} of ${openIssues + closedIssues} closed`);

/** The day in UTC, as in the filters of issues. */
const isLate = ({ state, dueDate }: Milestone, now: Date): boolean =>
  state === 'open' && dueDate !== null && dueDate < now.toISOString().slice(0, 10);

const due = (milestone: Milestone, now: Date): Html =>
  milestone.dueDate === null
    ? html`no due date`
    : html`due ${milestone.dueDate} ${isLate(milestone, now) && pill('Overdue', 'bad')}`;

/** Issues that the page of a milestone lists. */
const mostIssues = 100;

const issueList = async (
  granted: Granted<Repository, 'repo.read'>,
  milestone: CountedMilestone,
  pages: IssuePages,
): Promise<Html | undefined> => {
  const repository = granted.resource;
  const issues = await pages.ofMilestone(granted, milestone.id, mostIssues);
  if (issues === undefined) return undefined;
  if (issues.length === 0)
    return empty(
      'No issue is in this milestone yet',
      html`Choose the milestone in the side column of an
        <a href="${within(repository, pages.beside[0]?.path ?? '')}">issue</a>.`,
    );
  return list(
    issues.map(({ number, title, state }) => ({
      mark: statePill(state),
      title: html`<a href="${within(repository, pages.issue(number))}"><bdi>${title}</bdi></a>`,
      about: `#${number}`,
    })),
    html`<span class="grow">${String(milestone.openIssues)} open, ${String(milestone.closedIssues)} closed</span>
      <a href="${within(repository, pages.list({ milestone: milestone.id }))}">Filter these issues</a>`,
  );
};

export const milestonePages = (parts: PageParts): readonly WebPage[] => [
  page({
    id: 'milestoneListPage',
    summary: 'The milestones of a repository with their progress',
    place: 'repository',
    path: '/milestones',
    ...reading,
    query: shape({ state: maybe(oneOf(...milestoneStates, 'all').empty('')) }),
    async run({ now }, { granted, query: { state = 'open' }, refused }) {
      const repository = granted.resource;
      const all = await parts.milestones.list(granted, {});
      const shown = all.filter((one) => state === 'all' || one.state === state);
      const count = (of: Milestone['state']): string => String(all.filter((one) => one.state === of).length);
      const path = within(repository, 'milestones');
      const link = (title: string, value: typeof state) => ({
        title,
        href: value === 'open' ? path : `${path}?state=${value}`,
        current: state === value,
      });
      return new HtmlPage({
        title: 'Milestones',
        width: 'wide',
        main: html`${navigation(repository, parts, 'milestones')}
          <h1 class="skip">Milestones</h1>
          ${
            granted.may('milestone.write') &&
            disclosure(
              'New milestone',
              html`<form method="post" action="${path}">
                ${formError(refused, 'milestoneNew', 'title', 'description', 'due_date')}
                ${milestoneControls(undefined, refused)} ${button('Create milestone', { kind: 'primary' })}
              </form>`,
              { kind: 'button', open: refused !== undefined },
            )
          }
          ${
            all.length === 0
              ? empty('There is no milestone yet', 'A milestone collects issues that belong together, with a date.')
              : list(
                  shown.map((one) => ({
                    title: html`<a href="${milestonePath(repository, one)}"><bdi>${one.title}</bdi></a>`,
                    about: html`${due(one, now)}${one.closedAt !== null && html` · closed ${time(one.closedAt, now)}`}`,
                    end: done(one),
                  })),
                  listLinks('State', [
                    link(`${count('open')} open`, 'open'),
                    link(`${count('closed')} closed`, 'closed'),
                    link('All', 'all'),
                  ]),
                  empty(
                    `No milestone is ${state}`,
                    html`<a href="${path}?state=all">${plural(all.length, 'milestone')} in all states</a>`,
                  ),
                )
          }`,
      });
    },
    forms: [
      form({
        id: 'milestoneNew',
        summary: 'Creates a milestone',
        place: 'repository',
        path: '/milestones',
        ...writing,
        body: milestoneForm,
        async run(_call, { granted, body }) {
          return milestonePath(granted.resource, await parts.milestones.create(granted, wish(body)));
        },
      }),
    ],
  }),
  page({
    id: 'milestonePage',
    summary: 'One milestone with its progress and its issues',
    place: 'repository',
    path: '/milestones/{id}',
    ...reading,
    async run({ now, caller }, { granted, params }) {
      const repository = granted.resource;
      const one = await parts.milestones.fetch(granted, { id: params.id });
      const pages = parts.issuePages();
      const context = {
        call: granted.call,
        repository: { id: repository.id, owner: repository.owner, name: repository.name, may: granted.may },
        breaks: true,
      };
      const [description] = one.description === '' ? [] : await rendered(parts, one.description, context);
      return new HtmlPage({
        title: one.title,
        width: 'wide',
        main: html`${navigation(repository, parts, 'milestones')}
          <div class="bar">
            <h1 class="grow"><bdi>${one.title}</bdi></h1>
            ${
              caller.kind === 'user' &&
              granted.may('milestone.write') &&
              html`${linkButton('Edit', milestonePath(repository, one, '/edit'), { key: 'e' })}
                <form method="post" action="${milestonePath(repository, one, '/state')}">
                  ${
                    one.state === 'open'
                      ? button('Close', { name: 'state', value: 'closed' })
                      : button('Reopen', { name: 'state', value: 'open' })
                  }
                </form>`
            }
          </div>
          <p class="muted">${statePill(one.state)} ${due(one, now)} · ${done(one)}</p>
          ${description} ${pages !== undefined && (await issueList(granted, one, pages))}`,
      });
    },
    forms: [
      form({
        id: 'milestoneState',
        summary: 'Closes or reopens a milestone',
        place: 'repository',
        path: '/milestones/{id}/state',
        ...writing,
        body: shape({ state: oneOf(...milestoneStates) }),
        async run(_call, { granted, params, body: { state } }) {
          return milestonePath(granted.resource, await parts.milestones.update(granted, { id: params.id, state }));
        },
      }),
    ],
  }),
];

type Context = Parameters<NonNullable<PageParts['markup']>['markdown']>[1];

const rendered = async ({ markup }: Pick<PageParts, 'markup'>, text: string, context: Context) =>
  (await markup?.markdown([text], context)) ?? [html`<pre class="text">${text}</pre>`];

export const milestoneWish = { body: milestoneForm, read: wish } as const;
