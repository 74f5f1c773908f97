// The matrix of delegated administration: which holder of admin scopes may do what to which account, with each kind of
// credential. `npm test` sends one request per distinct rule, the whole run one per rule, holder and credential.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { wholeRun } from '#test/support/database';
import { firstOfEach } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import type { TestForge } from '#test/support/forge';
import { grantAdminScope, makeApp, tokensFor } from '../oauth-server/flow.ts';
import { oauthScopes } from '../oauth-server/scope-table.ts';
import { adminScopes } from './admin-table.ts';

const users = '/api/v1/admin/users';
const groups = '/api/v1/admin/user-groups';

/** Holder → their admin scopes; `flag`: an instance administrator. */
const holders = {
  'admin:users': ['admin:users'],
  'admin:users and admin:settings': ['admin:users', 'admin:settings'],
  'all scopes': adminScopes,
  'admin:rate_limit': ['admin:rate_limit'],
  'admin:system': ['admin:system'],
  'super-admin': 'flag',
} as const satisfies Readonly<Record<string, readonly string[] | 'flag'>>;
type Holder = keyof typeof holders;

/** Credential → the scopes of the token; undefined: a session. */
const credentials = {
  session: undefined,
  'PAT admin:users': ['admin:users'],
  'PAT admin:users admin:system': ['admin:users', 'admin:system'],
  'PAT admin:system': ['admin:system'],
  OAuth2: oauthScopes,
} as const;
type Kind = keyof typeof credentials;

/** Target → its admin scopes. `flag`: an instance administrator. `group`: a member of a group of instance_admin. */
const targets = {
  self: 'self',
  plain: [],
  'a holder of admin:users': ['admin:users'],
  'a holder of admin:settings': ['admin:settings'],
  'a holder of both': ['admin:users', 'admin:settings'],
  'a holder of admin:runners': ['admin:runners'],
  'a member of an instance_admin group': 'group',
  'super-admin': 'flag',
} as const satisfies Readonly<Record<string, readonly string[] | 'flag' | 'group' | 'self'>>;
type Target = keyof typeof targets;

const operations = [
  'update',
  'address',
  'suspend',
  'flag',
  'delete',
  'password',
  'revoke',
  'join',
  'leave',
  'dissolve',
] as const;
type Operation = (typeof operations)[number];

/** A row: holder, credential, operation and target. */
interface Row {
  readonly holder: Holder;
  readonly kind: Kind;
  readonly operation: Operation;
  readonly target: Target;
}

/** The scopes of personal access tokens that reach an admin scope: docs/api/decisions.md, "Administration". */
const reaching = (scope: string): string => (scope === 'admin:users' ? 'admin:users' : 'admin:system');

/** The rule that refuses the request; undefined if it is allowed. */
function refusal({ holder, kind, operation, target }: Row): string | undefined {
  const held: readonly string[] | 'flag' = holders[holder];
  const token: readonly string[] | undefined = credentials[kind];
  const of: readonly string[] | string = targets[target];
  const targetScopes = typeof of === 'string' ? [] : of;
  if (kind !== 'session' && token?.includes('admin:users') !== true) return 'the token lacks admin:users';
  if (held !== 'flag' && !held.includes('admin:users')) return 'the caller lacks admin:users';
  if (operation === 'password' && target === 'self') return 'the own password';
  if (operation === 'flag' && held !== 'flag') return 'the flag';
  if (operation === 'flag' && token !== undefined && of !== 'flag' && target !== 'self') return 'the flag by a token';
  if (operation === 'password' && token !== undefined) {
    if (of === 'flag' && held === 'flag') return 'the password of a super-admin by a token';
    if (targetScopes.some((scope) => !token.includes(reaching(scope)))) return 'a password beyond the token';
  }
  if (operation === 'address' && token !== undefined) {
    if (target === 'self') return 'the own address by a token';
    if (of === 'flag' && held === 'flag') return 'the address of a super-admin by a token';
    if (targetScopes.some((scope) => !token.includes(reaching(scope)))) return 'an address beyond the token';
  }
  if (held === 'flag' || target === 'self') return undefined;
  if (of === 'flag') return 'a super-admin';
  if (of === 'group') return 'a member of an instance_admin group';
  return targetScopes.some((scope) => !held.includes(scope)) ? 'a scope that the caller lacks' : undefined;
}

const rows: readonly Row[] = Object.keys(holders).flatMap((holder) =>
  Object.keys(credentials).flatMap((kind) =>
    Object.keys(targets).flatMap((target) =>
      operations.map((operation) => ({ holder, kind, target, operation }) as Row),
    ),
  ),
);

const ruleOf = (row: Row): readonly unknown[] => [
  row.operation,
  refusal(row),
  row.target === 'self',
  ...(wholeRun ? [row.holder, row.kind] : []),
];

type Holders = Readonly<Record<string, readonly string[] | 'flag'>>;

async function world(forge: TestForge, standings: Holders = holders) {
  const admin = await forge.administrator();
  const created = await admin.post(groups, { body: { name: 'Team' } });
  const team = `${groups}/${(created.body as { id: string }).id}/members`;
  const high = { name: 'High', role: 'instance_admin', grant_admin: true };
  const { id: highGroup } = (await admin.post(groups, { body: high })).body as { id: string };
  const app = await makeApp(admin, { scopes: oauthScopes });
  let made = 0;

  /** Makes an account that owns a repository, so that a permitted deletion is refused with 409. */
  const account = async (standing: readonly string[] | string) => {
    made += 1;
    const user = await forge.createUser(`user-${made}`, { isAdmin: standing === 'flag' });
    await user.client.post('/api/v1/repos', { body: { name: 'kept' } });
    if (typeof standing !== 'string') for (const scope of standing) await grantAdminScope(admin, user.id, scope);
    if (standing === 'group') await admin.post(`${groups}/${highGroup}/members`, { body: { user_id: user.id } });
    return user;
  };
  const others = new Map<Target, Awaited<ReturnType<typeof account>>>();
  const other = async (target: Target) => {
    const known = others.get(target) ?? (await account(targets[target]));
    others.set(target, known);
    return known;
  };

  const withCredential = async (session: Client, kind: Kind): Promise<Client> => {
    const scopes = credentials[kind];
    if (scopes === undefined) return session;
    if (kind !== 'OAuth2') return forge.pat(session, scopes);
    return forge.as((await tokensFor(forge, session, app, { scope: oauthScopes.join(' ') })).access_token);
  };
  const callers = new Map<string, Promise<{ readonly id: string; readonly client: Client }>>();
  const makeCaller = async (holder: string, kind: Kind) => {
    const { id, client } = await account(standings[holder] ?? []);
    return { id, client: await withCredential(client, kind) };
  };
  /** Requests that end the caller's own credentials need a separate caller. */
  const caller = async ({ holder, kind, target }: Pick<Row, 'kind' | 'target'> & { readonly holder: string }) => {
    if (target === 'self') return makeCaller(holder, kind);
    const key = `${holder} ${kind}`;
    const known = callers.get(key) ?? makeCaller(holder, kind);
    callers.set(key, known);
    return known;
  };

  const groupOf = async (id: string): Promise<string> => {
    const group = await admin.post(groups, { body: { name: `Group ${(made += 1)}` } });
    const path = `${groups}/${(group.body as { id: string }).id}`;
    await admin.post(`${path}/members`, { body: { user_id: id } });
    return path;
  };
  const send = async (client: Client, operation: Operation, id: string) =>
    ({
      address: () => client.patch(`${users}/${id}`, { body: { email: `new-${(made += 1)}@example.org` } }),
      dissolve: async () => client.delete(await groupOf(id)),
      update: () => client.patch(`${users}/${id}`, { body: { display_name: `Name ${(made += 1)}` } }),
      suspend: () => client.patch(`${users}/${id}`, { body: { status: 'suspended' } }),
      flag: () => client.patch(`${users}/${id}`, { body: { is_admin: true } }),
      delete: () => client.delete(`${users}/${id}`),
      password: () => client.post(`${users}/${id}/password`, { body: { password: 'another password' } }),
      revoke: () => client.post(`${users}/${id}/revoke-tokens`),
      join: () => client.post(team, { body: { user_id: id } }),
      leave: () => client.delete(`${team}/${id}`),
    })[operation]();
  return { admin, team, caller, other, send };
}

/** The status of a permitted request. An own account, and one that owns a repository, cannot be deleted. */
const permitted: Readonly<Record<Operation, number>> = {
  update: 200,
  address: 200,
  suspend: 200,
  flag: 200,
  delete: 409,
  password: 204,
  revoke: 204,
  join: 201,
  leave: 204,
  dissolve: 204,
};

void t.test('holder, credential, operation and target', { timeout: 300_000 }, async (t) => {
  const forge = await sharedForge(t);
  const { admin, team, caller, other, send } = await world(forge);
  t.teardown(async () => {
    for (const { id, is_system: isSystem } of (
      (await admin.get(groups)).body as {
        groups: readonly { id: string; is_system: boolean }[];
      }
    ).groups)
      if (!isSystem) await admin.delete(`${groups}/${id}`);
  });

  const faults: string[] = [];
  for (const row of firstOfEach(rows, ruleOf)) {
    const { operation, target } = row;
    const { id: callerId, client } = await caller(row);
    const id = target === 'self' ? callerId : (await other(target)).id;
    if (operation === 'leave') await admin.post(team, { body: { user_id: id } });
    if (operation === 'join') await admin.delete(`${team}/${id}`);
    const { status, text } = await send(client, operation, id);
    const rule = refusal(row);
    const wanted = rule === undefined ? permitted[operation] : 403;
    const what = `${row.holder}, ${row.kind}: ${operation} of ${target}`;
    if (status !== wanted) faults.push(`${what}: expected ${wanted} (${rule ?? 'allowed'}), got ${status} ${text}`);
    if (operation === 'suspend') await admin.patch(`${users}/${id}`, { body: { status: 'active' } });
    if (operation === 'flag' && target !== 'super-admin')
      await admin.patch(`${users}/${id}`, { body: { is_admin: false } });
  }
  t.strictSame(faults, []);
});

void t.test('a token of a super-admin creates no super-admin', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const body = { username: 'second', email: 'second@example.org', password: 'secret password', is_admin: true };
  const token = await forge.pat(admin, ['admin:users', 'admin:system']);
  t.match(await token.post(users, { body }), { status: 403, body: { error_code: 'forbidden' } });
  t.match(await token.post(users, { body: { ...body, is_admin: false } }), { status: 201 });
});

/** Holder of admin scopes → may grant admin:roles. */
const granters = { 'admin:roles': ['admin:roles'], 'super-admin': 'flag', 'admin:users': ['admin:users'] } as const;

void t.test('a token grants no admin scope that it does not reach', async (t) => {
  const forge = await sharedForge(t);
  const { caller, other } = await world(forge, granters);
  const { id } = await other('plain');
  const faults: string[] = [];
  for (const holder of Object.keys(granters))
    for (const kind of Object.keys(credentials) as Kind[])
      for (const scope of ['admin:users', 'admin:settings', 'admin:roles']) {
        const token: readonly string[] | undefined = credentials[kind];
        const needed = scope === 'admin:roles' ? ['admin:system', 'admin:users'] : ['admin:system', reaching(scope)];
        const allowed =
          holder !== 'admin:users' &&
          (scope !== 'admin:roles' || holder === 'super-admin') &&
          (token === undefined || needed.every((name) => token.includes(name)));
        const { client } = await caller({ holder, kind, target: 'plain' });
        const { status, text } = await client.post(`${users}/${id}/admin-scopes`, { body: { scope } });
        const wanted = allowed ? 200 : 403;
        if (status !== wanted) faults.push(`${holder}, ${kind}: ${scope}: expected ${wanted}, got ${status} ${text}`);
      }
  t.strictSame(faults, []);
});
