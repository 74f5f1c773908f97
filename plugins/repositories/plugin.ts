// The plugin "repositories": records, visibility and access, contents, and what belongs to a push.
import { definePlugin, Joi } from 'hexforge/plugin';
import {
  repositoryPermissions,
  repositoryResolver,
  repositoryScopes,
  repositoryUseCases,
  type RepositoryStore,
} from '#core/repositories/index';
import { presenter } from './present.ts';
import { archiveRoutes } from './routes/archives.ts';
import { branchRoutes } from './routes/branches.ts';
import { collaboratorRoutes } from './routes/collaborators.ts';
import { commitRoutes } from './routes/commits.ts';
import { contentsWritingRoutes } from './routes/contents-writing.ts';
import { contentRoutes } from './routes/contents.ts';
import { forkRoutes } from './routes/forks.ts';
import { protectionRoutes } from './routes/protection.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { roleTemplateRoutes } from './routes/role-templates.ts';
import { starRoutes } from './routes/stars.ts';
import { tagRoutes } from './routes/tags.ts';
import { memoryRepositoryStore } from './store/memory.ts';
import { migrations, tables } from './store/migrations.ts';
import { memoryProtectionStore } from './store/protection-memory.ts';
import { sqlProtectionStore } from './store/protection-sql.ts';
import { sqlRepositoryStore } from './store/sql.ts';
import { entities } from './store/tables.ts';

interface RepositoriesConfig {
  readonly ssh_url: string;
}

export default definePlugin({
  name: 'repositories',
  version: '0.1.0',
  api: '^0.1.0',
  config: Joi.object<RepositoriesConfig>({
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
    'PermissionTable',
    'RateCounter',
    'Clock',
    'Ids',
  ],
  late: ['RepositoryCounters'],
  stores: {
    repositories: { sql: sqlRepositoryStore, memory: memoryRepositoryStore },
    protections: { sql: sqlProtectionStore, memory: memoryProtectionStore },
  },
  build: ({
    GitBackend: git,
    UnitOfWork: unitOfWork,
    Events: events,
    Intents: intents,
    Locks: locks,
    AuditLog: audit,
    Users: users,
    Clock: clock,
    Ids: ids,
    PermissionTable: permissionTable,
    RateCounter: rateCounter,
    stores,
    late,
    log,
    config,
    instance,
  }) => {
    const store: RepositoryStore = stores.repositories;
    return {
      store,
      useCases: repositoryUseCases({
        store,
        protections: stores.protections,
        rateCounter,
        git,
        unitOfWork,
        events,
        intents,
        locks,
        audit,
        users,
        permissionTable,
        clock,
        ids,
        log,
        counters: () => late.RepositoryCounters,
      }),
      resolver: repositoryResolver({ store, permissionTable }),
      present: presenter(instance, config.ssh_url),
    };
  },
  provides: {
    ResourceResolver: ({ resolver }) => resolver,
    Pushes: ({ useCases }) => useCases.pushes,
    UserReferences: ({ store }) => ({ what: 'repositories', counts: (userIds) => store.countByOwner(userIds) }),
  },
  scopes: repositoryScopes,
  permissions: repositoryPermissions,
  entities,
  tables,
  references: ['identity_user', 'identity_public_user'],
  migrations,
  routes: (parts) => [
    ...repositoryRoutes(
      () => parts.useCases,
      () => parts.present,
    ),
    ...contentRoutes(
      () => parts.useCases,
      () => parts.present,
    ),
    ...contentsWritingRoutes(() => parts.useCases),
    ...commitRoutes(() => parts.useCases),
    ...archiveRoutes(() => parts.useCases),
    ...branchRoutes(() => parts.useCases),
    ...protectionRoutes(() => parts.useCases),
    ...tagRoutes(() => parts.useCases),
    ...collaboratorRoutes(() => parts.useCases),
    ...roleTemplateRoutes(() => parts.useCases),
    ...starRoutes(() => parts.useCases),
    ...forkRoutes(
      () => parts.useCases,
      () => parts.present,
    ),
  ],
  jobs: (parts) => [
    { name: 'reconcile', everySeconds: 60, run: () => parts.useCases.reconciler.run() },
    { name: 'prune', everySeconds: 3600, run: (signal) => parts.useCases.pruneDue(signal) },
  ],
  start: ({ useCases }) => useCases.reconciler.run(),
  stop: ({ useCases }) => useCases.maintenance.stop(),
});
