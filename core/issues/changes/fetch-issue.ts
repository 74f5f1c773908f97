// Fetches one issue, with the details that lists omit.
import type { Caller } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import { blockersOf } from '../model/link.ts';
import type { Reading } from '../model/held-issue.ts';
import { issueNumber, type IssueDetail, type IssueView } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';
import { viewsOf } from '../lists/view.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations' | 'links'>;

/** @throws {NotFound} */
export const fetchIssue =
  (parts: Parts) =>
  ({ resource, call }: Reading, { number }: { readonly number: string }) =>
    detailOf(parts, resource, call.caller, number);

/** The issue that a path refers to, for this caller. @throws {NotFound} */
export async function detailOf(
  parts: Parts,
  repository: Repository,
  caller: Caller,
  reference: string,
): Promise<IssueView & IssueDetail> {
  const row = found(await parts.store.byNumber(repository.id, issueNumber(reference, repository)));
  const [views, watching, links] = await Promise.all([
    viewsOf(parts, repository.id, [row]),
    parts.store.watching(row.id, caller.kind === 'user' ? caller.id : undefined),
    parts.links.of(row.id),
  ]);
  return { ...found(views[0]), ...watching, links: links.length, blockedBy: blockersOf(row.id, links) };
}
