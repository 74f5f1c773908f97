// Converts commits, their changes and comparisons to JSON.
import type { CommitDetail, CommitRecord, Comparison, Difference, Signature } from 'hexforge/repositories';
import type { CommitDetailJson, CommitJson, ComparisonJson, FileChangeJson } from './schemas.ts';

const presentSignature = ({ name, email, date }: Signature) => ({ name, email, date: date.toISOString() });

export const presentCommit = ({ oid, message, author, committer, parents }: CommitRecord): CommitJson => ({
  sha: oid,
  message,
  author: presentSignature(author),
  committer: presentSignature(committer),
  parents,
  verified: false,
});

const presentFiles = ({ files }: Difference): readonly FileChangeJson[] =>
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

export const presentComparison = (comparison: Comparison): ComparisonJson => ({
  ahead_by: comparison.aheadBy,
  behind_by: comparison.behindBy,
  merge_base: comparison.mergeBase ?? null,
  commits: comparison.commits.items.map(presentCommit),
  files: presentFiles(comparison.difference),
});
