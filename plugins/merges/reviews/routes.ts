// The route of reviews.
import { api, changes, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { mergeParams } from '../params.ts';
import { presentReview, reviewBody, reviewJson } from './schemas.ts';

export const reviewRoutes = ({ submitReview }: MergeUseCases): readonly Route[] => [
  api({
    id: 'mergeReviewSubmit',
    summary: 'Review a merge request',
    method: 'POST',
    path: '/repos/{owner}/{repo}/merges/{number}/reviews',
    access: changes('repository', 'repo.write'),
    scope: 'repo.write',
    params: mergeParams,
    body: reviewBody,
    success: 201,
    result: reviewJson,
    statuses: [409],
    run: async (_call, { granted, params: { number }, body }) =>
      presentReview(await submitReview(granted, { ...body, number })),
  }),
];
