// The JSON shapes of the history of a description, and the conversion of an entry.
import { list, shape, text, time, uuid, word, type TypeOf } from 'hexforge/plugin';
import type { DescriptionEditView } from 'hexforge/issues';
import { issuePath } from '../issues/schemas.ts';

export const editParams = shape({ ...issuePath, id: uuid() });
const editJson = shape({
  id: uuid(),
  issue_id: uuid(),
  body_before: text(),
  body_after: text(),
  edited_by: uuid(),
  edited_at: time(),
  editor_username: word(),
  editor_display_name: text(),
}).id('IssueDescriptionEdit');
export const editsJson = list(editJson);

export const presentEdit = ({ editor, ...edit }: DescriptionEditView): TypeOf<typeof editJson> => ({
  id: edit.id,
  issue_id: edit.issueId,
  body_before: edit.bodyBefore,
  body_after: edit.bodyAfter,
  edited_by: edit.editedBy,
  edited_at: edit.editedAt.toISOString(),
  editor_username: editor.username,
  editor_display_name: editor.displayName,
});
