// The JSON shapes of the diff of a merge request and its files.
import { count, flag, list, maybe, oneOf, pageQuery, shape, text, word, type TypeOf } from 'hexforge/plugin';
import { diffSuppressions } from 'hexforge/merges';
import { diffAlgorithms } from 'hexforge/repositories';
import { mergePath } from '../params.ts';

const algorithm = () =>
  maybe(
    oneOf(...diffAlgorithms)
      .empty('')
      .description('How lines are matched; default as the operator says, else myers'),
  );
export const diffQuery = shape({ algorithm: algorithm() });

export const filesQuery = shape({
  algorithm: algorithm(),
  page: pageQuery.page,
  per_page: maybe(word().empty('').description('1 to 200; default 50')),
});

export const fileParams = shape({
  ...mergePath,
  path: word().max(4096).description('Where the file is now, or else where it was; URL-encoded'),
});

const suppressedReason = () => oneOf(...diffSuppressions);
const mode = (which: string) => maybe(word().description(`Where it changes: the mode ${which}`));

const fileMembers = {
  old_path: text().description('The same as new_path of a file that is added or deleted'),
  new_path: text(),
  old_mode: mode('before'),
  new_mode: mode('after'),
  is_binary: flag(),
  is_add: flag(),
  is_delete: flag(),
  is_rename: flag(),
  additions: count(),
  deletions: count(),
  suppressed: flag(),
  suppressed_reason: maybe(suppressedReason()),
};

/** The additional member of a 503. */
export const withoutDiff = shape({ suppressed_reason: maybe(suppressedReason()) });

export const fileJson = shape(fileMembers).id('MergeFile');
export type FileJson = TypeOf<typeof fileJson>;

export const filesJson = shape({ files: list(fileJson), total: count(), page: count(), per_page: count() }).id(
  'MergeFiles',
);

const lineJson = shape({
  op: oneOf(' ', '+', '-').description('A space: context'),
  content: text().description('Without its newline'),
  old_no: count().description('0 on added lines'),
  new_no: count().description('0 on removed lines'),
  no_newline: maybe(flag().description('true on the last line of a file that does not end in a newline')),
}).id('MergeFileLine');

const hunkJson = shape({
  old_start: count(),
  old_lines: count(),
  new_start: count(),
  new_lines: count(),
  lines: list(lineJson),
}).id('MergeFileHunk');

export const fileDiffJson = shape({ ...fileMembers, hunks: list(hunkJson) }).id('MergeFileDiff');
export type FileDiffJson = TypeOf<typeof fileDiffJson>;

/** The members of a single merge request that are absent in lists. */
export const diffMembers = {
  diff_suppressed_reason: maybe(suppressedReason()),
  files: maybe(list(fileJson).description('The first ones; absent where there are none, or too many')),
  diff_caps: maybe(
    shape({ max_file_bytes: count(), max_total_bytes: count(), max_file_lines: count(), max_files: count() }).id(
      'MergeDiffCaps',
    ),
  ),
};
