// Texts of issues, comments and changes in a list. Everybody who reads a repository may write some, each as long as it
// may be: the list is an answer all the same, and a fetch or a smaller page has them whole.
import { fitMembers } from '#core/kernel/clipping';

/** Bytes of JSON that the texts of one list take together; past it the longest end in an ellipsis. */
const most = 8 * 1024 ** 2;

export const listed = <M extends string, R extends Readonly<Record<M, string | null>>>(
  rows: readonly R[],
  ...members: readonly M[]
): readonly R[] => fitMembers(rows, members, most);

export const listedIssues = <
  R extends Readonly<Record<'description' | 'assumptions' | 'acceptanceCriteria', string | null>>,
>(
  rows: readonly R[],
): readonly R[] => listed(rows, 'description', 'assumptions', 'acceptanceCriteria');
