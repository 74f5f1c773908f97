// The JSON shapes of files and folders at a ref, and of files written through the API.
import { count, flag, Joi, list, maybe, oneOf, orNull, shape, text, time, word, type TypeOf } from 'hexforge/plugin';
import { commitMembers } from '../commits/schemas.ts';
import { inRepository, sha } from '../shapes.ts';

export const contentsParams = shape({
  ...inRepository,
  path: text().default('').description('Of a file or folder; the root where it is absent'),
});

export const contentsQuery = shape({
  ref: maybe(word().empty('').description('Branch, tag or commit; the default branch where it is absent or empty')),
});

const entryJson = shape({
  name: text(),
  path: text(),
  type: oneOf('file', 'dir', 'symlink', 'submodule'),
  size: count(),
  mode: text(),
  last_commit_message: orNull(text()),
  last_commit_date: orNull(time()),
}).id('DirectoryEntry');
export type EntryJson = TypeOf<typeof entryJson>;

const blobJson = shape({
  path: text(),
  encoding: oneOf('base64', 'none').description('none over 1 MiB and for a submodule: the content is empty'),
  content: text(),
  is_binary: flag(),
  lang: text(),
  size: count(),
  sha: sha(),
}).id('FileBlob');
export type BlobJson = TypeOf<typeof blobJson>;

export const contentsJson = Joi.alternatives<readonly EntryJson[] | BlobJson>().try(list(entryJson), blobJson);

const change = {
  message: word(),
  branch: maybe(word().description('Absent: the default branch')),
  author: maybe(
    shape({
      name: word(),
      email: word(),
      date: maybe(word().description('RFC 3339; its offset is kept in the commit; now where it is absent')),
    }).description('Absent: the caller'),
  ),
};
export const writeBody = shape({
  ...change,
  content: text().description('Base64, in one line or several'),
  sha: maybe(word().description('Of the file that is replaced; absent for a new one')),
}).id('ContentsWrite');
export type WriteBody = TypeOf<typeof writeBody>;

export const removeBody = shape({ ...change, sha: word().description('Of the file that is removed') }).id(
  'ContentsRemove',
);

export const writtenJson = shape({
  content: orNull(
    shape({ name: text(), path: text(), sha: sha(), size: count(), mode: text(), lang: text() }),
  ).description('null where the file was removed'),
  commit: shape(commitMembers),
}).id('ContentsWritten');
export type WrittenJson = TypeOf<typeof writtenJson>;
