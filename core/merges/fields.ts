// What a caller writes of a merge request beside its branches and its state, and whom it names.
import { ValidationFailed } from '#core/kernel/errors';
import { checkReaders } from '#core/repositories/index';
import type { Writing } from './held-request.ts';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';

/** Members that a caller writes; what is left out stays as it is, or has its default. */
export interface MergeFields {
  readonly title?: string | undefined;
  /** Markdown. */
  readonly description?: string | undefined;
  readonly isDraft?: boolean | undefined;
  readonly milestoneId?: string | null | undefined;
}

/** Sets that are there, even empty, replace the ones before. */
export interface MergeSets {
  readonly labelIds?: readonly string[] | undefined;
  readonly assigneeIds?: readonly string[] | undefined;
  /** Whom to ask for a review. */
  readonly reviewerIds?: readonly string[] | undefined;
}

/** @throws {ValidationFailed} */
export function checkTitle(title: string): string {
  if (title.trim() !== '') return title;
  throw new ValidationFailed('A merge request needs a title', { detail: '"title" must not be empty' });
}

/** @throws {ValidationFailed} where a branch is to be merged into itself. */
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

/** Each once. @throws {ValidationFailed} where one is nobody, or may not read the repository. */
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
