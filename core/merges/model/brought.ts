// Finds the merge commit of a branch by which another commit became part of it: the oldest first-parent commit from
// which the other one is reachable.
import type { CommitRecord, Oid } from '#core/repositories/index';

/**
 * @param commits all commits that a push added to the branch.
 * @returns for each head the commit by which it became part of the branch: the head itself if the branch was moved to
 * it. Heads that are not reachable through the commits are missing.
 */
export function broughtBy(
  tip: Oid,
  commits: readonly Pick<CommitRecord, 'oid' | 'parents'>[],
  heads: readonly Oid[],
): ReadonlyMap<Oid, Oid> {
  const parentsOf = new Map(commits.map(({ oid, parents }) => [oid, parents]));
  const line: Oid[] = [];
  for (let at: Oid | undefined = tip; at !== undefined && parentsOf.has(at); at = parentsOf.get(at)?.[0]) line.push(at);
  const bringer = new Map<Oid, Oid>();
  // Starts with the oldest commit, so that each head is assigned to the first commit that reaches it.
  for (const merge of line.reverse()) {
    const open = [merge];
    for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
      const parents = parentsOf.get(oid);
      if (parents === undefined || bringer.has(oid)) continue;
      bringer.set(oid, merge);
      open.push(...parents);
    }
  }
  const asked = new Set(heads);
  return new Map([...bringer].filter(([head]) => asked.has(head)));
}
