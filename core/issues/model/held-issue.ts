// Finds the issue that a path refers to, either only to read it or locked until the unit of work ends.
import { found } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { Lineage } from './hierarchy.ts';
import { issueNumber } from './issue.ts';
import type { IssueParts } from './parts.ts';
import type { HeldIssue } from './ports.ts';
import type { Writing } from './references.ts';

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
