// The route of the search of issues.
import { api, pageRules, readSlice, reply, type Route } from 'hexforge/plugin';
import { searchBounds } from 'hexforge/issues';
import type { IssueUseCases, SearchResult } from '#core/issues/use-cases';
import { presentItem } from '../issues/present.ts';
import { issuesPath, reading } from '../params.ts';
import { issueHitsJson, searchQuery } from './schemas.ts';

/** The longest value of the header, because proxies reject responses with much longer headers. */
const longestFacets = 4000;

/** Escapes characters that a header cannot contain, as JSON escapes. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The counts of a search as the value of a header, so that the body can stay a plain array. If the value would be too
 * long, leaves out the rarest values of each facet.
 */
function facetsHeader(facets: NonNullable<SearchResult['facets']>): string {
  for (let values = Math.max(...Object.values(facets).map(({ length }) => length)); ; values--) {
    const json = ascii(
      JSON.stringify(Object.fromEntries(Object.entries(facets).map(([facet, all]) => [facet, all.slice(0, values)]))),
    );
    if (json.length <= longestFacets || values === 0) return json;
  }
}

const { limit } = searchBounds;
const limitRule = pageRules.capped(limit.default, limit.most);

export const searchRoutes = ({ search }: Pick<IssueUseCases, 'search'>): readonly Route[] => [
  api({
    id: 'issueSearch',
    summary: 'Search issues',
    method: 'GET',
    path: `${issuesPath}/search`,
    ...reading,
    meter: 'api.expensive',
    query: searchQuery,
    result: issueHitsJson,
    run: async (_call, { granted, query }) => {
      const { hits, facets } = await search(granted, { ...query, ...readSlice(limitRule, query) });
      const found = hits.map((hit) => ({ ...presentItem(hit), rank: hit.rank }));
      return facets === undefined ? found : reply(found, { headers: { 'x-search-facets': facetsHeader(facets) } });
    },
  }),
];
