// The list of the issues of a repository.
import { html, HtmlPage, page, pageRules, readPage, type Html, type WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { empty, linkButton, pagination, urlWith } from 'hexforge/ui';
import type { StateCounts } from '#core/issues/use-cases';
import { listCommand } from '../issues/commands.ts';
import { issueListQuery } from '../issues/schemas.ts';
import { reading } from '../params.ts';
import { isFiltered, issueFilters } from './filters.ts';
import { issuePath, issuesPath, navigation, withQuery, type PageParts } from './links.ts';
import { issueRows } from './marks.ts';

/** The states as links with counts, and the order. */
function listHead(url: string, counts: StateCounts, shown: 'open' | 'closed' | 'all', sort: 'newest' | 'oldest'): Html {
  const link = (text: string, changes: Readonly<Record<string, string | undefined>>, current: boolean): Html =>
    html`<a href="${urlWith(url, { ...changes, page: undefined })}" ${current && html`aria-current="true"`}
      >${text}</a
    >`;
  return html`<nav class="states grow" aria-label="State">
      ${link(`${counts.open} open`, { state: undefined }, shown === 'open')}
      ${link(`${counts.closed} closed`, { state: 'closed' }, shown === 'closed')}
      ${link('All', { state: 'all' }, shown === 'all')}
    </nav>
    <nav class="states" aria-label="Order">
      ${link('Newest', { sort: undefined }, sort === 'newest')} ${link('Oldest', { sort: 'oldest' }, sort === 'oldest')}
    </nav>`;
}

const nothing = (repository: Repository, filtered: boolean, { open, closed }: StateCounts): Html => {
  if (filtered) return empty('No issue matches', html`<a href="${issuesPath(repository)}">Show all open issues</a>`);
  if (open + closed > 0) return empty('No issue is in this state');
  return empty('There is no issue yet', html`<a href="${issuePath(repository, 'new')}">Open the first one</a>`);
};

export const issueListPage = (parts: PageParts): WebPage =>
  page({
    id: 'issueListPage',
    summary: 'The issues of a repository',
    place: 'repository',
    path: '/issues',
    ...reading,
    query: issueListQuery,
    async run({ now }, { granted, query, url }) {
      const { useCases } = parts;
      const repository = granted.resource;
      const state = query.state ?? 'open';
      const command = {
        ...listCommand({ ...query, state }),
        page: readPage(pageRules.capped(), { page: query.page }),
      };
      const [{ page: found, counts }, choices] = await Promise.all([
        useCases.listWithCounts(granted, command),
        useCases.choices(granted),
      ]);
      const values = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
      const filtered = isFiltered(values);
      const head = listHead(url, counts, state, query.sort ?? 'newest');
      return new HtmlPage({
        title: 'Issues',
        width: 'wide',
        main: html`<h1 class="skip">Issues</h1>
          ${navigation(repository, parts, 'issues')}
          ${issueFilters(
            repository,
            values,
            choices,
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
          ${
            found.items.length > 0
              ? issueRows(repository, found.items, now, head)
              : html`<div class="box"><div class="head">${head}</div></div>
                  ${nothing(repository, filtered, counts)}`
          }
          ${pagination(url, found)}`,
      });
    },
  });
