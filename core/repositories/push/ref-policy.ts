// The ref policy for pushes and REST. It rejects reserved and illegal names first, then applies the protection of
// branches.
import type { Caller } from '#core/kernel/caller';
import {
  mergeRefs,
  zeroOid,
  type GitBackend,
  type JudgeRefs,
  type RefUpdate,
  type RefVerdict,
} from '../git/git-backend.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { moveRefusal, roleRefusal } from '../model/protection.ts';
import type { Repository } from '../model/repository.ts';

/** Refs of the server itself. Clients cannot see or change them. */
const internal = 'refs/hexforge/';
const branches = 'refs/heads/';

/** The verdicts that only depend on names: one per update. */
export function judgeNames(
  git: Pick<GitBackend, 'isLegalName'>,
  repository: Repository,
  updates: readonly RefUpdate[],
): readonly RefVerdict[] {
  const refusal = (update: RefUpdate): string | undefined => {
    if (update.ref.startsWith(internal))
      return `"${internal}" is kept for the forge itself; push to refs/heads/ or refs/tags/`;
    if (update.ref === mergeRefs || update.ref.startsWith(`${mergeRefs}/`))
      return `"${mergeRefs}/" is kept for merge requests, and nobody pushes there; push to the branch that the request is about`;
    const deletion = update.new === zeroOid;
    if (deletion && update.ref === `${branches}${repository.defaultBranch}`)
      return 'the default branch cannot be deleted; make another branch the default first';
    for (const [kind, prefix] of [
      ['branch', branches],
      ['tag', 'refs/tags/'],
    ] as const) {
      if (!deletion && update.ref.startsWith(prefix) && !git.isLegalName(kind, update.ref.slice(prefix.length)))
        return `this ${kind} name is not allowed here; choose a shorter one, or one that is not "HEAD" and does not start with "-" or "refs/"`;
    }
    return undefined;
  };
  return updates.map((update) => ({ ref: update.ref, refusal: refusal(update) }));
}

/**
 * One verdict per update, by the current rules.
 * @param how `push_roles` does not apply to `merged`.
 */
export const judgeRefs =
  (
    { git, store, protections }: Pick<RepositoryParts, 'git' | 'store' | 'protections'>,
    repository: Repository,
    caller: Caller,
    how: 'pushed' | 'merged' = 'pushed',
  ): JudgeRefs =>
  async (updates, objects) => {
    const verdicts = judgeNames(git, repository, updates);
    if (!updates.some(({ ref }) => ref.startsWith(branches))) return verdicts;
    const rules = await protections.all(repository.id);
    if (rules.size === 0) return verdicts;
    const role = how === 'merged' ? undefined : await roleOf(store, repository, caller);
    return Promise.all(
      verdicts.map(async (verdict, index) => {
        const update = updates[index];
        if (verdict.refusal !== undefined || update === undefined || !update.ref.startsWith(branches)) return verdict;
        const branch = update.ref.slice(branches.length);
        const rule = rules.get(branch);
        if (rule === undefined) return verdict;
        const refusal =
          (how === 'merged' ? undefined : roleRefusal(rule, branch, role)) ??
          (await moveRefusal(rule, branch, update, (older, newer) => objects.isAncestor(older, newer)));
        return { ref: update.ref, refusal };
      }),
    );
  };

/** The role of a user who pushes. The owner and instance administrators count as admin. */
async function roleOf(
  store: RepositoryParts['store'],
  { id, ownerId, owner, name }: Repository,
  caller: Caller,
): Promise<string | undefined> {
  if (caller.kind !== 'user') return undefined;
  if (caller.isAdmin || caller.id === ownerId) return 'admin';
  const found = await store.standing(owner, name, caller.id);
  // Another repository may have been given this name meanwhile.
  return found?.repository.id === id ? found.collaboration?.role : undefined;
}
