// The contract suites for authors of providers: one for every port, passed by our own providers, and failed by mutants.
import t from 'tap';
import { sampleDirectory } from '#test/support/clients/sample-directory';
import { api, changes, definePlugin, type Granted, type PortValue } from 'hexforge/plugin';
import { builtInTypes } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { testHost, type TestHost } from 'hexforge/testing';
import { contracts, type Promised } from 'hexforge/testing/contracts';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import { auditLog } from '#core/audit/use-cases';
import { identitySettings } from '#core/identity/index';
import type { AuditEntry } from '#core/kernel/services/audit';
import { anonymous, type Call, type User } from '#core/kernel/caller';
import { declaredPorts } from '#core/kernel/ports';
import { hostPorts } from '#host/plugin/plan';
import { memoryAuditStore } from '#plugins/audit/entries/store-memory';
import { auditTrail } from '#plugins/audit/entries/store';
import { memoryGrantStore } from '#plugins/oauth-server/grants/store';
import type { KeptRequestsUnderTest } from '#test/contracts/kept-requests';
import { memorySearchBackend } from '#test/contracts/search/memory-search-backend';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { anonymousCall } from './anonymous-call.ts';
import type { ReferenceFinder } from '#host/plugin/markup';
import type { ReferenceFinderUnderTest } from '#test/contracts/reference-finder';

let leave: Granted<Repository, 'repo.write', User> | undefined;
let leaveToMerge: Granted<Repository, 'merge.merge', User> | undefined;
let leaveToAdminister: Granted<Repository, 'repo.admin', User> | undefined;
let owner: User | undefined;

declare module 'hexforge/plugin' {
  interface RepositorySettingValues {
    'keeper.size': number;
  }
}
const keeperSetting = {
  key: 'keeper.size',
  type: 'integer',
  default: 3,
  min: 1,
  max: 9,
  description: 'A sample',
} as const;

/** Stores the access decision that a route gets, for ports that need one. */
const keeper = definePlugin({
  name: 'keeper',
  version: '1.0.0',
  api: '^0.2.0',
  repositorySettings: [keeperSetting],
  routes: () => [
    api({
      id: 'keeperKeep',
      summary: 'Keeps the proof',
      method: 'POST',
      path: '/{owner}/{repo}',
      access: changes('repository', 'repo.write'),
      scope: 'repo.write',
      meter: 'none',
      result: 'empty',
      run: ({ caller }, { granted }) => {
        leave = granted;
        owner = caller;
      },
    }),
    api({
      id: 'keeperMerge',
      summary: 'Keeps the proof that merges ask for',
      method: 'POST',
      path: '/{owner}/{repo}/merge',
      access: changes('repository', 'merge.merge'),
      scope: 'repo.write',
      meter: 'none',
      result: 'empty',
      run: (_call, { granted }) => void (leaveToMerge = granted),
    }),
    api({
      id: 'keeperAdminister',
      summary: 'Keeps the proof that changes of settings ask for',
      method: 'POST',
      path: '/{owner}/{repo}/administer',
      access: changes('repository', 'repo.admin'),
      scope: 'repo.admin',
      meter: 'none',
      result: 'empty',
      run: (_call, { granted }) => void (leaveToAdminister = granted),
    }),
  ],
});

const forge: TestHost = await testHost(keeper, {
  users: [{ username: 'ada', displayName: 'Ada' }, 'eve', 'lost', 'gone'],
  repositories: ['ada/closed', 'ada/offered'],
});
t.teardown(() => forge.stop());
const [ada, eve, lost] = await Promise.all(['ada', 'eve', 'lost'].map((name) => forge.user(name)));
const { id: repository } = await forge.repository('ada/closed');
await forge.as('ada').post('/x/keeper/ada/closed');
await forge.as('ada').post('/x/keeper/ada/closed/merge');
await forge.as('ada').post('/x/keeper/ada/closed/administer');
const gone = await forge.user('gone');
await forge.as('admin').patch(`/admin/users/${gone.id}`, { json: { status: 'suspended' } });
if (ada === undefined || eve === undefined || lost === undefined || leave === undefined || owner === undefined)
  throw new Error('the test host lacks somebody');
const granted = leave;
const byId = async (id: string) => (await forge.port('Users').byIds([id])).get(id);
const { id: administrator } = await forge.user('admin');
const only = <T>(all: readonly T[]): T => {
  if (all.length !== 1 || all[0] === undefined) throw new Error(`${all.length} providers where one was expected`);
  return all[0];
};

function audited() {
  const { database, unitOfWork } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const log = auditLog({ store: memoryAuditStore(database), unitOfWork });
  const table = database.table<AuditEntry & { readonly id: number }>('audit_entry', { key: 'id' });
  return {
    log,
    trail: auditTrail.memory(database),
    unitOfWork,
    entries: async (action: string) => table.find({ where: (row) => row.action === action }),
  };
}

function granting(): ReturnType<Parameters<typeof contracts.IssuedCredentials>[0]> {
  const { database, unitOfWork } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const store = memoryGrantStore(database);
  return {
    unitOfWork,
    issued: { what: 'oauth_grants_revoked', revokeAll: (userId) => store.deleteAll({ userId }) },
    async issue() {
      const userId = systemIds.uuid();
      await unitOfWork.run(() =>
        store.insert({
          id: systemIds.uuid(),
          userId,
          clientId: systemIds.uuid(),
          resource: '',
          scopes: [],
          remembered: null,
          redirectOrigin: '',
          createdAt: new Date(0),
          updatedAt: new Date(0),
        }),
      );
      return userId;
    },
  };
}

async function token() {
  const json = { name: 'contract', scopes: ['repo:read'] };
  const { id, token: text } = (await forge.as('ada').post('/user/tokens', { json })).body as Record<string, string>;
  return {
    reader: only(forge.port('CredentialReader').filter(({ prefix }) => prefix === '')),
    good: { token: text ?? '', userId: ada?.id ?? '' },
    now: forge.clock.now(),
    revoke: async () => void (await forge.as('ada').delete(`/user/tokens/${id}`)),
  };
}

const asked = async (path: string, json: object) => (await forge.as('ada').post(path, { json })).body as never;
const label: { readonly id: string; readonly name: string } = await asked('/repos/ada/closed/labels', {
  name: 'Bug',
  color: 'd73a4a',
});
const milestone: { readonly id: string; readonly title: string } = await asked('/repos/ada/closed/milestones', {
  title: '1.0',
});
const written = await forge.as('ada').put('/repos/ada/offered/contents/file', { json: { message: 'x', content: '' } });
const { commit } = written.body as { readonly commit: { readonly sha: string } };
const { id: offered } = await forge.repository('ada/offered');
const inMilestones: PortValue<'MilestoneCounts'>[number] = {
  counts: async (repositoryId, ids) =>
    new Map(repositoryId === repository && ids.includes('m') ? [['m', { open: 1, closed: 2 }]] : []),
};

const counted: PortValue<'RepositoryCounters'>[number] = {
  counts: async (ids, caller) =>
    new Map(ids.includes(repository) ? [[repository, { stars: 2, starred: caller.kind === 'user' }]] : []),
};
const onePipeline: NonNullable<PortValue<'PipelineVerdicts'>> = {
  verdicts: async (id, commits) =>
    new Map(id === repository && commits.includes(commit.sha) ? [[commit.sha, 'success']] : []),
};

let branches = 0;
/** Creates two branches: the second has a commit that the first lacks. */
async function twoBranches(): Promise<{ readonly target: string; readonly source: string }> {
  branches += 1;
  const [target, source] = [`target-${branches}`, `source-${branches}`];
  const put = (branch: string, path: string) =>
    forge.as('ada').put(`/repos/ada/closed/contents/${path}`, { json: { message: 'x', content: '', branch } });
  if (branches === 1) await put('main', 'base');
  for (const name of [target, source]) await forge.as('ada').post('/repos/ada/closed/branches', { json: { name } });
  await put(source, source);
  return { target, source };
}
/** Opens two merge requests from a fork. */
async function requestsFromFork(): Promise<KeptRequestsUnderTest['known']> {
  const target = await forge.repository(`kim/kept-${(forks += 1)}`, { visibility: 'public' });
  const path = `/repos/kim/kept-${forks}`;
  await forge.as('kim').put(`${path}/contents/file`, { json: { message: 'x', content: '' } });
  await forge.as('lee').post(`${path}/forks`, { json: {} });
  const author = await forge.user('lee');
  const kept = [];
  for (const branch of ['one', 'two']) {
    await forge.as('lee').post(`/repos/lee/kept-${forks}/branches`, { json: { name: branch } });
    const json = { message: 'x', content: '', branch };
    const { body: written } = await forge.as('lee').put(`/repos/lee/kept-${forks}/contents/${branch}`, { json });
    const { body: opened } = await forge.as('lee').post(`${path}/merges`, {
      json: { title: branch, source_branch: `lee:${branch}`, target_branch: 'main' },
    });
    kept.push({
      requestId: (opened as { readonly id: string }).id,
      userId: author.id,
      commit: (written as { readonly commit: { readonly sha: string } }).commit.sha,
    });
  }
  return { repositoryId: target.id, kept };
}
let forks = 0;

/** Creates an issue or a merge request of ada's private repository. @returns its number. */
async function numbered(kind: 'issues' | 'merges', json: object): Promise<number> {
  const { body } = await forge.as('ada').post(`/repos/ada/closed/${kind}`, { json });
  return (body as { readonly number: number }).number;
}
/** Calls of the repository's owner and of a user who may not read it. */
function askers(): { readonly call: Call<User>; readonly stranger: Call<User> } {
  const stranger: Call<User> = { ...granted.call, caller: thing.stranger, renew: async () => stranger };
  return { call: granted.call, stranger };
}
const grants: NonNullable<PortValue<'AdminGrants'>> = {
  scopesOf: async (id) => (id === ada.id ? ['admin:users'] : []),
};
const known = [await byId(ada.id), await byId(eve.id)].flatMap((user) => user ?? []);
const [one, other] = known;
if (one === undefined || other === undefined) throw new Error('the accounts do not know their own');
const thing = {
  params: { owner: 'ada', repo: 'closed' },
  absent: { owner: 'ada', repo: 'none' },
  owner,
  permission: 'repo.write',
  stranger: { ...owner, id: eve.id, username: 'eve' },
};
const things = { repository: thing, 'counted-repository': thing };
const signsIn = async (password: string): Promise<boolean> =>
  (await forge.anonymous.post('/auth/login', { json: { username: 'lost', password } })).status === 200;
const passwordOf = async (name: string): Promise<string> =>
  (await needed(forge.port('AccountRecovery')).resetPassword(name)).password;
const needed = <T>(port: T | undefined): T => {
  if (port === undefined) throw new Error('the port has no provider');
  return port;
};

/** By the sign of a finder, a thing of ada's private repository that it finds. */
const finders = (): ReadonlyMap<ReferenceFinder['sign'], () => Promise<ReferenceFinderUnderTest['known']>> =>
  new Map([
    [
      '#' as const,
      async () => {
        const number = await numbered('issues', { title: 'Leaks', issue_type_id: builtInTypes[0].id });
        return { reference: String(number), path: `/ada/closed/-/issues/${String(number)}` };
      },
    ],
    [
      '!' as const,
      async () => {
        const { source: source_branch, target: target_branch } = await twoBranches();
        const number = await numbered('merges', { title: 'Mends', source_branch, target_branch });
        return { reference: String(number), path: `/ada/closed/-/merges/${String(number)}` };
      },
    ],
    ['@' as const, async () => ({ reference: 'EVE', path: '/eve' })],
    [
      '' as const,
      async () => {
        const { target } = await twoBranches();
        const [oid = ''] = await forge.port('GitBackend').readRefs(repository, [`refs/heads/${target}`]);
        return { reference: oid.slice(0, 9), path: `/ada/closed/-/commit/${oid}` };
      },
    ],
  ]);

type Ports = Exclude<keyof typeof contracts, 'GitBackend' | 'SignInFlow' | 'ExternalSignIn' | 'SettingForms'>;

/** The checks of our own providers by port. The others are beside their tests. */
const ours: Readonly<Record<Ports, readonly Promised[]>> = {
  AccountRecovery: contracts.AccountRecovery(() => ({
    recovery: needed(forge.port('AccountRecovery')),
    username: 'lost',
    signsIn,
  })),
  AccountStanding: contracts.AccountStanding(() => ({
    standing: needed(forge.port('AccountStanding')),
    user: ada,
    suspended: gone,
  })),
  AdminGrants: contracts.AdminGrants(() => ({ grants, granted: { userId: ada.id, scopes: ['admin:users'] } })),
  AuditLog: contracts.AuditLog(audited),
  AuditTrail: contracts.AuditTrail(audited),
  BotAccounts: contracts.BotAccounts(() => ({
    bots: forge.port('BotAccounts'),
    suspend: (id) => forge.as('admin').patch(`/admin/users/${id}`, { json: { status: 'suspended' } }),
  })),
  CredentialReader: contracts.CredentialReader(token),
  Issues: contracts.Issues(async () => ({
    port: needed(forge.port('Issues')),
    ...askers(),
    known: {
      repositoryId: repository,
      number: await numbered('issues', { title: 'Leaks', issue_type_id: builtInTypes[0].id }),
    },
  })),
  MergeRequests: contracts.MergeRequests(async () => {
    const { source: source_branch, target: target_branch } = await twoBranches();
    const number = await numbered('merges', { title: 'Mends', source_branch, target_branch });
    return { port: needed(forge.port('MergeRequests')), ...askers(), known: { repositoryId: repository, number } };
  }),
  MergeHeads: contracts.MergeHeads(() => ({
    heads: forge.port('MergeHeads'),
    known: { id: offered, owner: 'ada' },
    commit: commit.sha,
    ref: async (name) => (await forge.port('GitBackend').readRefs(offered, [name]))[0],
  })),
  Merging: contracts.Merging(async () => ({
    merging: forge.port('Merging'),
    granted: needed(leaveToMerge),
    writable: granted,
    ...(await twoBranches()),
    tip: async (branch) => (await forge.port('GitBackend').readRefs(repository, [`refs/heads/${branch}`]))[0] ?? '',
  })),
  IssuedCredentials: contracts.IssuedCredentials(granting),
  KeptRequests: contracts.KeptRequests(async () => ({
    requests: needed(forge.port('KeptRequests')),
    known: await requestsFromFork(),
  })),
  MeteredTargets: contracts.MeteredTargets(() => ({
    targets: only(forge.port('MeteredTargets').filter(({ repos }) => repos !== undefined)),
    known: { repos: repository },
  })),
  MilestoneCounts: contracts.MilestoneCounts(() => ({
    counts: inMilestones,
    counted: { repositoryId: repository, milestoneId: 'm', open: 1, closed: 2 },
  })),
  PasswordDirectory: contracts.PasswordDirectory(() => ({
    directory: sampleDirectory({ ada: { password: 'countess' }, eve: { password: 'dropper' } }),
    people: [
      { username: 'ada', password: 'countess' },
      { username: 'eve', password: 'dropper' },
    ],
  })),
  PasswordHasher: contracts.PasswordHasher(() => forge.port('PasswordHasher')),
  PasswordSignIn: contracts.PasswordSignIn(async () => ({
    signIn: needed(forge.port('PasswordSignIn')),
    known: { username: 'lost', password: await passwordOf('lost'), userId: lost.id },
  })),
  PageSessions: contracts.PageSessions(async () => {
    const browser = forge.browser();
    await browser.submit(await browser.open('/-/sign-in'), { username: 'lost', password: await passwordOf('lost') });
    return {
      sessions: needed(forge.port('PageSessions')),
      pageToken: browser.cookies['svc_page_session'] ?? '',
      now: forge.clock.now(),
      end: async () => void (await browser.submit(await browser.open('/-/sign-out'))),
    };
  }),
  PipelineVerdicts: contracts.PipelineVerdicts(() => ({
    pipelines: onePipeline,
    known: { repositoryId: repository, commit: commit.sha, verdict: 'success' },
  })),
  Planning: contracts.Planning(() => ({
    planning: needed(forge.port('Planning')),
    unitOfWork: forge.port('UnitOfWork'),
    granted,
    known: { label, milestone },
  })),
  ProfileLists: contracts.ProfileLists(() => ({
    lists: only(forge.port('ProfileLists')),
    owner: { id: ada.id, caller: needed(owner) },
  })),
  Pushes: contracts.Pushes(() => ({
    pushes: forge.port('Pushes'),
    granted,
    ref: async (name) => (await forge.port('GitBackend').readRefs(repository, [name]))[0],
  })),
  RateBudgets: contracts.RateBudgets(() => needed(forge.port('RateBudgets'))),
  RateCounter: contracts.RateCounter(() => memoryRateCounter()),
  ReferenceFinder: [...finders()].flatMap(([sign, known]) =>
    contracts.ReferenceFinder(async () => {
      const { call, stranger } = askers();
      const repositoryOf = (may: boolean) => ({ id: repository, owner: 'ada', name: 'closed', may: () => may });
      return {
        finder: only(forge.port('ReferenceFinder').filter((finder) => finder.sign === sign)),
        known: await known(),
        unknown: sign === '@' ? 'nobody' : '999999',
        place: { call, repository: repositoryOf(true) },
        // Issues and merge requests are decided about again; commits by the proof of the page.
        stranger: sign === '@' ? undefined : { call: stranger, repository: repositoryOf(sign !== '') },
      };
    }),
  ),
  Repositories: contracts.Repositories(() => ({
    repositories: forge.port('Repositories'),
    known: { id: repository, owner: 'ada', ownerId: ada.id, name: 'closed', visibility: 'private' },
    administrator,
    stranger: eve.id,
  })),
  RepositoryCounters: contracts.RepositoryCounters(() => ({
    counters: counted,
    counted: { id: repository, caller: granted.call.caller, counts: { stars: 2, starred: true } },
  })),
  RepositorySettings: contracts.RepositorySettings(async () => {
    await asked('/repos/ada/offered/settings', { settings: [{ key: 'keeper.size', value: '7' }] });
    return {
      settings: forge.port('RepositorySettings'),
      declared: keeperSetting,
      known: { repositoryId: offered, value: 7 },
      fresh: repository,
    };
  }),
  RepositorySettingWriter: contracts.RepositorySettingWriter(() => ({
    writer: forge.port('RepositorySettingWriter'),
    settings: forge.port('RepositorySettings'),
    granted: needed(leaveToAdminister),
    declared: keeperSetting,
    values: ['4', '5'],
  })),
  ResourceResolver: contracts.ResourceResolver(() => ({ resolver: only(forge.port('ResourceResolver')), things })),
  IndexQueue: contracts.IndexQueue(() => needed(forge.port('IndexQueue'))),
  SearchIndexing: contracts.SearchIndexing(() => ({
    indexing: needed(forge.port('SearchIndexing')),
    repository: 'ada/closed',
  })),
  SearchBackend: contracts.SearchBackend(() => ({ backend: memorySearchBackend() })),
  SealedRecords: contracts.SealedRecords(() =>
    only(forge.port('SealedRecords').filter(({ what }) => what === 'signing keys')),
  ),
  Sealer: contracts.Sealer(() => forge.port('Sealer')),
  Settings: contracts.Settings(() => ({ settings: forge.port('Settings'), declared: identitySettings })),
  SigningKeyRotation: contracts.SigningKeyRotation(() => needed(forge.port('SigningKeyRotation'))),
  UserReferences: contracts.UserReferences(() => ({
    references: only(forge.port('UserReferences').filter(({ what }) => what === 'repositories')),
    referred: { id: ada.id, count: 2 },
    free: eve.id,
  })),
  UserGroups: contracts.UserGroups(() => ({
    groups: needed(forge.port('UserGroups')),
    user: lost.id,
    administrator,
  })),
  Markup: contracts.Markup(() => ({
    markup: needed(forge.port('Markup')),
    context: { call: anonymousCall(forge.clock.now()) },
  })),
  PageFrame: contracts.PageFrame(() => ({
    frame: needed(forge.port('PageFrame')),
    around: { call: anonymousCall(forge.clock.now()), url: '/', status: 200, cookies: {} },
  })),
  Users: contracts.Users(() => ({ users: forge.port('Users'), known: [one, other], administrator })),
  Vouching: contracts.Vouching(() => ({
    vouching: forge.port('Vouching'),
    unitOfWork: forge.port('UnitOfWork'),
    user: ada,
    sessionId: needed(owner).credential.id,
    suspended: gone,
    now: forge.clock.now(),
  })),
};

void t.test('every port that a plugin may provide has a contract suite', (t) => {
  const provided = [...declaredPorts().keys()].filter(
    (port) => hostPorts[port] !== 'fixed' && !/^(Sample|Test)/.test(port),
  );
  t.strictSame(
    provided.filter((port) => !(port in contracts)),
    [],
  );
  t.end();
});

for (const [port, promises] of Object.entries(ours))
  void t.test(`our own ${port} passes its contract suite`, async (t) => {
    for (const { name, run } of promises) await t.resolves(run(), name);
  });

void t.test('a provider that breaks a promise fails the check of that name', async (t) => {
  const users = forge.port('Users');
  const hasher = forge.port('PasswordHasher');
  const sealer = forge.port('Sealer');
  const resolver = only(forge.port('ResourceResolver'));
  const whole = audited();
  const broken: readonly (readonly [readonly Promised[], RegExp])[] = [
    [
      contracts.Users(() => ({
        users: { ...users, byUsername: async (name) => (name === 'ada' ? one : undefined) },
        known: [one, other],
        administrator,
      })),
      /ignoring case/,
    ],
    [
      contracts.UserGroups(() => ({
        groups: { ...needed(forge.port('UserGroups')), groupsOf: async () => [] },
        user: lost.id,
        administrator,
      })),
      /^every user is in general/,
    ],
    [contracts.SealedRecords(() => ({ what: 'nothing', reseal: async () => 1 })), /finds nothing to seal/],
    [
      contracts.PasswordHasher(() => ({ ...hasher, verify: async () => true })),
      /^verifies the right password and no other$/,
    ],
    [contracts.PasswordHasher(() => ({ ...hasher, hash: async (text) => text })), /does not contain the password/],
    [
      contracts.Sealer(() => ({
        ...sealer,
        seal: (plain) => Buffer.from(plain).toString('base64'),
        open: (text) => Buffer.from(text, 'base64'),
      })),
      /altered/,
    ],
    [contracts.Sealer(() => ({ ...sealer, derive: () => new Uint8Array(32) })), /differs from the key for another/],
    [
      contracts.CredentialReader(async () => {
        const { reader, ...rest } = await token();
        const first = await reader.read(rest.good.token, rest.now);
        return { ...rest, reader: { prefix: reader.prefix, read: async () => first } };
      }),
      /revoked/,
    ],
    [
      contracts.ResourceResolver(() => ({
        things,
        resolver: { ...resolver, repository: async (_caller, params) => resolver.repository?.(needed(owner), params) },
      })),
      /may not see it/,
    ],
    [
      contracts.AuditLog(() => ({
        ...whole,
        log: { append: async (entry) => void setImmediate(() => void whole.log.append(entry)) },
      })),
      /stored as given/,
    ],
    [
      contracts.RepositoryCounters(() => ({
        counters: { counts: (ids) => counted.counts(ids, granted.call.caller) },
        counted: { id: repository, caller: anonymous, counts: { stars: 2, starred: true } },
      })),
      /anonymous caller/,
    ],
    [
      contracts.MilestoneCounts(() => ({
        counts: { counts: async () => new Map([['m', { open: 1, closed: 2 }]]) },
        counted: { repositoryId: repository, milestoneId: 'm', open: 1, closed: 2 },
      })),
      /another repository/,
    ],
    [
      contracts.Planning(() => {
        const planning = needed(forge.port('Planning'));
        return {
          planning: { ...planning, hold: async (_, id) => planning.hold(repository, id) },
          unitOfWork: forge.port('UnitOfWork'),
          granted,
          known: { label, milestone },
        };
      }),
      /another repository is refused/,
    ],
    [
      contracts.Settings(() => ({ settings: { get: async () => true as never }, declared: identitySettings })),
      /undeclared setting/,
    ],
    [
      contracts.MeteredTargets(() => ({
        targets: { repos: async (ids) => new Set(ids) },
        known: { repos: repository },
      })),
      /that exist, for each kind/,
    ],
    [
      contracts.RateBudgets(() => ({ budget: async () => ({ limit: -1, windowSeconds: 1, window: 'fixed' }) })),
      /budget/,
    ],
  ];
  for (const [promises, says] of broken) {
    const failed: string[] = [];
    for (const { name, run } of promises) await run().catch(() => failed.push(name));
    t.ok(
      failed.some((name) => says.test(name)),
      `${says}: ${failed.join('; ')}`,
    );
  }
});
