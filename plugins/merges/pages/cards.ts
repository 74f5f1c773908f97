// The parts of the dashboard: merge requests that wait for the caller.
import type { DashboardCard } from 'hexforge/plugin';
import { empty, list } from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { locatedRow } from './list-row.ts';

const most = 10;

const cards = [
  {
    id: 'asked-reviews',
    title: 'Reviews asked of me',
    order: 10,
    role: 'reviewer',
    none: empty('No review is asked of you', 'A merge request that names you as a reviewer appears here.'),
  },
  {
    id: 'my-merges',
    title: 'My merge requests',
    order: 20,
    role: 'author',
    none: empty(
      'You have no open merge request',
      'Push a branch, then open one in the tab “Merge requests” of its repository.',
    ),
  },
] as const;

export const mergeCards = ({ listMine }: Pick<MergeUseCases, 'listMine'>): readonly DashboardCard[] =>
  cards.map(({ role, none, ...card }) => ({
    ...card,
    async run(call) {
      if (call.caller.kind !== 'user') return undefined;
      const found = await listMine(call, { role, limit: most });
      return found.length === 0 ? none : list(found.map((request) => locatedRow(request, call.now)));
    },
  }));
