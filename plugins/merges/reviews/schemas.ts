// The JSON shapes of reviews, and the conversion of a review.
import { maybe, oneOf, shape, text, uuid, type TypeOf } from 'hexforge/plugin';
import { longestText, reviewStates, verdicts, type MergeReview } from 'hexforge/merges';

export const reviewBody = shape({
  state: oneOf(...verdicts),
  body: maybe(text().max(longestText).description('Markdown; HTML in it is escaped')),
}).id('ReviewSubmit');

export const reviewJson = shape({ id: uuid(), mr_id: uuid(), state: oneOf(...reviewStates) }).id('ReviewResult');

export const presentReview = ({ id, requestId, state }: MergeReview): TypeOf<typeof reviewJson> => ({
  id,
  mr_id: requestId,
  state,
});
