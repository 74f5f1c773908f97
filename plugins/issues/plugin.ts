// The plugin "issues": the issue tracker of repositories.
import { definePlugin, on } from 'hexforge/plugin';
import { issueEvents } from 'hexforge/issues';
import { issueUseCases } from '#core/issues/use-cases';
import { issueRoutes } from './issues/routes.ts';
import { memoryIssueStore } from './issues/store-memory.ts';
import { sqlIssueStore } from './issues/store.ts';
import { migrations, tables } from './migrations.ts';
import { entities } from './tables.ts';
import { memoryIssueTypeStore } from './types/store-memory.ts';
import { sqlIssueTypeStore } from './types/store.ts';

export default definePlugin({
  name: 'issues',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Events', 'Repositories', 'Planning', 'Ids'],
  stores: {
    types: { sql: sqlIssueTypeStore, memory: memoryIssueTypeStore },
    issues: { sql: sqlIssueStore, memory: memoryIssueStore },
  },
  entities,
  tables,
  references: ['repositories_repository', 'identity_user', 'identity_public_user'],
  migrations,
  emits: issueEvents,
  build: (context) =>
    issueUseCases({
      store: context.stores.issues,
      types: context.stores.types,
      unitOfWork: context.UnitOfWork,
      events: context.Events,
      repositories: context.Repositories,
      planning: context.Planning,
      ids: context.Ids,
    }),
  provides: {
    RepositoryCounters: ({ repositoryCounters }) => repositoryCounters,
    UserReferences: ({ userReferences }) => userReferences,
    MilestoneCounts: ({ milestoneCounts }) => milestoneCounts,
  },
  routes: (useCases) => [...issueRoutes(useCases)],
  events: ({ dropLabel, dropMilestone }) => [
    on('label.deleted', {
      name: 'drop-label',
      delivery: 'durable',
      optional: true,
      handle: ({ payload }) => dropLabel(payload.id),
    }),
    on('milestone.deleted', {
      name: 'drop-milestone',
      delivery: 'durable',
      optional: true,
      handle: ({ payload }) => dropMilestone(payload.id),
    }),
  ],
});
