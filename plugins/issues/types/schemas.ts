// The JSON shapes of issue types, and the conversion of a type.
import { count, flag, list, maybe, shape, text, uuid, word, type TypeOf } from 'hexforge/plugin';
import type { IssueType } from 'hexforge/issues';

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

export const presentIssueType = ({ displayName, isSubtask, ...type }: IssueType): TypeOf<typeof issueTypeJson> => ({
  ...type,
  display_name: displayName,
  is_subtask: isSubtask,
});

type Written = Partial<TypeOf<typeof typeBody>>;

/** Renames the members of a body to those of the command. */
export const readType = ({ display_name, icon_name, ...same }: Omit<Written, 'name' | 'is_subtask'>) => ({
  ...same,
  ...(display_name !== undefined && { displayName: display_name }),
  ...(icon_name !== undefined && { icon: icon_name }),
});
