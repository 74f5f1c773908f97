// Milestones of a repository: lists, creates, changes, closes, deletes and locks them.
import type { Granted } from '#core/kernel/access/access';
import { afterChange } from '#core/kernel/storage/after-change';
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import { repositoryItems, type Repository } from '#core/repositories/index';
import {
  inState,
  maxMilestones,
  milestoneParts,
  type CountedMilestone,
  type Milestone,
  type MilestoneState,
  type MilestoneWish,
} from './milestone.ts';
import type { Planning } from './offers.ts';
import type { PlanningParts } from './parts.ts';

type Reading = Granted<Repository, 'repo.read'>;
type Writing = Granted<Repository, 'milestone.write', User>;

export type MilestoneUseCases = ReturnType<typeof milestoneUseCases>;

/** The counts of a new milestone. */
const uncounted = { openIssues: 0, closedIssues: 0 } as const;

export function milestoneUseCases({ milestones, counters, events, unitOfWork, ids }: PlanningParts) {
  const items = repositoryItems({
    noun: 'milestone',
    rows: milestones,
    most: maxMilestones,
    tell: (change, about) => events.emit({ type: `milestone.${change}`, ...about }),
    unitOfWork,
    ids,
  });
  const counted = async (repositoryId: string, all: readonly Milestone[]): Promise<readonly CountedMilestone[]> => {
    const wanted = all.map(({ id }) => id);
    const counts = wanted.length === 0 ? [] : counters().map((counter) => counter.counts(repositoryId, wanted));
    const answers = await Promise.all(counts);
    const sum = (id: string, state: MilestoneState): number =>
      answers.reduce((total, answer) => total + (answer.get(id)?.[state] ?? 0), 0);
    return all.map((one) => ({ ...one, openIssues: sum(one.id, 'open'), closedIssues: sum(one.id, 'closed') }));
  };
  const withCounts = async (milestone: Milestone): Promise<CountedMilestone> => {
    const [one = { ...milestone, ...uncounted }] = await counted(milestone.repositoryId, [milestone]);
    return one;
  };
  /** Sorted by due date. Milestones without one are last. */
  const all = (repositoryId: string, state?: MilestoneState) =>
    milestones.find({
      where: { repositoryId, ...(state !== undefined && { state }) },
      orderBy: ['dueDate', 'createdAt', 'id'],
    });
  return {
    all,
    list: async (
      { resource: { id: repositoryId } }: Reading,
      { state }: { readonly state?: MilestoneState | undefined },
    ) => counted(repositoryId, await all(repositoryId, state)),
    fetch: async (granted: Reading | Writing, which: { readonly id: string }) =>
      withCounts(await items.fetch(granted, which)),
    create: async (granted: Writing, wish: MilestoneWish & { readonly title: string }): Promise<CountedMilestone> => ({
      ...(await items.create(granted, {
        description: '',
        dueDate: null,
        state: 'open',
        createdAt: granted.call.now,
        closedAt: null,
        ...milestoneParts(wish),
      })),
      ...uncounted,
    }),
    update: async (
      granted: Writing,
      { id, state, ...wish }: MilestoneWish & { readonly id: string; readonly state?: MilestoneState | undefined },
    ) => {
      const after = await items.update(granted, id, (before) => ({
        ...milestoneParts(wish),
        ...(state !== undefined && inState(state, before, granted.call.now)),
      }));
      return afterChange(`the milestone "${after.title}"`, () => withCounts(after));
    },
    delete: (granted: Writing, which: { readonly id: string }) => items.delete(granted, which),
    offered: {
      milestones: items.byIds,
      async hold(repositoryId, milestoneId) {
        const milestone = (await items.byIds(repositoryId, [milestoneId], 'held')).get(milestoneId);
        if (milestone !== undefined) return milestone;
        throw new ValidationFailed('There is no such milestone', {
          detail: `"milestone_id" names "${milestoneId}", which is no milestone of this repository`,
        });
      },
    } satisfies Partial<Planning>,
  };
}
