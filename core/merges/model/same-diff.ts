// Whether two diffs change the same lines of the same files, wherever the lines are.
import type { Patch, PatchedFile, PatchSection } from '#core/repositories/index';

/** False in case of doubt: if the changes of a file are left out. */
export function isSameDiff(one: Patch, other: Patch): boolean {
  const [before, after] = [one, other].map(({ files }) => files.map(changeOf));
  return (
    one.omitted === undefined &&
    other.omitted === undefined &&
    before?.length === after?.length &&
    before?.every((change, index) => change !== undefined && change === after?.[index]) === true
  );
}

/** Everything about the change of a file except the positions of its lines. Undefined if it is left out. */
function changeOf({ oldPath, newPath, oldMode, newMode, sections, omitted }: PatchedFile): string | undefined {
  if (omitted !== undefined) return undefined;
  return JSON.stringify([oldPath, newPath, oldMode, newMode, ...sections.map(contentOf)]);
}

/** Lines with bytes that are not UTF-8, and contents that are not text, are compared by the blobs in the header. */
const contentOf = ({ header, hunks, literal }: PatchSection): string =>
  literal === undefined && hunks !== '' && !hunks.includes('\u{FFFD}')
    ? hunks.replaceAll(/^@@ -[\d,]+ \+[\d,]+ @@.*$/gm, '@@')
    : header;
