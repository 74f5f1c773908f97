// The plugin "identity": accounts, sessions, personal access tokens and user groups.
import {
  identityAudits,
  identityEvents,
  identityScopes,
  identitySettings,
  isPersonName,
  passwordLength,
  reservedScopes,
} from 'hexforge/identity';
import { count, definePlugin, maybe, shape, word } from 'hexforge/plugin';
import { jwtSessionTokens, owaspCost, scryptHasher, sha256Hasher } from '#adapters/crypto/index';
import { identityUseCases, ofNormalForm } from '#core/identity/use-cases';
import { adminUserMenu, adminUserPages } from './accounts/admin-pages.ts';
import { userReferences } from './accounts/references.ts';
import { adminUserRoutes } from './accounts/routes.ts';
import { memoryAccountStore } from './accounts/store-memory.ts';
import { sqlAccountStore } from './accounts/store.ts';
import { providerMenu, providerPages } from './external/admin-pages.ts';
import { externalSignIn } from './external/browser-steps.ts';
import { identityPages } from './external/pages.ts';
import { externalRoutes } from './external/routes.ts';
import { memoryExternalIdentityStore } from './external/store-memory.ts';
import { sqlExternalIdentityStore } from './external/store.ts';
import { groupMenu, groupPages } from './groups/pages.ts';
import { groupRoutes } from './groups/routes.ts';
import { memoryGroupStore } from './groups/store-memory.ts';
import { sqlGroupStore } from './groups/store.ts';
import { migrations } from './migrations.ts';
import { profileRoutes } from './profiles/routes.ts';
import { userPages } from './profiles/user-page.ts';
import { sessionPages } from './sessions/pages.ts';
import { authRoutes } from './sessions/routes.ts';
import { firstStartCard, signInPageRoutes } from './sessions/sign-in-page.ts';
import { signUpPages } from './sessions/sign-up-page.ts';
import { memorySessionStore } from './sessions/store-memory.ts';
import { sqlSessionStore } from './sessions/store.ts';
import { settingsMenu, settingsPages } from './settings/pages.ts';
import { identityEntities } from './tables.ts';
import { tokenPages } from './tokens/pages.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { memoryTokenStore } from './tokens/store-memory.ts';
import { sqlTokenStore } from './tokens/store.ts';

const username = word().custom((value: string, helpers) =>
  isPersonName(value)
    ? value
    : helpers.message({
        custom: '{{#label}} is 1 to 39 letters, digits, "-", "_" or ".", starting with a letter or digit',
      }),
);

export default definePlugin({
  name: 'identity',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    admin_username: username.default('admin').description('Name of the administrator that the first start creates'),
    admin_password: maybe(
      word()
        .min(passwordLength.min)
        .max(passwordLength.max)
        .meta({ secret: true })
        .description('Their password; absent: one is generated and printed once'),
    ),
    session_minutes: count()
      .min(1)
      .max(1440)
      .default(15)
      .description('How long a session token lives before it is refreshed, in minutes'),
    refresh_days: count().min(1).max(365).default(30).description('How long a session lives that is not used, in days'),
    directory_seconds: count()
      .min(1)
      .max(60)
      .default(10)
      .description('How long one password directory, such as LDAP, is waited for at a sign-in, in seconds'),
    scrypt_log_n: count()
      .min(4)
      .max(20)
      .default(owaspCost.logN)
      .description(
        'Cost of a password hash: scrypt with N=2^this, r=8, p=5. Less than 14 is for tests alone; existing hashes follow at the next sign-in',
      ),
  }),
  environment: { HEXFORGE_ADMIN_USERNAME: 'admin_username', HEXFORGE_ADMIN_PASSWORD: 'admin_password' },
  needs: [
    'AccessDecision',
    'AuditLog',
    'Clock',
    'CurrentCaller',
    'Events',
    'Ids',
    'Locks',
    'PasswordDirectories',
    'RateCounter',
    'ScopeCatalogue',
    'Sealer',
    'Settings',
    'UnitOfWork',
  ],
  late: ['AdminGrants', 'IssuedCredentials', 'ProfileLists', 'SettingForms', 'SignInFlow', 'UserReferences'],
  stores: {
    accounts: { sql: sqlAccountStore, memory: memoryAccountStore },
    sessions: { sql: sqlSessionStore, memory: memorySessionStore },
    tokens: { sql: sqlTokenStore, memory: memoryTokenStore },
    groups: { sql: sqlGroupStore, memory: memoryGroupStore },
    identities: { sql: sqlExternalIdentityStore, memory: memoryExternalIdentityStore },
  },
  entities: identityEntities,
  tables: [
    'identity_user',
    'identity_session',
    'identity_refresh_token',
    'identity_token',
    'identity_group',
    'identity_group_member',
    'identity_external',
    'identity_used_answer',
    'identity_public_user',
  ],
  migrations,
  settings: identitySettings,
  emits: identityEvents,
  audits: identityAudits,
  scopes: [...identityScopes, ...reservedScopes],

  build(context) {
    const { stores, config, log, late } = context;
    const passwordHasher = ofNormalForm(scryptHasher({ cost: { ...owaspCost, logN: config.scrypt_log_n } }));
    const useCases = identityUseCases({
      ...stores,
      access: context.AccessDecision,
      adminGrants: () => late.AdminGrants,
      audit: context.AuditLog,
      clock: context.Clock,
      currentCaller: context.CurrentCaller,
      directories: context.PasswordDirectories,
      directorySeconds: config.directory_seconds,
      events: context.Events,
      ids: context.Ids,
      lifetimes: { accessSeconds: config.session_minutes * 60, refreshSeconds: config.refresh_days * 86_400 },
      locks: context.Locks,
      log,
      passwordHasher,
      rateCounter: context.RateCounter,
      issued: () => late.IssuedCredentials,
      references: () => late.UserReferences,
      scopes: context.ScopeCatalogue,
      // The issuer is not the base URL: processes with different addresses share sessions, and sessions remain valid
      // when the address changes.
      sessionTokens: jwtSessionTokens({ key: context.Sealer.derive('session-jwt'), issuer: 'hexforge' }),
      pageTokens: jwtSessionTokens({
        key: context.Sealer.derive('page-session-jwt'),
        issuer: 'hexforge',
        use: 'pages',
      }),
      sealer: context.Sealer,
      settings: context.Settings,
      signInFlows: () => late.SignInFlow,
      tokenHasher: sha256Hasher,
      unitOfWork: context.UnitOfWork,
    });
    return {
      ...useCases,
      passwordHasher,
      lists: () => late.ProfileLists,
      settingForms: () => late.SettingForms,
      sealer: context.Sealer,
    };
  },

  provides: {
    Users: (parts) => parts.users,
    ReferenceFinder: (parts) => userReferences(parts),
    UserGroups: (parts) => parts.groups.port,
    MeteredTargets: (parts) => parts.meteredTargets,
    Vouching: (parts) => parts.vouching,
    AccountRecovery: (parts) => parts.recovery,
    BotAccounts: (parts) => parts.bots,
    AccountStanding: (parts) => parts.accountStanding,
    PageSessions: (parts) => parts.sessions.pages,
    PasswordSignIn: (parts) => parts.passwordSignIn,
    PasswordHasher: (parts) => parts.passwordHasher,
    CredentialReader: (parts) => parts.credentialReader,
    ExternalSignIn: (parts, { Sealer, instance }) => externalSignIn(parts, { sealer: Sealer, urls: instance }),
  },
  pages: (parts, { instance }) => [
    ...sessionPages(parts),
    ...signUpPages(parts, () => instance.webUrl),
    ...settingsPages(parts),
    ...tokenPages(parts),
    ...userPages(parts),
    ...adminUserPages(parts),
    ...groupPages(parts),
    ...identityPages(parts),
    ...providerPages(parts),
  ],
  menu: (parts) => [...settingsMenu(), adminUserMenu(parts), groupMenu(parts), providerMenu()],
  cards: (parts) => [firstStartCard(parts)],
  routes: (parts, { instance }) => [
    ...authRoutes(parts),
    ...signInPageRoutes(parts, () => instance.webUrl),
    ...profileRoutes(parts),
    ...tokenRoutes(parts),
    ...adminUserRoutes(parts),
    ...groupRoutes(parts),
    ...externalRoutes(parts, instance),
  ],
  jobs: (parts) => [
    {
      name: 'prune-sessions',
      everySeconds: 3600,
      run: () => parts.pruneSessions(),
    },
  ],

  async start(parts, { config, instance }) {
    const administrator = await parts.firstAdministrator({
      username: config.admin_username,
      password: config.admin_password,
    });
    if (administrator === undefined) return;
    instance.announce(`administrator: ${administrator.username}`);
    if (administrator.password !== undefined) instance.announce(`password: ${administrator.password}`);
  },
  stop: (parts) => parts.tokens.settled(),
});
