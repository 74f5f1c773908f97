// Fixtures for specs of accounts: use cases on in-memory stores, with a settable clock and a cheap password hasher.
import { aesSealer } from '#adapters/crypto/sealer';
import { jwtSessionTokens, sha256Hasher } from '#adapters/crypto/session-tokens';
import { fixedClock, openMemory } from '#adapters/memory/index';
import { currentCaller } from '#adapters/system/current-caller';
import { systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import type { KeptEntry } from '#core/audit/index';
import { auditLog } from '#core/audit/use-cases';
import { identityEvents, identityScopes, reservedScopes } from '#core/identity/index';
import type { Account, UserReferences } from '#core/identity/index';
import { createAccount, type NewAccount } from '#core/identity/accounts/new-account';
import { identityUseCases } from '#core/identity/use-cases';
import type { AccessDecision } from '#core/kernel/access/access';
import type { AdminGrants } from '#core/kernel/access/admin-grants';
import { anonymous } from '#core/kernel/caller';
import type { Call, Caller, Credential, User } from '#core/kernel/caller';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { on } from '#core/kernel/storage/events';
import type { EventOf } from '#core/kernel/storage/events';
import type { Log } from '#core/kernel/services/log';
import type { PasswordDirectories } from '#core/kernel/access/password-directories';
import type { SignInFlow } from '#core/kernel/access/sign-in-flows';
import { scopeCatalogue } from '#core/kernel/access/scopes';
import type { SettingValues, Settings } from '#core/kernel/services/settings';
import { memoryAuditStore } from '#plugins/audit/entries/store-memory';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { memoryExternalIdentityStore } from '#plugins/identity/external/store-memory';
import { memoryGroupStore } from '#plugins/identity/groups/store-memory';
import { memorySessionStore } from '#plugins/identity/sessions/store-memory';
import { memoryTokenStore } from '#plugins/identity/tokens/store-memory';
import { leavingStorage } from '#test/support/servers/leaving-storage';

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Counts its calls, so that a test can compare the work for unknown and known users. */
export function fakeHasher(version = 1): PasswordHasher & { calls: number } {
  return {
    calls: 0,
    async hash(password) {
      return `v${version}:${password}`;
    },
    async verify(password, hash) {
      this.calls += 1;
      return hash !== undefined && hash.slice(hash.indexOf(':') + 1) === password;
    },
    outdated: (hash) => !hash.startsWith(`v${version}:`),
  };
}

/** One directory `corp`, which cannot be tested. */
export const directoriesOf = (find: PasswordDirectories['find']): PasswordDirectories => ({
  find,
  names: () => [{ id: 'corp', displayName: 'Corporation' }],
  inspect: async () => undefined,
});

export function world() {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const storage = leavingStorage(openMemory({ clock, ids: systemIds, log: silent }));
  const settingValues: Partial<SettingValues> = {};
  const defaults: Partial<Record<keyof SettingValues, unknown>> = {
    'signup.enabled': false,
    'signup.require_approval': false,
    'auth.require_email_verification': false,
    'git.password_auth': true,
    'auth.auto_create': true,
  };
  const settings: Settings = { get: async (key) => (settingValues[key] ?? defaults[key]) as SettingValues[typeof key] };
  const entries: KeptEntry[] = [];
  const auditStore = memoryAuditStore(storage.database);
  const references: UserReferences[] = [];
  /** User id → admin scopes. */
  const granted = new Map<string, readonly string[]>();
  const hasher = fakeHasher();
  const parts = {
    accounts: memoryAccountStore(storage.database),
    sessions: memorySessionStore(storage.database),
    tokens: memoryTokenStore(storage.database),
    groups: memoryGroupStore(storage.database),
    identities: memoryExternalIdentityStore(storage.database),
    audit: auditLog({
      unitOfWork: storage.unitOfWork,
      store: {
        ...auditStore,
        append: async (entry) => {
          await auditStore.append(entry);
          entries.push(entry);
        },
      },
    }),
    clock,
    currentCaller: currentCaller(),
    ids: systemIds,
    events: storage.events,
    locks: storage.locks,
    unitOfWork: storage.unitOfWork,
    log: silent,
    passwordHasher: hasher as PasswordHasher,
    access: { renew: (of) => of.renew() } as Pick<AccessDecision, 'renew'>,
    directories: directoriesOf(async () => undefined),
    signInFlows: (): readonly SignInFlow[] => [],
    sealer: aesSealer(new Uint8Array(32).fill(3)),
    directorySeconds: 10,
    rateCounter: memoryRateCounter(),
    settings,
    scopes: scopeCatalogue([...identityScopes, ...reservedScopes]),
    tokenHasher: sha256Hasher,
    sessionTokens: jwtSessionTokens({ key: new Uint8Array(32).fill(1), issuer: 'http://forge.test' }),
    pageTokens: jwtSessionTokens({ key: new Uint8Array(32).fill(2), issuer: 'http://forge.test', use: 'pages' }),
    lifetimes: { accessSeconds: 900, refreshSeconds: 30 * 86_400 },
    adminGrants: () =>
      ({
        scopesOf: async (id) => granted.get(id) ?? [],
        holders: async (scopes) =>
          [...granted].filter(([, held]) => held.some((scope) => scopes.includes(scope))).map(([id]) => id),
      }) as AdminGrants | undefined,
    references: () => references,
    issued: () => [],
  };
  const build = (over: Partial<typeof parts> = {}) => identityUseCases({ ...parts, ...over });
  const useCases = build();

  const by = <C extends Caller>(caller: C, ip: string): Call<C> => ({
    caller,
    requestId: 'request',
    ip,
    userAgent: 'test',
    signal: new AbortController().signal,
    now: clock.now(),
    renew: async () => by(caller, ip),
  });
  const call = (ip = '192.0.2.1'): Call => by(anonymous, ip);
  const as = (
    account: Pick<Account, 'id' | 'username' | 'isAdmin'>,
    credential: Partial<Credential> = {},
  ): Call<User> =>
    by(
      {
        kind: 'user',
        id: account.id,
        username: account.username,
        isAdmin: account.isAdmin,
        credential: { kind: 'session', id: systemIds.uuid(), scopes: 'all', via: 'bearer', ...credential },
      },
      '192.0.2.1',
    );
  const account = (username: string, over: Partial<NewAccount> = {}): Promise<Account> =>
    createAccount(
      parts,
      {
        username,
        email: `${username}@example.org`,
        displayName: '',
        isAdmin: false,
        approval: undefined,
        emailVerified: true,
        password: `password of ${username}`,
        ...over,
      },
      (id) => ({
        actorId: undefined,
        actorUsername: 'test',
        action: 'user.created',
        resource: `user:${id}`,
        ip: '',
        userAgent: '',
        details: {},
        at: clock.now(),
      }),
    );
  const signIn = (username: string, password = `password of ${username}`, ip?: string) =>
    useCases.sessions.signIn(call(ip), { username, password });
  /** The caller of a session's access token, as the authenticator finds it. */
  const reads = (token: string) => useCases.credentialReader.read(token, clock.now());

  const heard: EventOf[] = [];
  const listen = (): Promise<void> =>
    storage.deliver(
      identityEvents.map((type) => ({
        plugin: 'test',
        subscription: on(type, {
          name: type,
          delivery: 'durable',
          handle: async (event) => {
            heard.push(event);
          },
        }),
      })),
    );

  return {
    ...useCases,
    parts,
    build,
    clock,
    storage,
    settingValues,
    granted,
    references,
    entries,
    actions: () => entries.map(({ action }) => action),
    hasher,
    call,
    as,
    account,
    signIn,
    reads,
    heard,
    listen,
  };
}
