// Which commit of a branch brought another one: the oldest of its first parents that leads to it.
import type { CommitRecord, Oid } from '#core/repositories/index';

/**
 * @param commits what a push brought to the branch, whole.
 * @returns for each head the commit of the branch that brought it: the head itself where the branch was moved to it.
 *   Those that the commits do not lead to are missing.
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
  // From the oldest on: what it does not lead to, a later one has brought.
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
