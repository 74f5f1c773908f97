// The writable members of a merge request other than branches and state, and their checks.
import { ValidationFailed } from '#core/kernel/errors';
import { checkReaders } from '#core/repositories/index';
import type { Writing } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';

/** The members to write. Absent ones stay unchanged, or get their default in a new request. */
export interface MergeFields {
  readonly title?: string | undefined;
  /** Markdown. */
  readonly description?: string | undefined;
  readonly isDraft?: boolean | undefined;
  readonly milestoneId?: string | null | undefined;
}

/** A set that is present, even an empty one, replaces the existing one. */
export interface MergeSets {
  readonly labelIds?: readonly string[] | undefined;
  readonly assigneeIds?: readonly string[] | undefined;
  /** The users to request reviews from. */
  readonly reviewerIds?: readonly string[] | undefined;
}

/** @throws {ValidationFailed} */
export function checkTitle(title: string): string {
  if (title.trim() !== '') return title;
  throw new ValidationFailed('A merge request needs a title', { detail: '"title" must not be empty' });
}

/** @throws {ValidationFailed} if source and target are the same branch. */
export function checkPair({
  repositoryId,
  sourceRepositoryId,
  sourceBranch,
  targetBranch,
}: Pick<MergeRequest, 'repositoryId' | 'sourceRepositoryId' | 'sourceBranch' | 'targetBranch'>): void {
  if (sourceRepositoryId === repositoryId && sourceBranch === targetBranch)
    throw new ValidationFailed('A branch cannot be merged into itself', {
      detail: '"source_branch" and "target_branch" are the same',
    });
}

/** Removes duplicates. @throws {ValidationFailed} if a user does not exist or cannot read the repository. */
export const checkPeople = (
  { repositories }: Pick<MergeParts, 'repositories'>,
  { resource }: Writing,
  member: 'assignee_ids' | 'reviewer_ids',
  ids: readonly string[],
): Promise<readonly string[]> =>
  checkReaders(repositories, resource.id, ids, {
    member,
    refusal: 'Assignees and reviewers of a merge request are people who may read the repository',
  });
