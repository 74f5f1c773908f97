// The routes of the administration of the index.
import { api, superAdmin, type Route } from 'hexforge/plugin';
import type { SearchUseCases } from '#core/search/use-cases';
import { presentState, reindexBody, stateJson } from './schemas.ts';

export const administered = { access: superAdmin, scope: 'admin.search' } as const;

export const indexingRoutes = ({
  progress,
  reindex,
}: Pick<SearchUseCases, 'progress' | 'reindex'>): readonly Route[] => [
  api({
    ...administered,
    id: 'searchIndexState',
    summary: 'The size of the search index, and what waits to be indexed',
    method: 'GET',
    path: '/admin/search/index',
    result: stateJson,
    run: async () => presentState(await progress.state()),
  }),
  api({
    ...administered,
    id: 'searchReindex',
    summary: 'Read everything, or one repository, again into the search index',
    method: 'POST',
    path: '/admin/search/reindex',
    body: reindexBody,
    result: stateJson,
    success: 202,
    statuses: [404],
    async run(call, { body: { repository } }) {
      await reindex(call, { repository });
      return presentState(await progress.state());
    },
  }),
];
