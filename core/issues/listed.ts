// What a list of issues has room for. Everybody who reads a repository may write texts, each as long as it may be.
import { clip, fitMembers, mostOfList } from '#core/kernel/clipping';
import { Unprocessable } from '#core/kernel/errors';
import type { NumberedSlice } from '#core/repositories/index';
import type { IssueFilter } from './filter.ts';
import { issueBounds, type IssueRow, type IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';
import { viewsOf } from './view.ts';

const texts = ['description', 'assumptions', 'acceptanceCriteria'] as const;

/** Issues of one page. Each has about 1 KiB of JSON at the least, and an answer 16 MiB at the most. */
const mostIssues = 16_384;

/** Bytes of JSON that the descriptions of components and versions of a list take together. */
const mostOfAssociated = 2 * 1024 ** 2;

/** Labels and assignees of a list together; and so many components and versions. */
const mostBeside = 100_000;

/** Issues that are read and shown at a time: reads are in between, so that others get their turn. */
const piece = 250;

function checkBeside(count: number, what: string): void {
  if (count > mostBeside)
    throw new Unprocessable('The answer is too large', {
      detail: `Its issues may have ${mostBeside} ${what} together; ask for smaller pages with "per_page"`,
    });
}

/** Before any is read. @throws {Unprocessable} */
export function checkIssues(count: number): void {
  if (count > mostIssues)
    throw new Unprocessable('The answer is too large', {
      detail: `It would have ${count} issues, and may have ${mostIssues}; ask for smaller pages with "per_page"`,
    });
}

/** Characters of one of its texts, of all issues of a list together. */
export const listRoom = Math.floor(mostOfList / texts.length);

/** Characters of each text that so many issues have room for; undefined where all of them may be whole. */
export function textShare(count: number): number | undefined {
  const share = Math.floor(listRoom / Math.max(1, count));
  return share < issueBounds.text ? share : undefined;
}

/** Rows of a list, in pieces; `texts` of the slice is their share. @throws {Unprocessable} */
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

/** @param share as the store was told it: of what is longer it read a character more. */
export function withShares<R extends IssueRow>(rows: readonly R[], share: number | undefined): readonly R[] {
  if (share === undefined) return rows;
  return rows.map((row) => ({
    ...row,
    description: clip(row.description, share),
    assumptions: row.assumptions && clip(row.assumptions, share),
    acceptanceCriteria: row.acceptanceCriteria && clip(row.acceptanceCriteria, share),
  }));
}

/** As they are shown. @throws {Unprocessable} */
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

/** Issues repeat the components and versions of their repository. */
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
