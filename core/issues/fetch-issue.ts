// One issue, with what is told of one alone.
import type { Granted } from '#core/kernel/access';
import type { Caller } from '#core/kernel/caller';
import type { Repository } from '#core/repositories/index';
import { blockersOf } from './link.ts';
import type { IssueDetail, IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';
import { viewOf } from './view.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations' | 'links'>;

/** @throws {NotFound} */
export const fetchIssue =
  (parts: Parts) =>
  ({ resource, call }: Granted<Repository, 'issue.read'>, { number }: { readonly number: string }) =>
    detailOf(parts, resource, call.caller, number);

/** The issue that a path names, as this caller sees it. @throws {NotFound} */
export async function detailOf(
  parts: Parts,
  repository: Repository,
  caller: Caller,
  reference: string,
): Promise<IssueView & IssueDetail> {
  const view = await viewOf(parts, repository, reference);
  const [watching, links] = await Promise.all([
    parts.store.watching(view.id, caller.kind === 'user' ? caller.id : undefined),
    parts.links.of(view.id),
  ]);
  return { ...view, ...watching, links: links.length, blockedBy: blockersOf(view.id, links) };
}
