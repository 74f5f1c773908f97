// The JSON shapes of review comments.
import { count, flag, list, maybe, orNull, pageQuery, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { longestText } from 'hexforge/merges';
import { mergePath } from '../params.ts';

export const commentParams = shape({ ...mergePath, cid: uuid() });

export const commentQuery = shape({
  page: pageQuery.page,
  per_page: maybe(word().empty('').description('1 to 100; default 100')),
});

const body = () => word().max(longestText).description('Markdown; HTML in it is escaped');

export const commentBody = shape({
  body: body(),
  commit_sha: maybe(
    word()
      .pattern(/^[0-9a-f]{40}$/i, 'commit id of 40 digits')
      .lowercase()
      .description('A commit of the merge request; the head where only a file is named'),
  ),
  file_path: maybe(word().max(4096).description('A file of the commit')),
  line_number: maybe(count().strict().min(1).description('A line of the file')),
  start_line: maybe(count().strict().min(1).description('The first line of a range that ends in line_number')),
}).id('ReviewCommentCreate');

export const commentChangeBody = shape({
  body: maybe(body()),
  resolved: maybe(flag().strict()),
}).id('ReviewCommentUpdate');

export const commentJson = shape({
  id: uuid(),
  mr_id: uuid(),
  author_id: uuid(),
  commit_sha: orNull(text()),
  file_path: orNull(text()),
  line_number: orNull(count()),
  start_line: orNull(count()).description('Of a range of several lines'),
  body: text(),
  resolved: flag(),
  outdated: orNull(flag()).description(
    'Whether the file or line is not there any more at the head; null where git could not tell',
  ),
  created_at: time(),
  updated_at: time(),
}).id('ReviewComment');
export const commentsJson = list(commentJson);
export const presentComment = presenter(commentJson, { mr_id: 'requestId', commit_sha: 'commitOid' });
