// Whether two diffs change the same lines of the same files at the same places. As in git-patch-id(1), the numbers of
// the lines may differ, but here only by the lines that the target itself added or removed above them.
import type { Patch, PatchedFile, PatchSection } from '#core/repositories/index';

/** Reads the changes of these paths from the base of the first diff to that of the second. */
export type ChangesBetween = (paths: readonly string[]) => Promise<readonly PatchedFile[]>;

/** False in case of doubt: if the changes of a file are left out, or the lines around a change moved. */
export async function isSameDiff(one: Patch, other: Patch, changesBetween: ChangesBetween): Promise<boolean> {
  if (one.omitted !== undefined || other.omitted !== undefined || one.files.length !== other.files.length) return false;
  const pairs = one.files.flatMap((file, index) => {
    const second = other.files[index];
    return second === undefined ? [] : [[file, second] as const];
  });
  if (!pairs.every(([first, second]) => isSameChange(first, second))) return false;
  if (!pairs.every(([first, second]) => hasOtherBase(first, second) || arePlacedAlike(first, second, () => 0)))
    return false;
  const moved = pairs.filter(([first, second]) => hasOtherBase(first, second));
  if (moved.length === 0) return true;
  const files = await changesBetween(moved.map(([{ oldPath }]) => oldPath));
  const changes = new Map(files.map((file) => [file.oldPath, file]));
  return moved.every(([first, second]) => {
    const between = changes.get(first.oldPath);
    return (
      between !== undefined &&
      between.omitted === undefined &&
      arePlacedAlike(first, second, shiftsOf(between.sections))
    );
  });
}

/** Everything about the change of a file except the places of its lines. */
function isSameChange(one: PatchedFile, other: PatchedFile): boolean {
  if (one.omitted !== undefined || other.omitted !== undefined) return false;
  const members = ({ oldPath, newPath, oldMode, newMode, sections }: PatchedFile): readonly string[] => [
    oldPath,
    newPath,
    oldMode,
    newMode,
    ...sections.map((section) => (isText(section) ? withoutPlaces(section.hunks) : section.header)),
  ];
  const [first, second] = [members(one), members(other)];
  return first.length === second.length && first.every((member, index) => member === second[index]);
}

/** Lines with bytes that are not UTF-8, and contents that are not text, are compared by the blobs in the header. */
const isText = ({ hunks, literal }: PatchSection): boolean =>
  literal === undefined && hunks !== '' && !hunks.includes('\u{FFFD}');

/**
 * The first line of a hunk, as git prints it: `@@ -12,7 +12,8 @@ heading`. Only `\n` ends a line of a diff: `^` and `$`
 * would also match beside `\r` and U+2028, which are part of the lines of a file.
 */
const hunkLine = /(?<![^\n])@@ -(\d+)(?:,(\d+))? \+[\d,]+ @@[^\n]*/g;

const withoutPlaces = (hunks: string): string => hunks.replaceAll(hunkLine, '@@');

/** The blob before the change. */
const oldBlob = ({ header }: PatchSection): string | undefined => /(?<![^\n])index ([0-9a-f]+)\.\./.exec(header)?.[1];

const hasOtherBase = (one: PatchedFile, other: PatchedFile): boolean =>
  one.sections.some((section, index) => {
    const second = other.sections[index];
    return isText(section) && second !== undefined && oldBlob(section) !== oldBlob(second);
  });

/** Lines of the file before the change. */
interface Place {
  readonly start: number;
  readonly count: number;
}

const placesOf = ({ sections }: PatchedFile): readonly Place[] =>
  sections.filter(isText).flatMap(({ hunks }) =>
    [...hunks.matchAll(hunkLine)].map(([, start, count = '1']) => ({
      // git names the line before an empty range.
      start: Number(start) + (count === '0' ? 1 : 0),
      count: Number(count),
    })),
  );

/** By how many lines the target moved a place; undefined if it changed lines of it. Called in ascending order. */
type ShiftOf = (place: Place) => number | undefined;

function arePlacedAlike(one: PatchedFile, other: PatchedFile, shiftOf: ShiftOf): boolean {
  const others = placesOf(other);
  return placesOf(one).every((place, index) => {
    const shift = shiftOf(place);
    return shift !== undefined && place.start + shift === others[index]?.start;
  });
}

function shiftsOf(sections: readonly PatchSection[]): ShiftOf {
  const changes = sections.length === 1 && sections.every(isText) ? changesOf(sections[0]?.hunks ?? '') : undefined;
  let next = 0;
  let shift = 0;
  return ({ start, count }) => {
    for (let change = changes?.[next]; change !== undefined; change = changes?.[next]) {
      if (change.start + change.removed > start) break;
      shift += change.added - change.removed;
      next += 1;
    }
    const following = changes?.[next]?.start ?? Number.POSITIVE_INFINITY;
    return changes === undefined || following < start + count ? undefined : shift;
  };
}

/** Lines of the file before the change that were replaced by others. `start` follows lines that are only added. */
interface Change {
  readonly start: number;
  readonly removed: number;
  readonly added: number;
}

function changesOf(hunks: string): readonly Change[] {
  const changes: { start: number; removed: number; added: number }[] = [];
  let line = 0;
  let current: (typeof changes)[number] | undefined;
  for (const text of hunks.split('\n')) {
    const [kind] = text;
    if (kind === '@') {
      const [, start, count] = /^@@ -(\d+)(?:,(\d+))?/.exec(text) ?? [];
      line = Number(start) + (count === '0' ? 1 : 0);
    }
    if (kind === '-' || kind === '+') {
      if (current === undefined) changes.push((current = { start: line, removed: 0, added: 0 }));
      if (kind === '+') current.added += 1;
      else current.removed += 1;
    } else if (kind !== '\\') current = undefined;
    if (kind === '-' || kind === ' ') line += 1;
  }
  return changes;
}
