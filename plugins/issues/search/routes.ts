// The route of the search of issues.
import { api, pageRules, readSlice, reply, type Route } from 'hexforge/plugin';
import { searchBounds } from 'hexforge/issues';
import type { IssueUseCases } from '#core/issues/use-cases';
import { presentItem } from '../issues/present.ts';
import { issuesPath, reading } from '../params.ts';
import { facetsHeader } from './facets-header.ts';
import { issueHitsJson, searchQuery } from './schemas.ts';

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
