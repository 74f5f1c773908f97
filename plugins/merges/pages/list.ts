// The page that lists the merge requests of a repository.
import {
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  uuidPattern,
  type Granted,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { mergeStates, type MergeState } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { empty, filterBar, filterChoice, linkButton, list, pagination, searchField, tabs, urlWith } from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { reading } from '../params.ts';
import { given } from './input.ts';
import { mergesPage, newPage } from './links.ts';
import { requestRow } from './list-row.ts';

const query = shape({
  ...pageQuery,
  state: given(),
  q: given(),
  author: given(),
  assignee: given(),
  reviewer: given(),
  label: given(),
  milestone: given(),
  draft: given(),
  sort: given(),
});

type Filters = Readonly<
  Partial<Record<'q' | 'author' | 'assignee' | 'reviewer' | 'label' | 'milestone' | 'draft' | 'sort', string>>
>;

const stateTitles = [
  ['open', 'Open'],
  ['merged', 'Merged'],
  ['closed', 'Closed'],
  ['all', 'All'],
] as const;

const any = (label: string) => ({ value: '', label });

/** The text of a filter; undefined if it is empty. */
const filled = (text = ''): string | undefined => (text.trim() === '' ? undefined : text.trim());

export const listPage = (merges: MergeUseCases): WebPage =>
  page({
    ...reading,
    id: 'mergeListPage',
    summary: 'The merge requests of a repository, with filters',
    place: 'repository',
    path: '/merges',
    query,
    async run(call, { granted, query: { state: wanted = 'open', ...filters }, url }) {
      const repository = granted.resource;
      const state = mergeStates.find((one) => one === wanted) ?? (wanted === 'all' ? 'all' : 'open');
      const { milestone = '' } = filters;
      const [browsed, choices] = await Promise.all([
        merges.browse(granted, {
          q: filled(filters.q),
          author: filled(filters.author),
          assignee: filled(filters.assignee),
          reviewer: filled(filters.reviewer),
          label: filled(filters.label),
          ...(state !== 'all' && { state }),
          ...(uuidPattern.test(milestone) && { milestoneId: milestone.toLowerCase() }),
          ...(filled(filters.draft) !== undefined && { isDraft: filters.draft === 'true' }),
          order: filters.sort === 'oldest' ? 'oldest' : 'newest',
          page: readPage(pageRules.clamped(), filters),
        }),
        merges.choices(granted),
      ]);
      const { page: found, counts } = browsed;
      const total = { ...counts, all: counts.open + counts.merged + counts.closed };
      const isFiltered = Object.keys(filters).some((name) => name !== 'page' && name !== 'per_page' && name !== 'sort');
      return new HtmlPage({
        title: 'Merge requests',
        width: 'wide',
        main: html`<h1 class="skip">Merge requests</h1>
          ${filterBar(
            mergesPage(repository),
            fields(filters, choices, state),
            granted.call.caller.kind === 'user' &&
              linkButton('New merge request', newPage(repository), { kind: 'primary' }),
          )}
          ${granted.call.caller.kind === 'user' && quickFilters(repository, granted.call.caller.username)}
          ${tabs(
            'States',
            stateTitles.map(([name, title]) => ({
              title,
              href: urlWith(url, { state: name === 'open' ? undefined : name, page: undefined }),
              count: total[name],
              current: name === state,
            })),
          )}
          ${
            found.items.length > 0
              ? list(found.items.map((item) => requestRow(repository, item, call.now)))
              : nothing(granted, state, isFiltered)
          }
          ${pagination(url, found)}`,
      });
    },
  });

function fields(
  filters: Filters,
  { labels, milestones }: Awaited<ReturnType<MergeUseCases['choices']>>,
  state: MergeState | 'all',
): Html {
  const { q = '', author = '', label = '', milestone = '', draft = '', sort = '' } = filters;
  return html`${state !== 'open' && html`<input type="hidden" name="state" value="${state}" />`}
    ${(['assignee', 'reviewer'] as const).map(
      (name) => filters[name] !== undefined && html`<input type="hidden" name="${name}" value="${filters[name]}" />`,
    )}
    ${searchField('Search titles', 'q', q)}
    <input class="short" name="author" value="${author}" aria-label="Author" placeholder="Author" />
    ${
      labels.length > 0 &&
      filterChoice('Label', 'label', label.toLowerCase(), [
        any('Any label'),
        ...labels.map(({ name }) => ({ value: name.toLowerCase(), label: name })),
      ])
    }
    ${
      milestones.length > 0 &&
      filterChoice('Milestone', 'milestone', milestone.toLowerCase(), [
        any('Any milestone'),
        ...milestones.map(({ id, title }) => ({ value: id, label: title })),
      ])
    }
    ${filterChoice('Drafts', 'draft', draft, [any('With drafts'), { value: 'false', label: 'Without drafts' }, { value: 'true', label: 'Drafts alone' }])}
    ${filterChoice('Order', 'sort', sort, [any('Newest first'), { value: 'oldest', label: 'Oldest first' }])}`;
}

const quickFilters = (repository: Repository, username: string): Html =>
  html`<p class="quiet">
    ${(
      [
        ['author', 'Mine'],
        ['assignee', 'Assigned to me'],
        ['reviewer', 'Reviewed by me'],
      ] as const
    ).map(([name, title]) => html`<a href="${urlWith(mergesPage(repository), { [name]: username })}">${title}</a> · `)}
    <a href="${mergesPage(repository)}">All open</a>
  </p>`;

function nothing(
  { resource, call }: Granted<Repository, 'repo.read'>,
  state: MergeState | 'all',
  isFiltered: boolean,
): Html {
  if (isFiltered)
    return empty(
      'No merge request matches the filters',
      html`<a href="${mergesPage(resource)}">Remove the filters</a>`,
    );
  return empty(
    `There is no ${state === 'all' ? '' : `${state} `}merge request`,
    call.caller.kind === 'user'
      ? html`<p>Push a branch, then ask for it to be merged:</p>
          <pre>git push origin HEAD:my-change</pre>`
      : 'Sign in to open one',
  );
}
