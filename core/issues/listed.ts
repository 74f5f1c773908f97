// What a list of issues has room for. Everybody who reads a repository may write texts, each as long as it may be.
import { clip, fitMembers, mostOfList } from '#core/kernel/clipping';
import { Unprocessable } from '#core/kernel/errors';
import { issueBounds, type IssueRow, type IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';
import { viewsOf } from './view.ts';

const texts = ['description', 'assumptions', 'acceptanceCriteria'] as const;

/** Issues of one page. Each has about 1 KiB of JSON at the least, and an answer 16 MiB at the most. */
const mostIssues = 16_384;

/** Bytes of JSON that the descriptions of components and versions of a list take together. */
const mostOfAssociated = 2 * 1024 ** 2;

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

/** @param share as the store was told it: of what is longer it read a character more. */
export async function listedIssues<R extends IssueRow>(
  parts: Pick<IssueParts, 'planning' | 'associations'>,
  repositoryId: string,
  rows: readonly R[],
  share?: number,
): Promise<readonly (R & IssueView)[]> {
  // Before the reads of the views: the two are work enough for a turn of the event loop each.
  return withFittingAssociations(await viewsOf(parts, repositoryId, withFittingTexts(rows, share)));
}

function withFittingTexts<R extends IssueRow>(rows: readonly R[], share: number | undefined): readonly R[] {
  const cut = (text: string): string => (share === undefined ? text : clip(text, share));
  const shared =
    share === undefined
      ? rows
      : rows.map((row) => ({
          ...row,
          description: cut(row.description),
          assumptions: row.assumptions && cut(row.assumptions),
          acceptanceCriteria: row.acceptanceCriteria && cut(row.acceptanceCriteria),
        }));
  return fitMembers(shared, texts);
}

/** Issues repeat the components and versions of their repository. */
function withFittingAssociations<R extends IssueView>(rows: readonly R[]): readonly R[] {
  const associated = (row: R) => [...row.components, ...row.fixVersions, ...row.affectsVersions];
  const whole = rows.flatMap(associated);
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
