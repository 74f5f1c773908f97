// The JSON shapes of links between issues.
import { count, list, oneOf, presenter, shape, time, uuid } from 'hexforge/plugin';
import { linkTypes, type LinkView } from 'hexforge/issues';
import { lastNumber } from 'hexforge/repositories';
import { linkedIssueJson } from '../issues/schemas.ts';
import { issuePath } from '../params.ts';

const type = oneOf(...linkTypes);
export const linkParams = shape({ ...issuePath, id: uuid() });
export const linkBody = shape({ type, target_number: count().strict().min(1).max(lastNumber) }).id('IssueLinkCreate');
export const linkJson = shape({
  id: uuid(),
  type,
  target_number: count(),
  source: linkedIssueJson,
  target: linkedIssueJson,
  created_at: time(),
}).id('IssueLink');
export const linksJson = list(linkJson);

const present = presenter(linkJson);
export const presentLink = (link: LinkView) => present({ ...link, targetNumber: link.target.number });
