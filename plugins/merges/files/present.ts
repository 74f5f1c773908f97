// Converts the diff of a merge request and its files to JSON.
import { presenter } from 'hexforge/plugin';
import { suppressionOf, type FileDiff, type MergeDiff } from 'hexforge/merges';
import type { PatchedFile } from 'hexforge/repositories';
import { fileJson, type FileDiffJson, type FileJson } from './schemas.ts';

const fileFacts = (file: PatchedFile) => {
  const suppressedReason = suppressionOf(file);
  const sameMode = file.isAdd || file.isDelete || file.oldMode === file.newMode;
  return {
    ...file,
    ...(sameMode && { oldMode: undefined, newMode: undefined }),
    suppressed: suppressedReason !== undefined,
    suppressedReason,
  };
};

const present = presenter(fileJson);
export const presentFile = (file: PatchedFile): FileJson => present(fileFacts(file));

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

/** The members of a merge request that follow from its diff, before they are presented. */
export const diffFacts = ({ commits, suppressed, files, caps, ...diff }: MergeDiff) => ({
  ...diff,
  commitsCount: commits,
  diffSuppressed: suppressed !== undefined,
  diffSuppressedReason: suppressed,
  diffCaps: caps,
  files: files.length === 0 ? undefined : files.map(fileFacts),
});
