// The route that merges a merge request.
import { api, camelCased, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { presentMerge } from '../requests/present.ts';
import { mergeParams, merging, requestPath } from '../params.ts';
import { mergeJson } from '../requests/schemas.ts';
import { blockedMembers, mergingBody } from './schemas.ts';

export const mergingRoutes = (merges: MergeUseCases): readonly Route[] => [
  api({
    id: 'mergeMerge',
    summary: 'Merge',
    method: 'POST',
    path: `${requestPath}/merge`,
    ...merging,
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
