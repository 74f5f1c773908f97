// The plugin of docs/adding-a-resource.md: labels of repositories.
import { definePlugin, rows } from 'hexforge/plugin';
import { labelUseCases } from './labels.ts';
import { labelCards, labelMenu, labelPages, labelPanels, labelTabs } from './web/pages.ts';
import { labelRoutes } from './routes.ts';
import type { Label } from './label.ts';
import { labels, LabelTable } from './table.ts';

export default definePlugin({
  name: 'labels',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Events', 'Ids', 'Repositories'],
  emits: ['labels.changed'],
  stores: {
    labels: rows<Label>(LabelTable, {
      uniques: { labels_label_name: ['repositoryId', 'nameKey'] },
      references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
    }),
  },
  entities: [LabelTable],
  tables: ['labels_label'],
  references: ['repositories_repository'],
  migrations: [labels],
  build: ({ stores: { labels }, UnitOfWork: unitOfWork, Events: events, Ids: ids, Repositories: repositories }) =>
    labelUseCases({ labels, unitOfWork, events, ids, repositories }),
  routes: labelRoutes,
  pages: labelPages,
  tabs: labelTabs,
  menu: () => labelMenu,
  cards: labelCards,
  panels: labelPanels,
});
