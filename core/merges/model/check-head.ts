// Binds a merge or a review to the head that the caller looked at.
import { Conflict } from '#core/kernel/errors';
import type { MergeRequest } from './merge-request.ts';

/**
 * Checks that the head is the commit that the caller looked at, if they name it.
 * @param body further members of the error.
 * @throws {Conflict} `head_changed`
 */
export function checkHead(
  { number, headOid }: Pick<MergeRequest, 'number' | 'headOid'>,
  sha: string | undefined,
  body?: Readonly<Record<string, unknown>>,
): void {
  if (sha === undefined || sha.toLowerCase() === headOid) return;
  throw new Conflict('The merge request has another head', {
    code: 'head_changed',
    detail: `The head of merge request ${number} is ${headOid}, not "${sha}"; look at it again`,
    ...(body !== undefined && { body }),
  });
}
