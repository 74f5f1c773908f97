// The plugin "issues": the issue tracker of repositories.
import { definePlugin, type Markup } from 'hexforge/plugin';
import { issueAudits, issueEvents } from 'hexforge/issues';
import { droppedFrom, type Planning } from 'hexforge/planning';
import { issueUseCases, type IssueUseCases } from '#core/issues/use-cases';
import { memoryAssociationStore } from './associations/store-memory.ts';
import { sqlAssociationStore } from './associations/store.ts';
import { commentRoutes } from './comments/routes.ts';
import { componentRoutes } from './components/routes.ts';
import { descriptionHistoryRoutes } from './description-history/routes.ts';
import { issueIndexer } from './indexer.ts';
import { issueRoutes } from './issues/routes.ts';
import { memoryIssueStore } from './issues/store-memory.ts';
import { sqlIssueStore } from './issues/store.ts';
import { issueCards, issueMenu, issuePages, issueTabs, linkedPages } from './pages/index.ts';
import type { PageParts } from './pages/links.ts';
import { linkRoutes } from './links/routes.ts';
import { memoryLinkStore } from './links/store-memory.ts';
import { sqlLinkStore } from './links/store.ts';
import { migrations, tables } from './migrations.ts';
import { issueReferences } from './references.ts';
import { searchRoutes } from './search/routes.ts';
import { memoryIssueSearchStore } from './search/store-memory.ts';
import { sqlIssueSearchStore } from './search/store.ts';
import { commentRows, componentRows, editRows, entities, typeRows, versionRows } from './tables.ts';
import { issueTools } from './tools.ts';
import { typeSchemeRoutes } from './type-scheme/routes.ts';
import { memoryTypeSchemeStore } from './type-scheme/store-memory.ts';
import { sqlTypeSchemeStore } from './type-scheme/store.ts';
import { typeRoutes } from './types/routes.ts';
import { versionRoutes } from './versions/routes.ts';
import { watchingRoutes } from './watching/routes.ts';

const pageParts = (
  useCases: IssueUseCases,
  {
    Markup: markup,
    Planning: planning,
  }: { readonly Markup: Markup | undefined; readonly Planning: Planning | undefined },
): PageParts => ({ useCases, markup, planned: planning !== undefined });

export default definePlugin({
  name: 'issues',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Events', 'AuditLog', 'AccessDecision', 'Repositories', 'Users', 'Planning', 'Ids', 'Markup'],
  stores: {
    issues: { sql: sqlIssueStore, memory: memoryIssueStore },
    searches: { sql: sqlIssueSearchStore, memory: memoryIssueSearchStore },
    types: typeRows,
    schemes: { sql: sqlTypeSchemeStore, memory: memoryTypeSchemeStore },
    components: componentRows,
    versions: versionRows,
    associations: { sql: sqlAssociationStore, memory: memoryAssociationStore },
    comments: commentRows,
    edits: editRows,
    links: { sql: sqlLinkStore, memory: memoryLinkStore },
  },
  entities,
  tables,
  references: ['repositories_repository', 'repositories_public_repository', 'identity_user', 'identity_public_user'],
  migrations,
  emits: issueEvents,
  audits: issueAudits,
  build: ({ stores: { issues: store, ...stores }, ...context }) =>
    issueUseCases({
      store,
      ...stores,
      unitOfWork: context.UnitOfWork,
      events: context.Events,
      audit: context.AuditLog,
      access: context.AccessDecision,
      repositories: context.Repositories,
      users: context.Users,
      planning: context.Planning,
      ids: context.Ids,
    }),
  provides: {
    Issues: ({ offered }) => offered,
    RepositoryCounters: ({ repositoryCounters }) => ({
      ...repositoryCounters,
      view: { name: 'issues_open', member: 'openIssues' },
    }),
    UserReferences: ({ userReferences }) => userReferences,
    MilestoneCounts: (useCases) => ({ ...useCases.milestoneCounts, pages: linkedPages(useCases) }),
    ReferenceFinder: (useCases) => issueReferences(useCases),
  },
  routes: (useCases) => [
    ...searchRoutes(useCases),
    ...issueRoutes(useCases),
    ...commentRoutes(useCases),
    ...descriptionHistoryRoutes(useCases),
    ...linkRoutes(useCases),
    ...watchingRoutes(useCases),
    ...typeRoutes(useCases),
    ...typeSchemeRoutes(useCases),
    ...componentRoutes(useCases),
    ...versionRoutes(useCases),
  ],
  pages: (useCases, context) => issuePages(pageParts(useCases, context)),
  tabs: issueTabs,
  menu: () => issueMenu,
  cards: (useCases, context) => issueCards(pageParts(useCases, context)),
  tools: issueTools,
  indexers: (useCases) => [issueIndexer(useCases)],
  events: droppedFrom,
});
