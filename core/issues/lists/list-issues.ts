// Lists the issues of a repository that match a filter, and the children of an issue.
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { nameKey, numberedPage, type NumberedSlice } from '#core/repositories/index';
import { associationFilter, type AssociationNames } from '../model/associations.ts';
import { dayOf, type IssueFilter } from '../model/filter.ts';
import { knownIssue, type Reading } from '../model/held-issue.ts';
import type { IssueView } from '../model/issue.ts';
import { checkIssues, listedIssues, listedRows, textShare } from './listed.ts';
import type { IssueParts } from '../model/parts.ts';
import { viewsOf } from './view.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations' | 'components' | 'versions'>;

type ById = 'labelIds' | 'parentId' | 'componentId' | 'fixVersionId' | 'affectsVersionId';

export interface ListCommand extends Omit<IssueFilter, ById | 'overdue'>, AssociationNames {
  /** The name of a label, compared case-insensitively. */
  readonly label?: string | undefined;
  readonly overdue?: boolean | undefined;
  readonly page: PageRequest;
}

/** Requests one part of a list by the last number of the previous part. New issues do not shift the parts. */
export interface PieceCommand extends Pick<ListCommand, 'state'> {
  /** Names of labels, compared case-insensitively. An issue must have all of them. */
  readonly labels?: readonly string[] | undefined;
  /** Only issues with a smaller number. */
  readonly beyond?: number | undefined;
  readonly limit: number;
}

/**
 * The newest first. An unknown label, component or version matches no issue; neither does a label if the plugin
 * "planning" is disabled.
 */
export const listIssues =
  (parts: Parts) =>
  async (
    { resource: { id }, call }: Reading,
    { label, overdue, page, component, fixVersion, affectsVersion, ...rest }: ListCommand,
  ): Promise<Page<IssueView>> => {
    const { store, planning } = parts;
    const labelIds = await labelsNamed(parts, id, label === undefined ? [] : [label]);
    const associated = await associationFilter(parts, id, { component, fixVersion, affectsVersion });
    if (
      associated === undefined ||
      labelIds === undefined ||
      (rest.milestoneId !== undefined && planning === undefined)
    )
      return { items: [], total: 0, ...page };
    const filter: IssueFilter = {
      ...rest,
      ...associated,
      labelIds,
      ...(overdue !== undefined && { overdue: { is: overdue, today: dayOf(call.now) } }),
    };
    // Counts before reading, because the caller chooses the page size.
    const total = await store.count(id, filter);
    const count = Math.max(0, Math.min(page.perPage, total - offsetOf(page)));
    if (count === 0) return { items: [], total, ...page };
    checkIssues(count);
    const texts = textShare(count);
    const rows = await listedRows(parts, id, filter, { ...numberedPage(page, 'newest'), limit: count, texts });
    return { items: await listedIssues(parts, id, rows), total, ...page };
  };

/** The newest first. */
export const listPiece =
  (parts: Parts) =>
  async (
    { resource: { id } }: Reading,
    { state, labels, beyond, limit }: PieceCommand,
  ): Promise<{ readonly issues: readonly IssueView[]; readonly more: boolean }> => {
    const labelIds = await labelsNamed(parts, id, labels);
    if (labelIds === undefined) return { issues: [], more: false };
    // Reads one issue more than requested, to find out whether there are more.
    const slice: NumberedSlice = { order: 'newest', beyond, limit: limit + 1, offset: 0, texts: textShare(limit + 1) };
    const rows = await parts.store.list(id, { state, labelIds }, slice);
    return { issues: await viewsOf(parts, id, rows.slice(0, limit)), more: rows.length > limit };
  };

/**
 * Resolves names to ids.
 * @returns undefined if the repository lacks a label with one of the names, so that no issue can match.
 */
async function labelsNamed(
  { planning }: Pick<Parts, 'planning'>,
  repositoryId: string,
  names: readonly string[] = [],
): Promise<readonly string[] | undefined> {
  const keys = new Set(names.map(nameKey));
  if (keys.size === 0) return [];
  const labels = (await planning?.labelsNamed(repositoryId, [...keys])) ?? [];
  return labels.length < keys.size ? undefined : labels.map(({ id }) => id);
}

/** Sorted by number. @throws {NotFound} */
export const listChildren =
  (parts: Parts) =>
  async (
    { resource: repository }: Reading,
    { number, page }: { readonly number: string; readonly page: PageRequest },
  ): Promise<readonly IssueView[]> => {
    const { store } = parts;
    const parent = await knownIssue(parts, repository, number);
    const filter = { parentId: parent.id };
    const texts = textShare(Math.min(page.perPage, await store.count(repository.id, filter)));
    const rows = await listedRows(parts, repository.id, filter, { ...numberedPage(page, 'oldest'), texts });
    return listedIssues(parts, repository.id, rows);
  };
