// The ranked search of issues, with the counts of all matches.
import { html, HtmlPage, maybe, page, shape, word, type Html, type WebPage } from 'hexforge/plugin';
import { searchBounds } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { empty, filterBar, searchField } from 'hexforge/ui';
import type { FacetValues } from '#core/issues/use-cases';
import { reading } from '../params.ts';
import { issuesPath, navigation, withQuery, type PageParts } from './links.ts';
import { issueRows, words } from './marks.ts';

const titles = { state: 'State', type: 'Type', label: 'Label', assignee: 'Assignee' } as const;

/** Each count leads to the list with the filter of its value. */
const facetList = (repository: Repository, q: string, facets: FacetValues): Html =>
  html`${(['state', 'type', 'label', 'assignee'] as const).map(
    (facet) =>
      facets[facet].length > 0 &&
      html`<section>
        <h2>${titles[facet]}</h2>
        <ul class="counts">
          ${facets[facet].map(
            ({ value, count }) =>
              html`<li>
                <a href="${withQuery(issuesPath(repository), { q, state: 'all', [facet]: value })}"
                  ><bdi>${facet === 'state' ? words(value) : value}</bdi></a
                >
                <span class="count">${String(count)}</span>
              </li>`,
          )}
        </ul>
      </section>`,
  )}`;

export const issueSearchPage = (parts: PageParts): WebPage =>
  page({
    id: 'issueSearchPage',
    summary: 'The issues that match a text best',
    place: 'repository',
    path: '/issues/search',
    ...reading,
    meter: 'api.expensive',
    query: shape({ q: maybe(word().empty('').max(searchBounds.query)) }),
    async run({ now }, { granted, query: { q = '' } }) {
      const repository = granted.resource;
      const { hits, facets } =
        q.trim() === ''
          ? { hits: [], facets: undefined }
          : await parts.useCases.search(granted, { q, limit: searchBounds.limit.most, facets: true });
      return new HtmlPage({
        title: 'Search issues',
        width: 'wide',
        main: html`<h1 class="skip">Search issues</h1>
          ${navigation(repository, parts, 'issues')}
          ${filterBar(`${issuesPath(repository)}/search`, searchField('Search issues', 'q', q))}
          ${
            hits.length > 0
              ? issueRows(repository, hits, now, hits.length === 1 ? '1 issue' : `The best ${hits.length} issues`)
              : empty(
                  q === '' ? 'Search titles and descriptions' : 'No issue matches',
                  html`Words, <code>"a phrase"</code>, <code>or</code> and <code>-not</code> are understood.
                    <a href="${issuesPath(repository)}">All issues</a>`,
                )
          }`,
        ...(facets !== undefined && hits.length > 0 && { aside: facetList(repository, q, facets) }),
      });
    },
  });
