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
import {
  disclosure,
  empty,
  field,
  filterBar,
  filterChoice,
  linkButton,
  list,
  listLinks,
  pagination,
  plural,
  searchField,
  select,
  urlWith,
  usernamesIn,
  type Choice,
} from 'hexforge/ui';
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

const stateNames = ['open', 'merged', 'closed', 'all'] as const;

const any = (label: string) => ({ value: '', label });

/** The text of a filter; undefined if it is empty. */
const filled = (text = ''): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** Filters that are closed at first. */
const more = ['assignee', 'reviewer', 'draft'] as const;

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
          author: usernamesIn(filters.author)[0],
          assignee: usernamesIn(filters.assignee)[0],
          reviewer: usernamesIn(filters.reviewer)[0],
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
      const isFiltered = Object.entries(filters).some(
        ([name, value]) => filled(value) !== undefined && !['page', 'per_page', 'sort'].includes(name),
      );
      return new HtmlPage({
        title: 'Merge requests',
        width: 'wide',
        main: html`<h1 class="skip">Merge requests</h1>
          ${filterBar(
            mergesPage(repository),
            fields(filters, choices, state),
            granted.call.caller.kind === 'user' &&
              linkButton('New merge request', newPage(repository), { kind: 'primary', key: 'c' }),
          )}
          ${list(
            found.items.map((item) => requestRow(repository, item, call.now)),
            listHead(granted, { url, filters, state, total }),
            nothing(granted, { state, total, isFiltered }),
          )}
          ${pagination(url, found)}`,
      });
    },
  });

function fields(
  filters: Filters,
  { labels, milestones }: Awaited<ReturnType<MergeUseCases['choices']>>,
  state: MergeState | 'all',
): Html {
  const { q = '', author = '', label = '', milestone = '', draft = '', sort = '', assignee, reviewer } = filters;
  const hidden = Object.entries({ state: state === 'open' ? '' : state, sort }).filter(([, value]) => value !== '');
  return html`${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${searchField('Search titles', 'q', q)}
    ${
      (labels.length > 0 || label !== '') &&
      filterChoice('Label', 'label', label.toLowerCase(), [
        any('Label'),
        ...withValue(
          label.toLowerCase(),
          labels.map(({ name }) => ({ value: name.toLowerCase(), label: name })),
        ),
      ])
    }
    ${
      milestones.length > 0 &&
      filterChoice('Milestone', 'milestone', milestone.toLowerCase(), [
        any('Milestone'),
        ...milestones.map(({ id, title }) => ({ value: id, label: title })),
      ])
    }
    <input class="short" name="author" value="${author}" aria-label="Author" placeholder="Author" />
    ${disclosure(
      'More filters',
      html`<div class="columns">
        ${field({ label: 'Reviewer', name: 'reviewer', value: reviewer ?? '' })}
        ${field({ label: 'Assignee', name: 'assignee', value: assignee ?? '' })}
        ${select({ label: 'Drafts', name: 'draft', value: draft, choices: [any('With drafts'), { value: 'false', label: 'Without drafts' }, { value: 'true', label: 'Drafts alone' }] })}
      </div>`,
      { open: more.some((name) => filled(filters[name]) !== undefined) },
    )}`;
}

/** The choices, and the value of the query if it is another one. */
const withValue = (value: string, choices: readonly Choice[]): readonly Choice[] =>
  value === '' || choices.some((one) => one.value === value) ? choices : [...choices, { value, label: value }];

type Totals = Readonly<Record<MergeState | 'all', number>>;

interface Head {
  readonly url: string;
  readonly filters: Filters;
  readonly state: MergeState | 'all';
  readonly total: Totals;
}

/** States with counts, filters that are often needed, and the order. */
function listHead(
  { resource: repository, call: { caller } }: Granted<Repository, 'repo.read'>,
  { url, filters, state, total }: Head,
): Html {
  const link = (title: string, changes: Readonly<Record<string, string | undefined>>, current: boolean) => ({
    title,
    href: urlWith(url, { ...changes, page: undefined }),
    current,
  });
  const mine = (title: string, name: 'reviewer' | 'author' | 'assignee', username: string) => ({
    title,
    href: urlWith(mergesPage(repository), { [name]: username }),
    current: usernamesIn(filters[name])[0] === username.toLowerCase(),
  });
  return html`<div class="grow">
      ${listLinks(
        'State',
        stateNames.map((name) =>
          link(
            name === 'all' ? 'All' : `${String(total[name])} ${name}`,
            { state: name === 'open' ? undefined : name },
            name === state,
          ),
        ),
      )}
    </div>
    ${
      caller.kind === 'user' &&
      listLinks('Mine', [
        mine('Review asked of me', 'reviewer', caller.username),
        mine('Assigned to me', 'assignee', caller.username),
        mine('Opened by me', 'author', caller.username),
      ])
    }
    ${listLinks('Order', [
      link('Newest', { sort: undefined }, filters.sort !== 'oldest'),
      link('Oldest', { sort: 'oldest' }, filters.sort === 'oldest'),
    ])}`;
}

function nothing(
  { resource, call }: Granted<Repository, 'repo.read'>,
  { state, total, isFiltered }: Pick<Head, 'state' | 'total'> & { readonly isFiltered: boolean },
): Html {
  if (isFiltered)
    return empty(
      'No merge request matches the filters',
      html`<a href="${mergesPage(resource)}">Remove the filters</a> to see all open ones.`,
    );
  if (total.all > 0)
    return empty(
      `No merge request is ${state}`,
      html`<a href="${urlWith(mergesPage(resource), { state: 'all' })}"
        >${plural(total.all, 'merge request')} in all states</a
      >`,
    );
  return empty(
    'There is no merge request yet',
    call.caller.kind === 'user'
      ? html`<p>Push a branch, then ask for it to be merged:</p>
          <pre>git push origin HEAD:my-change</pre>`
      : 'Sign in to open one.',
  );
}
