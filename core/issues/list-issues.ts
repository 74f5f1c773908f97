// The issues of a repository that a filter lets through, and the children of one.
import type { Granted } from '#core/kernel/access';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Repository } from '#core/repositories/index';
import { associationFilter, type AssociationNames } from './associations.ts';
import { dayOf, type IssueFilter } from './filter.ts';
import { knownIssue } from './held-issue.ts';
import type { IssueView } from './issue.ts';
import type { IssueParts } from './parts.ts';
import type { IssueSlice } from './ports.ts';
import { viewsOf } from './view.ts';

type Parts = Pick<IssueParts, 'store' | 'planning' | 'associations' | 'components' | 'versions'>;
type Reading = Granted<Repository, 'issue.read'>;

type ById = 'labelId' | 'parentId' | 'componentId' | 'fixVersionId' | 'affectsVersionId';

export interface ListCommand extends Omit<IssueFilter, ById | 'overdue'>, AssociationNames {
  /** The name of a label, in any case. */
  readonly label?: string | undefined;
  readonly overdue?: boolean | undefined;
  readonly page: PageRequest;
}

/** The newest first. A label, component or version that is not there, or no planning to have one, is on no issue. */
export const listIssues =
  (parts: Parts) =>
  async (
    { resource: { id }, call }: Reading,
    { label, overdue, page, component, fixVersion, affectsVersion, ...rest }: ListCommand,
  ): Promise<Page<IssueView>> => {
    const { store, planning } = parts;
    const labelId = label === undefined ? undefined : (await planning?.labelNamed(id, label))?.id;
    const associated = await associationFilter(parts, id, { component, fixVersion, affectsVersion });
    if (
      associated === undefined ||
      (label !== undefined && labelId === undefined) ||
      (rest.milestoneId !== undefined && planning === undefined)
    )
      return { items: [], total: 0, ...page };
    const filter: IssueFilter = {
      ...rest,
      ...associated,
      labelId,
      ...(overdue !== undefined && { overdue: { is: overdue, today: dayOf(call.now) } }),
    };
    const [rows, total] = await Promise.all([store.list(id, filter, sliceOf(page, 'newest')), store.count(id, filter)]);
    return { items: await viewsOf(parts, id, rows), total, ...page };
  };

/** In the order of their numbers. @throws {NotFound} */
export const listChildren =
  (parts: Parts) =>
  async (
    { resource: repository }: Reading,
    { number, page }: { readonly number: string; readonly page: PageRequest },
  ): Promise<readonly IssueView[]> => {
    const { store } = parts;
    const parent = await knownIssue(parts, repository, number);
    const rows = await store.list(repository.id, { parentId: parent.id }, sliceOf(page, 'oldest'));
    return viewsOf(parts, repository.id, rows);
  };

const sliceOf = ({ page, perPage }: PageRequest, order: IssueSlice['order']): IssueSlice => ({
  order,
  limit: perPage,
  offset: (page - 1) * perPage,
});
