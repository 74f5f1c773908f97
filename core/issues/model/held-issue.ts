// Finds the issue that a path refers to, either only to read it or locked until the unit of work ends, and checks the
// users that an issue is assigned to.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import { checkReaders, type Repository } from '#core/repositories/index';
import type { Lineage } from './hierarchy.ts';
import { issueNumber } from './issue.ts';
import type { IssueParts } from './parts.ts';
import type { HeldIssue } from './ports.ts';

export type Reading = Granted<Repository, 'issue.read'>;
/** A signed-in caller who may read the repository. Further checks need the author, so use cases make them. */
export type Writing = Granted<Repository, 'issue.read', User>;

/** Finds the issue without a lock, to read what belongs to it. @throws {NotFound} */
export const knownIssue = async (
  { store }: Pick<IssueParts, 'store'>,
  repository: Repository,
  reference: string,
): Promise<Lineage> => found(await store.lineage(repository.id, { number: issueNumber(reference, repository) }));

/** Locks the issue. Runs inside a unit of work. @throws {NotFound} */
export const heldIssue = async (
  { store }: Pick<IssueParts, 'store'>,
  { resource }: Pick<Writing, 'resource'>,
  reference: string,
): Promise<HeldIssue> => found(await store.held(resource.id, issueNumber(reference, resource)));

/** Removes duplicates. @throws {ValidationFailed} if a user does not exist or cannot read the repository. */
export const checkAssignees = (
  { repositories }: Pick<IssueParts, 'repositories'>,
  { resource }: Writing,
  ids: readonly string[],
): Promise<readonly string[]> =>
  checkReaders(repositories, resource.id, ids, {
    member: 'assignee_ids',
    refusal: 'An issue can be assigned to people who may read the repository',
  });
