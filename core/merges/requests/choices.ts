// The values that the caller can choose for the members of a merge request: labels, milestones, branches, and users by
// name.
import { mayAlso } from '#core/kernel/access/also';
import { usersNamed, type PublicUser } from '#core/identity/index';
import type { Label, Milestone } from '#core/planning/index';
import { canPush } from '../merging/can-push.ts';
import type { Reading, Writing } from '../model/held-request.ts';
import { mergeBounds } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';

export interface MergeChoices {
  /** Empty for callers who may not read the labels of the repository. */
  readonly labels: readonly Label[];
  readonly milestones: readonly Milestone[];
}

export const mergeChoices =
  ({ planning, access }: Pick<MergeParts, 'planning' | 'access'>) =>
  async (granted: Reading): Promise<MergeChoices> => {
    const [all, readsLabels] = await Promise.all([
      planning?.ofRepository(granted.resource.id),
      mayAlso(access, granted, 'issue.read', 'issue.read'),
    ]);
    return { labels: readsLabels ? (all?.labels ?? []) : [], milestones: all?.milestones ?? [] };
  };

/** The users with these names. @throws {ValidationFailed} naming the member. */
export const peopleNamed =
  ({ users }: Pick<MergeParts, 'users'>) =>
  (
    _granted: Reading,
    named: { readonly member: string; readonly usernames: readonly string[] },
  ): Promise<readonly PublicUser[]> =>
    usersNamed(users, { ...named, most: mergeBounds.reviewers });

/** Branches from which the caller can open requests, as `openRequest` takes them, and branches of the target. */
export interface BranchChoices {
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  /** Whether there are more branches. */
  readonly truncated: boolean;
}

/** The most branches of one repository, and the most forks. */
const [mostBranches, mostForks] = [500, 10];

export const branchChoices =
  ({ git, heads, access }: Pick<MergeParts, 'git' | 'heads' | 'access'>) =>
  async (granted: Writing): Promise<BranchChoices> => {
    const { resource, call } = granted;
    const [targets, network] = await Promise.all([
      branchesOf(git, resource.id),
      heads.network(resource.id, call.caller.username),
    ]);
    const forks = network.filter(({ id }) => id !== resource.id).slice(0, mostForks);
    const others = await Promise.all(
      forks.map(async (fork) => ((await canPush(access, call, fork)) ? branchesOf(git, fork.id) : [])),
    );
    const sources = [
      ...(granted.may('merge.open') ? targets.slice(0, mostBranches) : []),
      // A name that several forks have leads to the first of them.
      ...new Set(
        others.flatMap((names) => names.slice(0, mostBranches).map((name) => `${call.caller.username}:${name}`)),
      ),
    ];
    const truncated = [targets, ...others].some(({ length }) => length > mostBranches);
    return { sources, targets: targets.slice(0, mostBranches), truncated };
  };

const prefix = 'refs/heads/';

async function branchesOf(git: MergeParts['git'], repositoryId: string): Promise<readonly string[]> {
  const { refs } = await git.refList(repositoryId, 'branches');
  return refs.slice(0, mostBranches + 1).map(({ name }) => name.slice(prefix.length));
}
