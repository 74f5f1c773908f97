// Texts of issues in a list. Everybody who reads a repository may write some, each as long as it may be.
import { fitMembers } from '#core/kernel/clipping';

export const listedIssues = <
  R extends Readonly<Record<'description' | 'assumptions' | 'acceptanceCriteria', string | null>>,
>(
  rows: readonly R[],
): readonly R[] => fitMembers(rows, ['description', 'assumptions', 'acceptanceCriteria']);
