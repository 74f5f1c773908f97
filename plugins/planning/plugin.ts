// The plugin "planning": labels and milestones of repositories, for issues and merge requests.
import { definePlugin } from 'hexforge/plugin';
import { planningEvents } from 'hexforge/planning';
import { planningUseCases } from '#core/planning/use-cases';
import { labelRoutes } from './labels/routes.ts';
import { labelPages } from './pages/labels.ts';
import { milestoneEditPage } from './pages/milestone-edit.ts';
import { milestonePages } from './pages/milestones.ts';
import { migrations, tables } from './migrations.ts';
import { milestoneRoutes } from './milestones/routes.ts';
import { LabelTable, MilestoneTable, stores } from './tables.ts';

export default definePlugin({
  name: 'planning',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Events', 'Ids', 'Repositories', 'Markup'],
  late: ['MilestoneCounts'],
  emits: planningEvents,
  stores,
  entities: [LabelTable, MilestoneTable],
  tables,
  references: ['repositories_repository'],
  migrations,
  build: ({ stores, late, UnitOfWork: unitOfWork, Events: events, Ids: ids }) =>
    planningUseCases({ ...stores, unitOfWork, events, ids, counters: () => late.MilestoneCounts }),
  provides: { Planning: ({ planning }) => planning },
  pages: ({ labels, milestones, issuePages }, { Markup: markup }) => {
    const parts = { labels, milestones, issuePages, markup };
    return [...labelPages(parts), ...milestonePages(parts), milestoneEditPage(parts)];
  },
  routes: ({ labels, milestones }, { instance }) => [...labelRoutes(labels, instance), ...milestoneRoutes(milestones)],
});
