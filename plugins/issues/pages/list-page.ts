// The list of the issues of a repository.
import { html, HtmlPage, page, pageRules, readPage, type Call, type Html, type WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { empty, linkButton, listLinks, pagination, plural, urlWith, usernamesIn } from 'hexforge/ui';
import type { StateCounts } from '#core/issues/use-cases';
import { listCommand } from '../issues/commands.ts';
import { issueListQuery } from '../issues/schemas.ts';
import { reading } from '../params.ts';
import { isFiltered, issueFilters } from './filters.ts';
import { issuePath, issuesPath, navigation, withQuery, type PageParts } from './links.ts';
import { issueRows } from './marks.ts';

interface Shown {
  readonly url: string;
  readonly counts: StateCounts;
  readonly state: 'open' | 'closed' | 'all';
  readonly sort: 'newest' | 'oldest';
  readonly caller: Call['caller'];
}

/** States with counts, filters that are often needed, and the order. */
function listHead(repository: Repository, { url, counts, state, sort, caller }: Shown): Html {
  const link = (title: string, changes: Readonly<Record<string, string | undefined>>, current: boolean) => ({
    title,
    href: urlWith(url, { ...changes, page: undefined }),
    current,
  });
  const query = new URL(url, 'http://localhost').searchParams;
  const mine = (title: string, name: string, username: string) => ({
    title,
    href: withQuery(issuesPath(repository), { [name]: username }),
    current: usernamesIn(query.get(name) ?? '')[0] === username.toLowerCase(),
  });
  return html`<div class="grow">
      ${listLinks('State', [
        link(`${counts.open} open`, { state: undefined }, state === 'open'),
        link(`${counts.closed} closed`, { state: 'closed' }, state === 'closed'),
        link('All', { state: 'all' }, state === 'all'),
      ])}
    </div>
    ${
      caller.kind === 'user' &&
      listLinks('Mine', [
        mine('Assigned to me', 'assignee', caller.username),
        mine('Opened by me', 'author', caller.username),
      ])
    }
    ${listLinks('Order', [
      link('Newest', { sort: undefined }, sort === 'newest'),
      link('Oldest', { sort: 'oldest' }, sort === 'oldest'),
    ])}`;
}

const nothing = (repository: Repository, filtered: boolean, { counts, state, caller }: Shown): Html => {
  const { open, closed } = counts;
  if (filtered)
    return empty(
      'No issue matches',
      html`<a href="${issuesPath(repository)}">Remove the filters</a> to see all open ones.`,
    );
  if (open + closed > 0)
    return empty(
      state === 'closed' ? 'No issue is closed' : 'No issue is open',
      html`<a href="${withQuery(issuesPath(repository), { state: 'all' })}"
        >${plural(open + closed, 'issue')} in all states</a
      >`,
    );
  return empty(
    'There is no issue yet',
    caller.kind === 'user'
      ? html`<a href="${issuePath(repository, 'new')}">Open the first one</a> for a defect, a task or an idea.`
      : 'Sign in to open one.',
  );
};

export const issueListPage = (parts: PageParts): WebPage =>
  page({
    id: 'issueListPage',
    summary: 'The issues of a repository',
    place: 'repository',
    path: '/issues',
    ...reading,
    query: issueListQuery,
    async run({ now, caller }, { granted, query, url }) {
      const { useCases } = parts;
      const repository = granted.resource;
      const state = query.state ?? 'open';
      const command = {
        ...listCommand({ ...query, state }),
        author: usernamesIn(query.author)[0],
        assignee: usernamesIn(query.assignee)[0],
        page: readPage(pageRules.capped(), { page: query.page }),
      };
      const [{ page: found, counts }, choices] = await Promise.all([
        useCases.listWithCounts(granted, command),
        useCases.choices(granted),
      ]);
      const values = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
      const shown = { url, counts, state, sort: query.sort ?? 'newest', caller };
      return new HtmlPage({
        title: 'Issues',
        width: 'wide',
        main: html`<h1 class="skip">Issues</h1>
          ${navigation(repository, parts, 'issues')}
          ${issueFilters(
            repository,
            values,
            parts.planned ? choices : { ...choices, labels: [], milestones: [] },
            linkButton('New issue', issuePath(repository, 'new'), { kind: 'primary', key: 'c' }),
          )}
          ${
            query.q !== undefined &&
            html`<p class="quiet">
              <a href="${withQuery(`${issuesPath(repository)}/search`, { q: query.q })}"
                >Search by relevance, with counts of all matches</a
              >
            </p>`
          }
          ${issueRows(repository, found.items, now, listHead(repository, shown), nothing(repository, isFiltered(values), shown))}
          ${pagination(url, found)}`,
      });
    },
  });
