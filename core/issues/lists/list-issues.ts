// Lists the issues of a repository that match a filter, and the children of an issue.
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { nameKey, numberedPage, type NumberedSlice } from '#core/repositories/index';
import { associationFilter, type AssociationNames } from '../model/associations.ts';
import { dayOf, type IssueFilter } from '../model/filter.ts';
import { knownIssue, type Reading } from '../model/held-issue.ts';
import type { IssueState, IssueView, Relative } from '../model/issue.ts';
import { checkIssues, listedIssues, listedRows, textShare } from './listed.ts';
import type { IssueParts } from '../model/parts.ts';
import { viewsOf } from './view.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations' | 'components' | 'versions' | 'users'>;

type ById = 'labelIds' | 'parentId' | 'authorId' | 'assigneeId' | 'componentId' | 'fixVersionId' | 'affectsVersionId';

export interface ListCommand extends Omit<IssueFilter, ById | 'overdue'>, AssociationNames {
  /** The name of a label, compared case-insensitively. */
  readonly label?: string | undefined;
  /** A username. */
  readonly author?: string | undefined;
  /** A username. */
  readonly assignee?: string | undefined;
  readonly overdue?: boolean | undefined;
  /** By number. Default: the newest first. */
  readonly order?: NumberedSlice['order'] | undefined;
  readonly page: PageRequest;
}

/** How many issues match a filter in each state. */
export type StateCounts = Readonly<Record<IssueState, number>>;

/** Requests one part of a list by the last number of the previous part. New issues do not shift the parts. */
export interface PieceCommand extends Pick<ListCommand, 'state'> {
  /** Names of labels, compared case-insensitively. An issue must have all of them. */
  readonly labels?: readonly string[] | undefined;
  /** Only issues with a smaller number. */
  readonly beyond?: number | undefined;
  readonly limit: number;
}

/**
 * An unknown label, component, version or user matches no issue; neither does a label if the plugin "planning" is
 * disabled.
 */
export const listIssues =
  (parts: Parts) =>
  async ({ resource: { id }, call }: Reading, command: ListCommand): Promise<Page<IssueView>> => {
    const filter = await filterOf(parts, id, call.now, command);
    // Counts before reading, because the caller chooses the page size.
    return pageOf(parts, id, command, filter, filter === undefined ? 0 : await parts.store.count(id, filter));
  };

/** A list as `listIssues`, with the counts of the same filter in both states. */
export const listWithCounts =
  (parts: Parts) =>
  async (
    { resource: { id }, call }: Reading,
    command: ListCommand,
  ): Promise<{ readonly page: Page<IssueView>; readonly counts: StateCounts }> => {
    const filter = await filterOf(parts, id, call.now, command);
    const count = (state: IssueState) => (filter === undefined ? 0 : parts.store.count(id, { ...filter, state }));
    const [open, closed] = await Promise.all([count('open'), count('closed')]);
    const total = { open, closed, all: open + closed }[command.state ?? 'all'];
    return { page: await pageOf(parts, id, command, filter, total), counts: { open, closed } };
  };

/** Resolves names to ids. Undefined if no issue can match. */
async function filterOf(
  parts: Parts,
  repositoryId: string,
  now: Date,
  command: ListCommand,
): Promise<IssueFilter | undefined> {
  const {
    label,
    overdue,
    page: _,
    order: __,
    component,
    fixVersion,
    affectsVersion,
    author,
    assignee,
    ...rest
  } = command;
  const [labelIds, associated, authorId, assigneeId] = await Promise.all([
    labelsNamed(parts, repositoryId, label === undefined ? [] : [label]),
    associationFilter(parts, repositoryId, { component, fixVersion, affectsVersion }),
    userNamed(parts, author),
    userNamed(parts, assignee),
  ]);
  if (associated === undefined || labelIds === undefined || authorId === undefined || assigneeId === undefined)
    return undefined;
  if (rest.milestoneId !== undefined && parts.planning === undefined) return undefined;
  return {
    ...rest,
    ...associated,
    labelIds,
    ...(authorId !== null && { authorId }),
    ...(assigneeId !== null && { assigneeId }),
    ...(overdue !== undefined && { overdue: { is: overdue, today: dayOf(now) } }),
  };
}

/** The id; null without a name, undefined if there is no such user. */
const userNamed = async ({ users }: Pick<Parts, 'users'>, username?: string): Promise<string | null | undefined> =>
  username === undefined ? null : (await users.byUsername(username))?.id;

async function pageOf(
  parts: Parts,
  repositoryId: string,
  { page, order = 'newest' }: ListCommand,
  filter: IssueFilter | undefined,
  total: number,
): Promise<Page<IssueView>> {
  const count = Math.max(0, Math.min(page.perPage, total - offsetOf(page)));
  if (filter === undefined || count === 0) return { items: [], total, ...page };
  checkIssues(count);
  const texts = textShare(count);
  const rows = await listedRows(parts, repositoryId, filter, { ...numberedPage(page, order), limit: count, texts });
  return { items: await listedIssues(parts, repositoryId, rows), total, ...page };
}

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

/** The ancestors and descendants of an issue that was read, as a tree shows them: the higher levels first. */
export const listFamily =
  ({ store }: Pick<Parts, 'store'>) =>
  async (
    { resource }: Reading,
    { issue, limit }: { readonly issue: Pick<IssueView, 'id' | 'parentId' | 'childrenCount'>; readonly limit: number },
  ): Promise<readonly Relative[]> =>
    issue.parentId === null && issue.childrenCount === 0 ? [] : store.family(resource.id, issue.id, limit);
