// Sets of ancestors: merge bases, divergence, reachability. No walk relies on dates, which may be wrong.
import { Internal } from '#core/kernel/errors';
import type { Divergence, Oid } from '#core/repositories/git/git-backend';
import type { Commit } from '../objects/commit.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/**
 * Everything that is reachable from the tips, which are commits. Stops before commits that `stop` accepts.
 * @param shallow commits whose parents are not followed.
 */
export function ancestors(
  store: ObjectStore,
  tips: Iterable<Oid>,
  stop: (oid: Oid) => boolean = () => false,
  shallow: ReadonlySet<Oid> = new Set(),
): Map<Oid, Commit> {
  const found = new Map<Oid, Commit>();
  const open = [...tips];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (found.has(oid) || stop(oid)) continue;
    const commit = store.commit(oid);
    if (commit === undefined) continue;
    store.check();
    found.set(oid, commit);
    if (!shallow.has(oid)) open.push(...commit.parents);
  }
  return found;
}

/** @throws {Internal} if one of them is not a commit. */
export function assertCommits(store: ObjectStore, ...oids: readonly Oid[]): void {
  for (const oid of oids)
    if (store.commit(oid) === undefined) throw new Internal('A commit is missing', { detail: oid });
}

/** The best common ancestors, the newest first. */
export function mergeBases(store: ObjectStore, one: Oid, other: Oid): readonly Oid[] {
  if (one === other) return [one];
  assertCommits(store, one, other);
  const left = ancestors(store, [one]);
  const common = [...ancestors(store, [other], (oid) => left.has(oid)).values()]
    .flatMap(({ parents }) => parents)
    .filter((oid) => left.has(oid));
  if (left.has(other)) common.push(other);
  const candidates = [...new Set(common)];
  // A candidate below another one is not a best ancestor.
  const below = ancestors(
    store,
    candidates.flatMap((oid) => store.commit(oid)?.parents ?? []),
  );
  return candidates
    .filter((oid) => !below.has(oid))
    .sort((a, b) => (store.commit(b)?.committed ?? 0) - (store.commit(a)?.committed ?? 0));
}

export function isAncestor(store: ObjectStore, older: Oid, newer: Oid): boolean {
  const open = [newer];
  const seen = new Set<Oid>();
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (oid === older) return true;
    if (seen.has(oid)) continue;
    seen.add(oid);
    store.check();
    open.push(...(store.commit(oid)?.parents ?? []));
  }
  return false;
}

export function divergences(store: ObjectStore, base: Oid, heads: readonly Oid[]): readonly Divergence[] {
  assertCommits(store, base, ...heads);
  const known = ancestors(store, [base]);
  return heads.map((head) => {
    const ahead = ancestors(store, [head], (oid) => known.has(oid));
    // All ancestors of these are common.
    const meeting = [...ahead.values()].flatMap(({ parents }) => parents).filter((oid) => known.has(oid));
    const common = ancestors(store, known.has(head) ? [head] : meeting);
    return { ahead: ahead.size, behind: known.size - common.size };
  });
}
