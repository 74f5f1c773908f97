// The JSON shapes of the history of a description.
import { list, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import type { DescriptionEditView } from 'hexforge/issues';
import { issuePath } from '../params.ts';

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

const present = presenter(editJson);
export const presentEdit = ({ editor, ...edit }: DescriptionEditView) =>
  present({ ...edit, editorUsername: editor.username, editorDisplayName: editor.displayName });
