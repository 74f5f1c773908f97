// Checks the assignees of an issue before they are written.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { checkReaders, type Repository } from '#core/repositories/index';
import type { IssueParts } from './parts.ts';

export type Writing = Granted<Repository, 'issue.read', User>;

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
