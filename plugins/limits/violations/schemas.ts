// The JSON shapes of violations.
import type { Violation } from 'hexforge/limits';
import { count, pageOf, pageQuery, shape, text, time, uuid, word, type TypeOf } from 'hexforge/plugin';
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

export const presentViolation = (violation: Violation): TypeOf<typeof violationJson> => ({
  id: violation.id,
  at: violation.at.toISOString(),
  subject: violation.subject,
  scope: violation.scope,
  limit: violation.limit,
  path: violation.path,
  method: violation.method,
  ip: violation.ip,
});
