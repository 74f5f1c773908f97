// The plugin "issues": the issue tracker of repositories.
import { definePlugin } from 'hexforge/plugin';
import { issueEvents } from 'hexforge/issues';
import { issueUseCases } from '#core/issues/use-cases';
import { issueRoutes } from './issues/routes.ts';
import { memoryIssueStore } from './issues/store-memory.ts';
import { sqlIssueStore } from './issues/store.ts';
import { migrations, tables } from './migrations.ts';
import { entities } from './tables.ts';

export default definePlugin({
  name: 'issues',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Events', 'Users', 'Repositories', 'Clock', 'Ids'],
  stores: {
    issues: { sql: sqlIssueStore, memory: memoryIssueStore },
  },
  entities,
  tables,
  references: ['repositories_repository', 'identity_user'],
  migrations,
  emits: issueEvents,
  build: (context) =>
    issueUseCases({
      store: context.stores.issues,
      unitOfWork: context.UnitOfWork,
      events: context.Events,
      users: context.Users,
      clock: context.Clock,
      ids: context.Ids,
    }),
  provides: {
    RepositoryCounters: ({ repositoryCounters }) => repositoryCounters,
    UserReferences: ({ userReferences }) => userReferences,
  },
  routes: (useCases) => [...issueRoutes(useCases)],
});
