// The contracts that authors prove their providers with: one for every port, kept by our own providers, and broken by
// what breaks a promise.
import t from 'tap';
import { sampleDirectory } from '#test/support/sample-directory';
import { api, changes, definePlugin, type Granted, type PortValue } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { testHost, type TestHost } from 'hexforge/testing';
import { contracts, type Promised } from 'hexforge/testing/contracts';
import { memoryRateCounter, openMemory, systemClock, systemIds } from '#adapters/memory/index';
import { auditLog } from '#core/audit/use-cases';
import { identitySettings } from '#core/identity/index';
import type { AuditEntry } from '#core/kernel/audit';
import { anonymous, type User } from '#core/kernel/caller';
import { declaredPorts } from '#core/kernel/ports';
import { hostPorts } from '#host/plan';
import { memoryAuditStore } from '#plugins/audit/entries/store-memory';
import { quietLog } from '#test/contracts/storage-engines';

let leave: Granted<Repository, 'repo.write', User> | undefined;
let owner: User | undefined;

/** Keeps the proof that a route is given, for ports that are called with one. */
const keeper = definePlugin({
  name: 'keeper',
  version: '1.0.0',
  api: '^0.2.0',
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
  ],
});

const forge: TestHost = await testHost(keeper, {
  users: [{ username: 'ada', displayName: 'Ada' }, 'eve', 'lost'],
  repositories: ['ada/closed'],
});
t.teardown(() => forge.stop());
const [ada, eve, lost] = await Promise.all(['ada', 'eve', 'lost'].map((name) => forge.user(name)));
const { id: repository } = await forge.repository('ada/closed');
await forge.as('ada').post('/x/keeper/ada/closed');
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
    unitOfWork,
    entries: async (action: string) => table.find({ where: (row) => row.action === action }),
  };
}

async function token() {
  const json = { name: 'contract', scopes: ['repo:read'] };
  const { id, token: text } = (await forge.as('ada').post('/user/tokens', { json })).body as Record<string, string>;
  return {
    reader: only(forge.port('CredentialReader')),
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
const inMilestones: PortValue<'MilestoneCounts'>[number] = {
  counts: async (repositoryId, ids) =>
    new Map(repositoryId === repository && ids.includes('m') ? [['m', { open: 1, closed: 2 }]] : []),
};

const counted: PortValue<'RepositoryCounters'>[number] = {
  counts: async (ids, caller) =>
    new Map(ids.includes(repository) ? [[repository, { stars: 2, starred: caller.kind === 'user' }]] : []),
};
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

type Ports = Exclude<keyof typeof contracts, 'GitBackend'>;

/** Of each port, the promises of our own provider. GitBackend's stand in test/adapters/git-native/contract.spec.ts. */
const ours: Readonly<Record<Ports, readonly Promised[]>> = {
  AccountRecovery: contracts.AccountRecovery(() => ({
    recovery: needed(forge.port('AccountRecovery')),
    username: 'lost',
    signsIn,
  })),
  AdminGrants: contracts.AdminGrants(() => ({ grants, granted: { userId: ada.id, scopes: ['admin:users'] } })),
  AuditLog: contracts.AuditLog(audited),
  CredentialReader: contracts.CredentialReader(token),
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
  Planning: contracts.Planning(() => ({
    planning: needed(forge.port('Planning')),
    unitOfWork: forge.port('UnitOfWork'),
    granted,
    known: { label, milestone },
  })),
  Pushes: contracts.Pushes(() => ({
    pushes: forge.port('Pushes'),
    granted,
    ref: async (name) => (await forge.port('GitBackend').readRefs(repository, [name]))[0],
  })),
  RateBudgets: contracts.RateBudgets(() => needed(forge.port('RateBudgets'))),
  RateCounter: contracts.RateCounter(() => memoryRateCounter()),
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
  ResourceResolver: contracts.ResourceResolver(() => ({ resolver: only(forge.port('ResourceResolver')), things })),
  Sealer: contracts.Sealer(() => forge.port('Sealer')),
  Settings: contracts.Settings(() => ({ settings: forge.port('Settings'), declared: identitySettings })),
  UserReferences: contracts.UserReferences(() => ({
    references: only(forge.port('UserReferences').filter(({ what }) => what === 'repositories')),
    referred: { id: ada.id, count: 1 },
    free: eve.id,
  })),
  Users: contracts.Users(() => ({ users: forge.port('Users'), known: [one, other], administrator })),
};

void t.test('every port that a plugin may provide has a contract', (t) => {
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
  void t.test(`our own ${port} keeps its contract`, async (t) => {
    for (const { name, run } of promises) await t.resolves(run(), name);
  });

void t.test('a provider that breaks a promise fails by its name', async (t) => {
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
      /in any case/,
    ],
    [contracts.PasswordHasher(() => ({ ...hasher, verify: async () => true })), /^the right password .* no other$/],
    [contracts.PasswordHasher(() => ({ ...hasher, hash: async (text) => text })), /does not tell the password/],
    [
      contracts.Sealer(() => ({
        ...sealer,
        seal: (plain) => Buffer.from(plain).toString('base64'),
        open: (text) => Buffer.from(text, 'base64'),
      })),
      /altered/,
    ],
    [contracts.Sealer(() => ({ ...sealer, derive: () => new Uint8Array(32) })), /differs from that for another/],
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
      /kept as it was given/,
    ],
    [
      contracts.RepositoryCounters(() => ({
        counters: { counts: (ids) => counted.counts(ids, granted.call.caller) },
        counted: { id: repository, caller: anonymous, counts: { stars: 2, starred: true } },
      })),
      /has not signed in/,
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
      /nobody declared/,
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
