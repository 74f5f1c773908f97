// The route of reviews.
import { api, maybe, oneOf, presenter, shape, text, uuid, type Route } from 'hexforge/plugin';
import { longestText, reviewStates, verdicts } from 'hexforge/merges';
import type { MergeUseCases } from '#core/merges/use-cases';
import { headSha } from '../merging/schemas.ts';
import { mergeParams, requestPath, writing } from '../params.ts';

const reviewBody = shape({
  state: oneOf(...verdicts),
  sha: headSha('recorded'),
  body: maybe(text().max(longestText).description('Markdown; HTML in it is escaped')),
}).id('ReviewSubmit');

const reviewJson = shape({ id: uuid(), mr_id: uuid(), state: oneOf(...reviewStates) }).id('ReviewResult');
const presentReview = presenter(reviewJson, { mr_id: 'requestId' });

export const reviewRoutes = ({ submitReview }: MergeUseCases): readonly Route[] => [
  api({
    id: 'mergeReviewSubmit',
    summary: 'Review a merge request',
    method: 'POST',
    path: `${requestPath}/reviews`,
    ...writing,
    params: mergeParams,
    body: reviewBody,
    success: 201,
    result: reviewJson,
    statuses: [409],
    run: async (_call, { granted, params: { number }, body }) =>
      presentReview(await submitReview(granted, { ...body, number })),
  }),
];
