// The JSON shapes of issue types.
import { count, flag, list, maybe, presenter, shape, text, uuid, word } from 'hexforge/plugin';

const position = () => count().max(1_000_000).strict();
const changeable = {
  description: maybe(text().max(1000)),
  icon_name: maybe(text().max(64)),
  position: maybe(position().description('Lists are in this order; by default the last')),
};
const displayName = () => word().max(100);
const color = () => word().pattern(/^[0-9a-fA-F]{6}$/, 'six hex digits');

export const typeBody = shape({
  name: word().max(64).description('Lower-cased and trimmed'),
  display_name: displayName(),
  color: color(),
  is_subtask: maybe(flag().strict()),
  ...changeable,
}).id('IssueTypeCreate');

export const typeChangeBody = shape({
  display_name: maybe(displayName()),
  color: maybe(color()),
  ...changeable,
}).id('IssueTypeUpdate');

export const issueTypeJson = shape({
  id: uuid(),
  name: word(),
  display_name: word(),
  description: text(),
  color: word(),
  icon: text(),
  is_subtask: flag(),
  position: count(),
}).id('IssueType');
export const typeListJson = list(issueTypeJson);
export const presentIssueType = presenter(issueTypeJson);
