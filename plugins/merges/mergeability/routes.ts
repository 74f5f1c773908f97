// The route that returns why a merge request cannot be merged.
import { api, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { requestPath, reading } from '../params.ts';
import { mergeParams } from '../requests/schemas.ts';
import { mergeabilityJson, mergeabilityQuery } from './schemas.ts';

export const mergeabilityRoutes = (merges: MergeUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'mergeMergeability',
    summary: 'Tell whether it can be merged, and what is in the way',
    method: 'GET',
    path: `${requestPath}/mergeability`,
    params: mergeParams,
    query: mergeabilityQuery,
    result: mergeabilityJson,
    run: (_call, { granted, params: { number }, query: { strategy = 'merge' } }) =>
      merges.mergeability(granted, { number, strategy }),
  }),
];
