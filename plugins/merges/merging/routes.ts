// The route that merges a merge request.
import { api, camelCased, changes, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { presentMerge } from '../requests/present.ts';
import { mergeParams, requestPath } from '../params.ts';
import { mergeJson } from '../requests/schemas.ts';
import { blockedMembers, mergingBody } from './schemas.ts';

export const mergingRoutes = (merges: MergeUseCases): readonly Route[] => [
  api({
    id: 'mergeMerge',
    summary: 'Merge',
    method: 'POST',
    path: `${requestPath}/merge`,
    // Other users get 403, also if the repository is private.
    access: changes('repository', 'merge.merge', { hidden: 403 }),
    scope: 'repo.write',
    params: mergeParams,
    body: mergingBody,
    result: mergeJson,
    errorMembers: blockedMembers,
    statuses: [409, 422, 503, 504],
    run: async (_call, { granted, params: { number }, body }) =>
      presentMerge(
        await merges.merge(granted, {
          strategy: 'merge',
          deleteSourceBranch: false,
          ...camelCased(body, { commit_message: 'message' }),
          number,
        }),
      ),
  }),
];
