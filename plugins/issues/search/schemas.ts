// The JSON shapes of the search of issues.
import { flag, Joi, list, maybe, shape, word } from 'hexforge/plugin';
import { searchBounds } from 'hexforge/issues';
import { issueItemMembers } from '../issues/schemas.ts';

export const searchQuery = shape({
  q: word().max(searchBounds.query).description('Words, "a phrase", or, -not'),
  limit: maybe(word().empty('').description('1 to 100; default 25')),
  facets: maybe(flag().empty('').description('With counts by state, type, label and assignee, in a header')),
});

export const rank = () => Joi.number().min(0).description('How well it matches; those of one answer compare');

export const issueHitJson = shape({ ...issueItemMembers, rank: rank() }).id('IssueHit');
export const issueHitsJson = list(issueHitJson);
