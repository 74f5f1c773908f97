// The values that the caller can choose for the members of an issue, and users by name.
import { mayAlso } from '#core/kernel/access/also';
import { ValidationFailed } from '#core/kernel/errors';
import type { PublicUser } from '#core/identity/index';
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

/** The users with these names, each once. @throws {ValidationFailed} naming the unknown one. */
export const usersNamed =
  ({ users }: Pick<IssueParts, 'users'>) =>
  async (_granted: Reading, usernames: readonly string[]): Promise<readonly PublicUser[]> => {
    const names = [...new Set(usernames.map((name) => name.toLowerCase()))];
    if (names.length > issueBounds.assignees)
      throw new ValidationFailed('There are too many people', {
        detail: `"assignees" has ${names.length} names, and may have ${issueBounds.assignees}`,
      });
    return Promise.all(
      names.map(async (name) => {
        const user = await users.byUsername(name);
        if (user !== undefined) return user;
        throw new ValidationFailed('There is no such user', { detail: `"assignees" names "${name}"` });
      }),
    );
  };
