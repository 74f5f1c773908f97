// The JSON shapes of comments on issues, and the conversion of a comment.
import { list, presentUser, shape, text, time, uuid, word, type TypeOf } from 'hexforge/plugin';
import { issueBounds, type CommentView } from 'hexforge/issues';
import { issuePath, userJson } from '../issues/schemas.ts';

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

export const presentComment = (comment: CommentView): TypeOf<typeof commentJson> => ({
  id: comment.id,
  issue_id: comment.issueId,
  author_id: comment.authorId,
  author: presentUser(comment.author),
  body: comment.body,
  created_at: comment.createdAt.toISOString(),
  updated_at: comment.updatedAt.toISOString(),
});
