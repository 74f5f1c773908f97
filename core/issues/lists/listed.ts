// Limits of the size of a list of issues. They are needed because everyone who can read a repository can write texts of
// the maximum length.
import { clip, fitMembers, mostOfList } from '#core/kernel/clipping';
import { Unprocessable } from '#core/kernel/errors';
import type { NumberedSlice } from '#core/repositories/index';
import type { IssueFilter } from '../model/filter.ts';
import { issueBounds, type IssueRow, type IssueView } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';
import { viewsOf } from './view.ts';

const texts = ['description', 'assumptions', 'acceptanceCriteria'] as const;

/** The most issues of one page. Each has at least about 1 KiB of JSON, and a response at most 16 MiB. */
const mostIssues = 16_384;

/** The most bytes of JSON for the descriptions of all components and versions in a list. */
const mostOfAssociated = 2 * 1024 ** 2;

/** The most labels and assignees in a list together, and separately the most components and versions. */
const mostBeside = 100_000;

/** How many issues are read and converted at a time. The reads in between yield to other requests. */
const piece = 250;

function checkBeside(count: number, what: string): void {
  if (count > mostBeside)
    throw new Unprocessable('The answer is too large', {
      detail: `Its issues may have ${mostBeside} ${what} together; ask for smaller pages with "per_page"`,
    });
}

/** Runs before any issue is read. @throws {Unprocessable} */
export function checkIssues(count: number): void {
  if (count > mostIssues)
    throw new Unprocessable('The answer is too large', {
      detail: `It would have ${count} issues, and may have ${mostIssues}; ask for smaller pages with "per_page"`,
    });
}

/** The most characters of one text member, summed over all issues of a list. */
export const listRoom = Math.floor(mostOfList / texts.length);

/** The most characters of each text in a list of this many issues. Undefined if no text needs to be clipped. */
export function textShare(count: number): number | undefined {
  const share = Math.floor(listRoom / Math.max(1, count));
  return share < issueBounds.text ? share : undefined;
}

/** Reads the rows of a list in batches. `texts` of the slice is the result of `textShare`. @throws {Unprocessable} */
export async function listedRows(
  { store }: Pick<IssueParts, 'store'>,
  repositoryId: string,
  filter: IssueFilter,
  slice: NumberedSlice,
): Promise<readonly IssueRow[]> {
  const rows: IssueRow[] = [];
  let beside = 0;
  for (;;) {
    const last = rows.at(-1);
    const limit = Math.min(piece, slice.limit - rows.length);
    const next = last === undefined ? { limit } : { limit, offset: 0, beyond: last.number };
    const some = await store.list(repositoryId, filter, { ...slice, ...next });
    beside += some.reduce((sum, { labelIds, assignees }) => sum + labelIds.length + assignees.length, 0);
    checkBeside(beside, 'labels and assignees');
    rows.push(...withShares(some, slice.texts));
    if (some.length < limit || rows.length >= slice.limit) return rows;
  }
}

/** @param share the limit that the store was given. The store reads one character more of longer texts. */
export function withShares<R extends IssueRow>(rows: readonly R[], share: number | undefined): readonly R[] {
  if (share === undefined) return rows;
  return rows.map((row) => ({
    ...row,
    description: clip(row.description, share),
    assumptions: row.assumptions && clip(row.assumptions, share),
    acceptanceCriteria: row.acceptanceCriteria && clip(row.acceptanceCriteria, share),
  }));
}

/** Converts rows to views. @throws {Unprocessable} */
export async function listedIssues<R extends IssueRow>(
  parts: Pick<IssueParts, 'planning' | 'associations'>,
  repositoryId: string,
  rows: readonly R[],
): Promise<readonly (R & IssueView)[]> {
  const fitting = fitMembers(rows, texts);
  const views: (R & IssueView)[] = [];
  let beside = 0;
  for (let at = 0; at < rows.length; at += piece) {
    const some = await viewsOf(parts, repositoryId, fitting.slice(at, at + piece));
    beside += some.reduce((sum, view) => sum + associatedWith(view).length, 0);
    checkBeside(beside, 'components and versions');
    views.push(...some);
  }
  return withFittingAssociations(views);
}

const associatedWith = ({ components, fixVersions, affectsVersions }: IssueView) => [
  ...components,
  ...fixVersions,
  ...affectsVersions,
];

/** Many issues can repeat the same components and versions, so their descriptions are clipped together. */
function withFittingAssociations<R extends IssueView>(rows: readonly R[]): readonly R[] {
  const whole = rows.flatMap(associatedWith);
  const fitted = fitMembers(whole, ['description'], mostOfAssociated);
  if (fitted === whole) return rows;
  let at = 0;
  const next = <T>(things: readonly T[]): readonly T[] => fitted.slice(at, (at += things.length)) as unknown as T[];
  return rows.map((row) => ({
    ...row,
    components: next(row.components),
    fixVersions: next(row.fixVersions),
    affectsVersions: next(row.affectsVersions),
  }));
}
