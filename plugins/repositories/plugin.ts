// The plugin "repositories": repository records, access, contents, and pushes.
import { anyone, definePlugin, Joi, shape, signedIn } from 'hexforge/plugin';
import {
  repositoryAudits,
  repositoryEvents,
  repositoryPermissions,
  repositoryScopes,
  repositorySettings,
} from 'hexforge/repositories';
import { offeredRepositories, profileList, repositoryResolver, repositoryUseCases } from '#core/repositories/use-cases';
import { archiveRoutes } from './archives/routes.ts';
import { blamePages } from './blame/pages.ts';
import { blameRoutes } from './blame/routes.ts';
import { branchPages } from './branches/pages.ts';
import { branchRoutes } from './branches/routes.ts';
import { collaboratorPages } from './collaborators/pages.ts';
import { collaboratorRoutes } from './collaborators/routes.ts';
import { memoryCollaboratorStore } from './collaborators/store-memory.ts';
import { sqlCollaboratorStore } from './collaborators/store.ts';
import { commitReferences } from './commits/references.ts';
import { commitRoutes } from './commits/routes.ts';
import { writingPages } from './writing/pages.ts';
import { contentsWritingRoutes } from './contents/routes-writing.ts';
import { contentsRoutes } from './contents/routes.ts';
import { forkPages } from './forks/pages.ts';
import { findPages } from './find/page.ts';
import { rawPageRoutes } from './contents/raw-page.ts';
import { forkRoutes } from './forks/routes.ts';
import { languageRoutes } from './languages/routes.ts';
import { migrations, tables } from './migrations.ts';
import { comparePages } from './commits/compare.ts';
import { explorePages, repositoryCards } from './pages/explore.ts';
import { filePages } from './pages/files.ts';
import { historyPages } from './commits/pages.ts';
import { newMergePath } from './commits/merge-link.ts';
import { protectionPages } from './protection/pages.ts';
import { protectionRoutes } from './protection/routes.ts';
import { protectionStore } from './protection/store.ts';
import { newRepositoryPages } from './writing/new-repository.ts';
import { repositoryPresenter } from './repositories/present.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { memoryRepositoryStore } from './repositories/store-memory.ts';
import { sqlRepositoryStore } from './repositories/store.ts';
import { roleTemplatePages } from './role-templates/pages.ts';
import { roleTemplateRoutes } from './role-templates/routes.ts';
import { roleTemplateStore } from './role-templates/store.ts';
import { settingPages } from './settings/pages.ts';
import { repositorySettingRoutes } from './settings/routes.ts';
import { repositorySettingStore } from './settings/store.ts';
import { starRoutes } from './stars/routes.ts';
import { markStore } from './stars/store.ts';
import { broughtRows, entities } from './tables.ts';
import { tagPages } from './tags/pages.ts';
import { tagRoutes } from './tags/routes.ts';
import { repositoryTools } from './tools.ts';

export default definePlugin({
  name: 'repositories',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    ssh_url: Joi.string()
      .uri({ scheme: ['ssh'] })
      .allow('')
      .default('')
      .description('What clone URLs over SSH begin with, such as ssh://git@example.org; empty: no SSH'),
  }),
  needs: [
    'GitBackend',
    'UnitOfWork',
    'Events',
    'Intents',
    'Locks',
    'AuditLog',
    'Users',
    'Settings',
    'RepositorySettingCatalogue',
    'PermissionTable',
    'PageRegistry',
    'RateCounter',
    'Clock',
    'Ids',
  ],
  late: ['RepositoryCounters', 'KeptRequests', 'Markup'],
  stores: {
    repositories: { sql: sqlRepositoryStore, memory: memoryRepositoryStore },
    collaborators: { sql: sqlCollaboratorStore, memory: memoryCollaboratorStore },
    roleTemplates: roleTemplateStore,
    marks: markStore,
    protections: protectionStore,
    brought: broughtRows,
    repositorySettings: repositorySettingStore,
  },
  build({ stores: { repositories: store, ...stores }, late, log, config, instance, ...context }) {
    const parts = {
      store,
      ...stores,
      git: context.GitBackend,
      unitOfWork: context.UnitOfWork,
      events: context.Events,
      intents: context.Intents,
      locks: context.Locks,
      audit: context.AuditLog,
      users: context.Users,
      settings: context.Settings,
      repositorySettingCatalogue: context.RepositorySettingCatalogue,
      permissionTable: context.PermissionTable,
      rateCounter: context.RateCounter,
      clock: context.Clock,
      ids: context.Ids,
      log,
      counters: () => late.RepositoryCounters,
      keptRequests: () => late.KeptRequests,
    };
    return {
      store,
      useCases: repositoryUseCases(parts),
      offered: offeredRepositories(parts),
      resolver: repositoryResolver(parts),
      present: repositoryPresenter(instance, config.ssh_url),
      texts: () => late.Markup,
    };
  },
  provides: {
    ResourceResolver: ({ resolver }) => resolver,
    Pushes: ({ useCases }) => useCases.pushes,
    Merging: ({ useCases }) => useCases.merging,
    MergeHeads: ({ useCases }) => useCases.mergeHeads,
    Repositories: ({ offered }) => offered,
    RepositorySettings: ({ useCases }) => useCases.settings.read,
    RepositorySettingWriter: ({ useCases }) => ({ write: useCases.settings.write }),
    ReferenceFinder: ({ useCases }) => commitReferences(useCases),
    MeteredTargets: ({ store }) => ({ repos: (ids) => store.known(ids) }),
    ProfileLists: ({ store }) => profileList({ store }),
    UserReferences: ({ store }) => ({ what: 'repositories', counts: (userIds) => store.countByOwner(userIds) }),
  },
  settings: repositorySettings,
  emits: repositoryEvents,
  audits: repositoryAudits,
  scopes: repositoryScopes,
  permissions: repositoryPermissions,
  entities,
  tables,
  references: ['identity_user', 'identity_public_user'],
  migrations,
  routes: ({ useCases, present }) => [
    ...repositoryRoutes(useCases, present),
    ...contentsRoutes(useCases),
    ...rawPageRoutes(useCases),
    ...contentsWritingRoutes(useCases),
    ...commitRoutes(useCases),
    ...blameRoutes(useCases),
    ...languageRoutes(useCases),
    ...archiveRoutes(useCases),
    ...branchRoutes(useCases),
    ...protectionRoutes(useCases),
    ...repositorySettingRoutes(useCases),
    ...tagRoutes(useCases),
    ...collaboratorRoutes(useCases),
    ...roleTemplateRoutes(useCases),
    ...starRoutes(useCases),
    ...forkRoutes(useCases, present),
  ],
  pages: ({ useCases, present, texts }, { PageRegistry: registry }) => [
    ...explorePages(useCases),
    ...filePages(useCases, present, texts),
    ...blamePages(useCases, texts),
    ...findPages(useCases),
    ...historyPages(useCases, texts),
    ...branchPages(useCases, texts),
    ...tagPages(useCases),
    ...comparePages(useCases, texts, newMergePath(registry)),
    ...forkPages(useCases),
    ...newRepositoryPages(useCases),
    ...writingPages(useCases),
    ...settingPages(useCases),
    ...collaboratorPages(useCases),
    ...roleTemplatePages(useCases),
    ...protectionPages(useCases),
  ],
  tabs: () => [
    { id: 'code', title: 'Code', place: 'root', path: '/{owner}/{repo}', permission: 'repo.read', order: 10, key: 'c' },
    {
      id: 'find',
      title: 'Find a file',
      path: '/find/{default_branch}',
      permission: 'repo.read',
      menu: 'keys',
      key: 't',
    },
    ...(
      [
        ['settings', 'General', '/settings', 'repo.admin', 10],
        ['access', 'Access', '/settings/access', 'repo.admin', 20],
        ['roles', 'Roles', '/settings/roles', 'repo.admin', 30],
        ['protection', 'Protection', '/settings/protection', 'branch.protect', 40],
      ] as const
    ).map(([id, title, path, permission, order]) => ({
      id,
      title,
      path,
      permission,
      order,
      menu: 'settings' as const,
    })),
  ],
  menu: () => [
    { id: 'explore', title: 'Explore', path: '/-/explore', menu: 'instance', access: anyone, order: 10 },
    { id: 'newRepository', title: 'New repository', path: '/-/new', menu: 'new', access: signedIn, order: 10 },
  ],
  cards: ({ useCases }) => repositoryCards(useCases),
  tools: ({ useCases }) => repositoryTools(useCases),
  jobs: (parts) => [
    { name: 'reconcile', everySeconds: 60, run: () => parts.useCases.reconciler.run() },
    { name: 'prune', everySeconds: 3600, run: (signal) => parts.useCases.pruneDue(signal) },
  ],
  start: ({ useCases }) => useCases.reconciler.run(),
  stop: ({ useCases }) => useCases.maintenance.stop(),
});
