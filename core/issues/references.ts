// Whom an issue refers to, checked before it is written: its assignees.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { checkReaders, type Repository } from '#core/repositories/index';
import type { IssueParts } from './parts.ts';

export type Writing = Granted<Repository, 'issue.read', User>;

/** Each once. @throws {ValidationFailed} where one is nobody, or may not read the repository. */
export const checkAssignees = (
  { repositories }: Pick<IssueParts, 'repositories'>,
  { resource }: Writing,
  ids: readonly string[],
): Promise<readonly string[]> =>
  checkReaders(repositories, resource.id, ids, {
    member: 'assignee_ids',
    refusal: 'An issue can be assigned to people who may read the repository',
  });
