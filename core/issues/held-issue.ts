// The issue that a path names: read, or held until the unit of work ends by the change that is about it.
import { found } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { Lineage } from './hierarchy.ts';
import { issueNumber } from './issue.ts';
import type { IssueParts } from './parts.ts';
import type { HeldIssue } from './ports.ts';
import type { Writing } from './references.ts';

/** To read what belongs to it. @throws {NotFound} */
export const knownIssue = async (
  { store }: Pick<IssueParts, 'store'>,
  repository: Repository,
  reference: string,
): Promise<Lineage> => found(await store.lineage(repository.id, { number: issueNumber(reference, repository) }));

/** Inside a unit of work. @throws {NotFound} */
export const heldIssue = async (
  { store }: Pick<IssueParts, 'store'>,
  { resource }: Pick<Writing, 'resource'>,
  reference: string,
): Promise<HeldIssue> => found(await store.held(resource.id, issueNumber(reference, resource)));
