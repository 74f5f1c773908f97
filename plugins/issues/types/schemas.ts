// Shapes of issue types over HTTP (document B, "Issue object").
import { count, flag, shape, text, uuid, type TypeOf } from 'hexforge/plugin';
import type { IssueType } from 'hexforge/issues';

export const issueTypeJson = shape({
  id: uuid(),
  name: text(),
  display_name: text(),
  description: text(),
  color: text(),
  icon: text(),
  is_subtask: flag(),
  position: count(),
}).id('IssueType');

export const presentIssueType = (type: IssueType): TypeOf<typeof issueTypeJson> => ({
  id: type.id,
  name: type.name,
  display_name: type.displayName,
  description: type.description,
  color: type.color,
  icon: type.icon,
  is_subtask: type.isSubtask,
  position: type.position,
});
