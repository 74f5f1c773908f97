// The JSON shapes of violations.
import { count, pageOf, pageQuery, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { scopeMember } from '../schemas.ts';

export const violationJson = shape({
  id: uuid(),
  at: time(),
  subject: word().description('Whose budget was spent: `user:ID`, `address:NETWORK`, `user:ID:tokens:ID` and the like'),
  scope: scopeMember,
  limit: count(),
  path: text(),
  method: word(),
  ip: text(),
}).id('RateLimitViolation');
export const violationPageJson = pageOf(violationJson).id('RateLimitViolationPage');
export const violationQuery = shape(pageQuery);

export const presentViolation = presenter(violationJson);
