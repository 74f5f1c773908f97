// The parts of the dashboard: merge requests that wait for the caller.
import type { DashboardCard } from 'hexforge/plugin';
import { list } from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { locatedRow } from './list-row.ts';

const most = 10;

const cards = [
  { id: 'asked-reviews', title: 'Reviews asked of me', order: 10, role: 'reviewer' },
  { id: 'my-merges', title: 'My merge requests', order: 20, role: 'author' },
] as const;

export const mergeCards = ({ listMine }: Pick<MergeUseCases, 'listMine'>): readonly DashboardCard[] =>
  cards.map(({ role, ...card }) => ({
    ...card,
    async run(call) {
      if (call.caller.kind !== 'user') return undefined;
      const found = await listMine(call, { role, limit: most });
      return found.length === 0 ? undefined : list(found.map((request) => locatedRow(request, call.now)));
    },
  }));
