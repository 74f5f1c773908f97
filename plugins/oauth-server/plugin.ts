// The plugin "oauth-server": an OAuth2 and OpenID Connect authorization server for other applications.
import { definePlugin, on, rows } from 'hexforge/plugin';
import { oauthAudits, oauthEvents, oauthScopes, oauthSettings, type KeptKey } from 'hexforge/oauth';
import { rsaSigner, sha256Digests } from '#adapters/crypto/index';
import { oauthUseCases } from '#core/oauth/use-cases';
import { applicationAdminMenu, applicationAdminPages } from './applications/admin-pages.ts';
import { applicationAdminRoutes } from './applications/admin-routes.ts';
import { applicationMenu, applicationPages } from './applications/pages.ts';
import { applicationRoutes } from './applications/routes.ts';
import { memoryClientStore, sqlClientStore } from './applications/store.ts';
import { consentPageRoutes } from './authorization/consent-page.ts';
import { authorizationRoutes } from './authorization/routes.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { grantMenu, grantPages } from './grants/pages.ts';
import { grantRoutes } from './grants/routes.ts';
import { memoryGrantStore, sqlGrantStore } from './grants/store.ts';
import { migrations, tables } from './migrations.ts';
import { registrationRoutes } from './registration/routes.ts';
import { entities, KeyTable } from './tables.ts';
import { tokenRoutes } from './token/routes.ts';
import { memoryIssuedStore } from './token/store-memory.ts';
import { sqlIssuedStore } from './token/store.ts';

export default definePlugin({
  name: 'oauth-server',
  version: '0.1.0',
  api: '^0.2.0',
  needs: [
    'AuditLog',
    'Clock',
    'Events',
    'Ids',
    'Locks',
    'RateCounter',
    'ScopeCatalogue',
    'Sealer',
    'Settings',
    'UnitOfWork',
    'Users',
    'Vouching',
  ],
  late: ['AccountStanding', 'AdminGrants', 'AuditTrail'],
  stores: {
    clients: { sql: sqlClientStore, memory: memoryClientStore },
    grants: { sql: sqlGrantStore, memory: memoryGrantStore },
    issued: { sql: sqlIssuedStore, memory: memoryIssuedStore },
    keys: rows<KeptKey>(KeyTable),
  },
  entities,
  tables,
  references: ['identity_user'],
  migrations,
  settings: oauthSettings,
  scopes: oauthScopes,
  emits: oauthEvents,
  audits: oauthAudits,
  build: (context) =>
    oauthUseCases({
      ...context.stores,
      digests: sha256Digests,
      signer: rsaSigner,
      sealer: context.Sealer,
      users: context.Users,
      vouching: context.Vouching,
      standing: () => context.late.AccountStanding,
      adminGrants: () => context.late.AdminGrants,
      trail: () => context.late.AuditTrail,
      scopes: context.ScopeCatalogue,
      settings: context.Settings,
      rateCounter: context.RateCounter,
      audit: context.AuditLog,
      events: context.Events,
      locks: context.Locks,
      log: context.log,
      unitOfWork: context.UnitOfWork,
      clock: context.Clock,
      ids: context.Ids,
      baseUrl: context.instance.baseUrl,
      webUrl: context.instance.webUrl,
    }),
  provides: {
    CredentialReader: ({ reader }) => reader,
    SealedRecords: ({ keys }) => keys.sealed,
    SigningKeyRotation: ({ rotation }) => rotation,
    IssuedCredentials: ({ grants }) => grants.issued,
    MeteredTargets: ({ meteredTargets }) => meteredTargets,
  },
  pages: (parts, { Users: users }) => [
    ...applicationPages(parts),
    ...grantPages(parts),
    ...applicationAdminPages(parts, () => users),
  ],
  menu: (parts) => [...applicationMenu(), ...grantMenu(), ...applicationAdminMenu(parts)],
  routes: (parts, { Users: users, instance }) => [
    ...discoveryRoutes(parts),
    ...authorizationRoutes(parts),
    ...consentPageRoutes(parts, { users: () => users, webUrl: () => instance.webUrl }),
    ...tokenRoutes(parts, () => instance.baseUrl),
    ...registrationRoutes(parts),
    ...applicationRoutes(parts),
    ...applicationAdminRoutes(parts, () => users),
    ...grantRoutes(parts),
  ],
  start: async ({ keys }) => void (await keys.sealed.reseal()),
  events: ({ missedEndings: { credentialsRevoked, ownerSuspended } }) => [
    on('user.credentials_revoked', { name: 'end-grants', delivery: 'durable', handle: credentialsRevoked }),
    on('user.suspended', { name: 'end-grants-of-owner', delivery: 'durable', handle: ownerSuspended }),
  ],
  jobs: ({ upkeep }) => [{ name: 'upkeep', everySeconds: 3600, run: () => upkeep() }],
});
