// From the domain to JSON: commits, what they change, comparisons, blame and files written.
import {
  languageOf,
  type BlamedLine,
  type CommitDetail,
  type CommitRecord,
  type Comparison,
  type Difference,
  type Signature,
  type Written,
} from '#core/repositories/index';
import type {
  BlameLineJson,
  CommitDetailJson,
  CommitJson,
  ComparisonJson,
  FileChangeJson,
  SignatureJson,
  WrittenJson,
} from './schemas/history.ts';

const signatureJson = ({ name, email, date }: Signature): SignatureJson => ({ name, email, date: date.toISOString() });

export const presentCommit = ({ oid, message, author, committer, parents }: CommitRecord): CommitJson => ({
  sha: oid,
  message,
  author: signatureJson(author),
  committer: signatureJson(committer),
  parents: [...parents],
  verified: false,
});

const presentFiles = ({ files }: Difference): FileChangeJson[] =>
  files.map(({ path, previousPath, status, additions, deletions, isBinary, patch }) => ({
    filename: path,
    ...(previousPath !== undefined && { previous_filename: previousPath }),
    status,
    additions,
    deletions,
    changes: additions + deletions,
    is_binary: isBinary,
    ...(patch !== undefined && { patch }),
  }));

export const presentCommitDetail = ({ commit, difference }: CommitDetail): CommitDetailJson => {
  const { additions, deletions } = difference;
  return {
    ...presentCommit(commit),
    stats: { additions, deletions, total: additions + deletions },
    files: presentFiles(difference),
  };
};

export const presentComparison = ({
  aheadBy,
  behindBy,
  mergeBase,
  commits,
  difference,
}: Comparison): ComparisonJson => ({
  ahead_by: aheadBy,
  behind_by: behindBy,
  merge_base: mergeBase ?? null,
  commits: commits.map(presentCommit),
  files: presentFiles(difference),
});

export const presentBlame = (lines: readonly BlamedLine[]): BlameLineJson[] =>
  lines.map(({ content, oid, author }, index) => ({
    line_number: index + 1,
    content,
    sha: oid,
    author_name: author.name,
    author_email: author.email,
    author_date: author.date.toISOString(),
  }));

export const presentWritten = ({ file, commit }: Written): WrittenJson => ({
  content:
    file === undefined
      ? null
      : {
          name: file.path.slice(file.path.lastIndexOf('/') + 1),
          path: file.path,
          sha: file.oid,
          size: file.size,
          mode: file.mode,
          lang: languageOf(file.path),
        },
  commit: presentCommit(commit),
});
