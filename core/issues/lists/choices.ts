// The values that the caller can choose for the members of an issue, and users by name.
import { mayAlso } from '#core/kernel/access/also';
import { usersNamed, type PublicUser } from '#core/identity/index';
import type { Label, Milestone } from '#core/planning/index';
import type { Reading } from '../model/held-issue.ts';
import { issueBounds } from '../model/issue.ts';
import type { IssueType } from '../model/issue-type.ts';
import type { Component, Version } from '../model/named.ts';
import type { IssueParts } from '../model/parts.ts';

export interface IssueChoices {
  /** The types that new issues may have. Without a scheme, only signed-in callers see those of the instance. */
  readonly types: readonly IssueType[];
  readonly labels: readonly Label[];
  /** Empty for callers who may not read the repository itself. */
  readonly milestones: readonly Milestone[];
  readonly components: readonly Component[];
  readonly versions: readonly Version[];
}

/** The most components and versions to choose from, the first by name. */
const mostNamed = 200;

type Parts = Pick<IssueParts, 'types' | 'schemes' | 'planning' | 'components' | 'versions' | 'access'>;

export const issueChoices =
  ({ types, schemes, planning, components, versions, access }: Parts) =>
  async (granted: Reading): Promise<IssueChoices> => {
    const { id: repositoryId } = granted.resource;
    const named = { where: { repositoryId }, orderBy: ['nameKey'], limit: mostNamed } as const;
    const [scheme, planned, readsRepository, ...both] = await Promise.all([
      schemes.typesOf(repositoryId),
      planning?.ofRepository(repositoryId),
      mayAlso(access, granted, 'repo.read', 'repo.read'),
      components.find(named),
      versions.find(named),
    ]);
    const every = scheme.length === 0 && granted.call.caller.kind === 'user';
    return {
      types: every ? await types.find({ where: {}, orderBy: ['position', 'name'] }) : scheme,
      labels: planned?.labels ?? [],
      milestones: readsRepository ? (planned?.milestones ?? []) : [],
      components: both[0],
      versions: both[1],
    };
  };

/** The users with these names. @throws {ValidationFailed} */
export const assigneesNamed =
  ({ users }: Pick<IssueParts, 'users'>) =>
  (_granted: Reading, usernames: readonly string[]): Promise<readonly PublicUser[]> =>
    usersNamed(users, { member: 'assignees', usernames, most: issueBounds.assignees });
