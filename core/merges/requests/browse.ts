// Lists merge requests as pages show them: filtered by names, with labels, reviewers, the number of comments, and the
// counts of all states.
import type { Page, PageRequest } from '#core/kernel/page';
import { labelsOf, type Label } from '#core/planning/index';
import { numberedPage, type NumberedSlice } from '#core/repositories/index';
import type { Reading } from '../model/held-request.ts';
import { mergeStates, type ListedRequest, type MergeState, type Reviewer } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { MergeFilter } from '../model/ports.ts';
import { listedRequests } from '../model/view.ts';

export interface BrowseCommand extends Pick<MergeFilter, 'state' | 'milestoneId' | 'isDraft' | 'q'> {
  /** Usernames. */
  readonly author?: string | undefined;
  readonly assignee?: string | undefined;
  readonly reviewer?: string | undefined;
  /** The name of a label, compared case-insensitively. */
  readonly label?: string | undefined;
  readonly order: NumberedSlice['order'];
  readonly page: PageRequest;
}

/** A merge request in such a list. */
export interface BrowsedRequest extends ListedRequest {
  readonly labels: readonly Label[];
  readonly reviewers: readonly Reviewer[];
  readonly commentsCount: number;
}

export interface Browsed {
  readonly page: Page<BrowsedRequest>;
  /** How many requests match in each state. */
  readonly counts: Readonly<Record<MergeState, number>>;
}

type Parts = Pick<MergeParts, 'store' | 'settling' | 'repositories' | 'planning' | 'pipelines' | 'users'>;

/** An unknown user or label matches no request. */
export const browseRequests =
  (parts: Parts) =>
  async ({ resource, call }: Reading, { state, order, page, ...names }: BrowseCommand): Promise<Browsed> => {
    const { store, settling } = parts;
    const filter = await filterOf(parts, resource.id, names);
    if (filter === undefined)
      return { page: { items: [], total: 0, ...page }, counts: { open: 0, merged: 0, closed: 0 } };
    const read = () =>
      Promise.all([
        store.listWhole(resource.id, { ...filter, state }, numberedPage(page, order)),
        ...mergeStates.map((one) => store.count(resource.id, { ...filter, state: one })),
      ]);
    const [rows, open = 0, merged = 0, closed = 0] = await settling.list(resource.id, read, call.signal);
    const counts = { open, merged, closed };
    const [items, labels] = await Promise.all([
      listedRequests(parts, resource, call.caller, rows),
      labelsOf(parts, resource.id, rows),
    ]);
    return {
      page: {
        items: items.map((item) => ({ ...item, labels: labels(item) })),
        total: state === undefined ? open + merged + closed : counts[state],
        ...page,
      },
      counts,
    };
  };

/** Resolves names to ids. Undefined if no request can match. */
async function filterOf(
  { users, planning }: Pick<Parts, 'users' | 'planning'>,
  repositoryId: string,
  { author, assignee, reviewer, label, ...rest }: Omit<BrowseCommand, 'state' | 'order' | 'page'>,
): Promise<MergeFilter | undefined> {
  const [people, labels] = await Promise.all([
    Promise.all(
      [author, assignee, reviewer].map(async (name) => (name === undefined ? undefined : users.byUsername(name))),
    ),
    label === undefined ? undefined : (planning?.labelsNamed(repositoryId, [label]) ?? []),
  ]);
  const unknown = [author, assignee, reviewer].some((name, index) => name !== undefined && people[index] === undefined);
  if (unknown || labels?.length === 0) return undefined;
  const [authorId, assigneeId, reviewerId] = people.map((user) => user?.id);
  return { ...rest, authorId, assigneeId, reviewerId, labelId: labels?.[0]?.id };
}
