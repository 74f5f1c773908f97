// Converts commits, their changes and comparisons to JSON.
import { presenter } from 'hexforge/plugin';
import type { CommitDetail, CommitRecord, Comparison, Difference } from 'hexforge/repositories';
import { commitJson, type CommitDetailJson, type ComparisonJson, type FileChangeJson } from './schemas.ts';

const present = presenter(commitJson, { sha: 'oid' });
export const presentCommit = (commit: CommitRecord) => present({ ...commit, verified: false });

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
