// The JSON shapes of comments on issues.
import { list, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { issueBounds } from 'hexforge/issues';
import { userJson } from '../issues/schemas.ts';
import { issuePath } from '../params.ts';

export const commentParams = shape({ ...issuePath, cid: uuid() });
export const commentBody = shape({ body: word().max(issueBounds.text) }).id('IssueCommentBody');
export const commentJson = shape({
  id: uuid(),
  issue_id: uuid(),
  author_id: uuid(),
  author: userJson,
  body: text(),
  created_at: time(),
  updated_at: time(),
}).id('IssueComment');
export const commentsJson = list(commentJson);
export const presentComment = presenter(commentJson);
