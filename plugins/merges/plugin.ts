// The plugin "merges": merge requests of repositories.
import { definePlugin, numberedIndexer, on } from 'hexforge/plugin';
import { mergeEvents, mergeStates } from 'hexforge/merges';
import { droppedFrom } from 'hexforge/planning';
import { mergeUseCases } from '#core/merges/use-cases';
import { commentRoutes } from './comments/routes.ts';
import { diffConfig, diffSettings } from './files/config.ts';
import { fileRoutes } from './files/routes.ts';
import { mergeChannels } from './live.ts';
import { mergeabilityRoutes } from './mergeability/routes.ts';
import { mergingRoutes } from './merging/routes.ts';
import { migrations, tables } from './migrations.ts';
import { mergeCards } from './pages/cards.ts';
import { changesPage } from './pages/changes/page.ts';
import { commentPage } from './pages/comment-page.ts';
import { listPage } from './pages/list.ts';
import { newRequestPage } from './pages/new.ts';
import { requestPages } from './pages/request.ts';
import { pullRoutes } from './pulls/routes.ts';
import { requestReferences } from './references.ts';
import { requestRoutes } from './requests/routes.ts';
import { memoryMergeStore } from './requests/store-memory.ts';
import { sqlMergeStore } from './requests/store.ts';
import { reviewRoutes } from './reviews/routes.ts';
import { commentRows, entities, reviewRows } from './tables.ts';

export default definePlugin({
  name: 'merges',
  version: '0.1.0',
  api: '^0.2.0',
  config: diffConfig,
  needs: [
    'UnitOfWork',
    'Events',
    'PendingEvents',
    'Intents',
    'Locks',
    'AuditLog',
    'AccessDecision',
    'Repositories',
    'GitBackend',
    'MergeHeads',
    'Merging',
    'Users',
    'Planning',
    'PipelineVerdicts',
    'Markup',
    'Clock',
    'Ids',
  ],
  stores: {
    requests: { sql: sqlMergeStore, memory: memoryMergeStore },
    reviews: reviewRows,
    comments: commentRows,
  },
  entities,
  tables,
  references: ['repositories_repository', 'repositories_public_repository', 'identity_user', 'identity_public_user'],
  migrations,
  emits: mergeEvents,
  build: ({ stores: { requests: store, ...stores }, config, instance, log, ...context }) => ({
    markup: context.Markup,
    planned: context.Planning !== undefined,
    ...mergeUseCases({
      store,
      ...stores,
      git: context.GitBackend,
      heads: context.MergeHeads,
      merging: context.Merging,
      diffs: diffSettings(config),
      repositories: context.Repositories,
      users: context.Users,
      planning: context.Planning,
      pipelines: context.PipelineVerdicts,
      access: context.AccessDecision,
      unitOfWork: context.UnitOfWork,
      events: context.Events,
      pendingEvents: context.PendingEvents,
      intents: context.Intents,
      locks: context.Locks,
      audit: context.AuditLog,
      clock: context.Clock,
      ids: context.Ids,
      log,
      host: new URL(instance.baseUrl).hostname,
    }),
  }),
  provides: {
    MergeRequests: ({ offered }) => offered,
    RepositoryCounters: ({ repositoryCounters }) => ({
      ...repositoryCounters,
      view: { name: 'merges_open', member: 'openMergeRequests' },
    }),
    UserReferences: ({ userReferences }) => userReferences,
    KeptRequests: ({ keptRequests }) => keptRequests,
    ReferenceFinder: (useCases) => requestReferences(useCases),
  },
  routes: (useCases, { instance }) => [
    ...requestRoutes(useCases, instance),
    ...commentRoutes(useCases),
    ...reviewRoutes(useCases),
    ...fileRoutes(useCases),
    ...mergingRoutes(useCases),
    ...mergeabilityRoutes(useCases),
    ...pullRoutes(),
  ],
  jobs: ({ reconcile }) => [{ name: 'reconcile', everySeconds: 60, run: () => reconcile() }],
  start: ({ reconcile }) => reconcile(),
  pages: (useCases) => [
    listPage(useCases),
    newRequestPage(useCases),
    ...requestPages(useCases),
    changesPage(useCases),
    commentPage(useCases),
  ],
  tabs: (useCases) => [
    {
      id: 'merges',
      title: 'Merge requests',
      path: '/merges',
      permission: 'repo.read',
      order: 30,
      key: 'm',
      count: (repositoryId) => useCases.countOpen(repositoryId),
    },
  ],
  cards: (useCases) => mergeCards(useCases),
  channels: (useCases) => mergeChannels(useCases),
  indexers: ({ indexed }) => [
    numberedIndexer({
      name: 'mrs',
      description: 'Merge requests by title and description',
      scope: 'repo.read',
      hit: 'MergeHitSource',
      states: mergeStates,
      follows: ['merge.opened', 'merge.updated', 'merge.closed', 'merge.reopened', 'merge.merged'],
      indexed,
    }),
  ],
  events: ({ follow, access, letGo, dropLabel, dropMilestone }) => [
    on(['push', 'merge.source_moved'], {
      name: 'follow-push',
      delivery: 'durable',
      handle: (event, signal) => (event.type === 'push' ? follow.pushed(event, signal) : follow.opened(event, signal)),
    }),
    on('merge.opened', { name: 'keep-opened', delivery: 'durable', handle: follow.opened }),
    on('merge.reopened', { name: 'keep-reopened', delivery: 'durable', handle: follow.opened }),
    on(['collaborator.removed', 'collaborator.updated'], {
      name: 'lose-collaborator',
      delivery: 'durable',
      handle: access.collaboratorChanged,
    }),
    on('user.suspended', { name: 'lose-user.suspended', delivery: 'durable', handle: access.userSuspended }),
    on('user.updated', { name: 'lose-user.updated', delivery: 'durable', handle: access.userUpdated }),
    on('repository.visibility_changed', {
      name: 'lose-repository.visibility_changed',
      delivery: 'durable',
      handle: access.visibilityChanged,
    }),
    on(['merge.closed', 'merge.merged'], { name: 'let-go', delivery: 'durable', handle: letGo.ended }),
    ...droppedFrom({ dropLabel, dropMilestone }),
  ],
});
