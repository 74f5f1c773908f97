// Converts the diff of a merge request and its files to JSON.
import { suppressionOf, type FileDiff, type MergeDiff } from 'hexforge/merges';
import type { PatchedFile } from 'hexforge/repositories';
import type { FileDiffJson, FileJson } from './schemas.ts';

export const presentFile = (file: PatchedFile): FileJson => {
  const reason = suppressionOf(file);
  const { oldMode, newMode, isAdd, isDelete } = file;
  return {
    old_path: file.oldPath,
    new_path: file.newPath,
    ...(!isAdd && !isDelete && oldMode !== newMode && { old_mode: oldMode, new_mode: newMode }),
    is_binary: file.isBinary,
    is_add: isAdd,
    is_delete: isDelete,
    is_rename: file.isRename,
    additions: file.additions,
    deletions: file.deletions,
    suppressed: reason !== undefined,
    ...(reason !== undefined && { suppressed_reason: reason }),
  };
};

export const presentFileDiff = ({ file, hunks }: FileDiff): FileDiffJson => ({
  ...presentFile(file),
  hunks: hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
    lines: lines.map(({ op, content, oldNo, newNo, noNewline }) => ({
      op,
      content,
      old_no: oldNo,
      new_no: newNo,
      ...(noNewline === true && { no_newline: true }),
    })),
  })),
});

/** The members of a merge request that follow from its diff. */
export const presentDiff = ({ commits, additions, deletions, diff, suppressed, files, caps }: MergeDiff) => ({
  commits_count: commits,
  additions,
  deletions,
  diff,
  diff_suppressed: suppressed !== undefined,
  ...(suppressed !== undefined && { diff_suppressed_reason: suppressed }),
  ...(files.length > 0 && { files: files.map(presentFile) }),
  diff_caps: {
    max_file_bytes: caps.maxFileBytes,
    max_total_bytes: caps.maxTotalBytes,
    max_file_lines: caps.maxFileLines,
    max_files: caps.maxFiles,
  },
});
