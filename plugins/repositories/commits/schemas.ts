// The JSON shapes of commits and comparisons.
import {
  count,
  flag,
  list,
  maybe,
  oneOf,
  orNull,
  pageQuery,
  shape,
  text,
  time,
  word,
  type TypeOf,
} from 'hexforge/plugin';
import { inRepository, rest, sha } from '../shapes.ts';

export const commitParams = shape({
  ...inRepository,
  ref: rest('A commit by 4 to 40 digits, a branch or a tag; may hold slashes'),
});

export const comparisonParams = shape({
  ...inRepository,
  rest: rest('BASE...HEAD: two branches, tags or commits, which may hold slashes'),
});

const filter = (description: string) => maybe(word().empty('').description(description));
export const commitQuery = shape({
  ref: filter('Branch, tag or commit; the default branch where it is absent or empty'),
  path: filter('Only commits that changed this file or folder'),
  author: filter("A part of the author's name or address, as it is written"),
  since: filter('Only commits of this time or later: RFC 3339, or a date, which begins at 00:00 UTC'),
  until: filter('Only commits of this time or earlier: RFC 3339, or a date, which is included'),
  ...pageQuery,
});

const signature = shape({ name: text(), email: text(), date: time() }).id('Signature');

export const commitMembers = {
  sha: sha(),
  message: text(),
  author: signature,
  committer: signature,
  parents: list(sha()),
  verified: flag().description('Signatures are not verified yet: always false'),
} as const;
export const commitJson = shape(commitMembers).id('Commit');

export const commitListJson = list(commitJson);

const fileChangeJson = shape({
  filename: text(),
  previous_filename: maybe(word().description('Of a renamed file')),
  status: oneOf('added', 'modified', 'removed', 'renamed'),
  additions: count(),
  deletions: count(),
  changes: count(),
  is_binary: flag(),
  patch: maybe(
    word().description('Hunks; absent where there are none, over 128 Ki characters in one file and 512 KiB in all'),
  ),
}).id('FileChange');
export type FileChangeJson = TypeOf<typeof fileChangeJson>;
const files = list(fileChangeJson).description('At most 3000');

export const commitDetailJson = shape({
  ...commitMembers,
  stats: shape({ additions: count(), deletions: count(), total: count() }),
  files,
}).id('CommitDetail');
export type CommitDetailJson = TypeOf<typeof commitDetailJson>;

export const comparisonJson = shape({
  ahead_by: count(),
  behind_by: count(),
  merge_base: orNull(sha()),
  commits: list(commitJson).description('Newest first, at most 250'),
  files,
}).id('Comparison');
export type ComparisonJson = TypeOf<typeof comparisonJson>;
