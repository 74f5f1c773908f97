// Runs every audited operation twice: first while the log rejects entries (503, and nothing changes), then while it
// accepts them (the operation succeeds, and its entry exists).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { startTestForge, type TestForge, type TestUser } from '#test/support/forge';
import { stoppableLog } from '#test/support/wrapped-store';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly resource_type: string;
  readonly actor_username: string | null;
}

/** Action → the resource types that docs/api/audit.md lists for it. */
const documented = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../docs/api/audit.md'), 'utf8').matchAll(
      /^\| `([\w.]+)` \| ([^|]+) \|/gm,
    ),
  ].map(([, action = '', about = '']) => [action, [...about.matchAll(/`(\w+):/g)].map(([, type = '']) => type)]),
);

/** Actions that need another plugin or several forges, or that no request causes, with the spec that tests them. */
const elsewhere = new Map([
  ['user.login_blocked_bot', 'test/spec/identity/bots.spec.ts'],
  ['user.login_blocked_account_unknown', 'test/core/identity/password-sign-in.spec.ts'],
  ['user.login_blocked_account_exists', 'test/core/identity/password-sign-in.spec.ts'],
  ['repository.setting_updated', 'test/spec/repositories/settings.spec.ts'],
  ['user.password_reset', 'test/core/identity/administration.spec.ts'],
  ...[...documented.keys()]
    .filter((action) => action.startsWith('oauth_'))
    .map((action) => [action, 'test/spec/oauth-server/audit.spec.ts'] as const),
  ['identity.linked', 'test/core/identity/external-identities.spec.ts'],
  ['identity.unlinked', 'test/core/identity/external-identities.spec.ts'],
  ['ref.deleted', 'nothing deletes a ref that is neither branch nor tag yet'],
]);

const repos = '/api/v1/repos';
const users = '/api/v1/admin/users';
const groups = '/api/v1/admin/user-groups';
const general = '/api/v1/admin/rate-limits/groups/00000000-0000-4000-9000-000000000002/api.expensive';
const override = ({ id }: TestUser): string => `/api/v1/admin/rate-limits/overrides/users/${id}/api.expensive`;
const idOf = (answer: Answer | undefined): string => {
  if (answer === undefined) throw new Error('it was not made');
  return (answer.body as { readonly id: string }).id;
};

type Operation = readonly [action: string, status: number, ask: () => Promise<Answer>];

/** The operations in an order in which each finds the data it needs; `made` has the last answer of each action. */
function operations(
  { anonymous }: TestForge,
  admin: Client,
  alice: TestUser,
  made: ReadonlyMap<string, Answer>,
): readonly Operation[] {
  const login = (username: string, password: string) => () =>
    anonymous.post('/api/v1/auth/login', { body: { username, password } });
  const of = (action: string): string => idOf(made.get(action));
  const setting = (key: string, value: string) => () => admin.put(`/api/v1/admin/settings/${key}`, { body: { value } });
  const code = `${repos}/alice/code`;
  const cookie = (action: string): string =>
    (made.get(action)?.headers.getSetCookie() ?? []).map((line) => line.split(';')[0]).join('; ');
  return [
    ['user.created', 201, () => admin.post(users, { body: account('carol') })],
    ['user.updated', 200, () => admin.patch(`${users}/${of('user.created')}`, { body: { display_name: 'Carol' } })],
    [
      'user.password_set',
      204,
      () => admin.post(`${users}/${of('user.created')}/password`, { body: { password: 'second password' } }),
    ],
    ['user.login', 200, login('carol', 'second password')],
    ['user.login_failed', 401, login('carol', 'a wrong password')],
    ['user.login_failed', 401, login('nobody', 'a wrong password')],
    ['user.logout', 204, () => anonymous.post('/api/v1/auth/logout', { headers: { cookie: cookie('user.login') } })],
    ['user.tokens_revoked', 204, () => admin.post(`${users}/${of('user.created')}/revoke-tokens`)],
    ['user.suspended', 200, () => admin.patch(`${users}/${of('user.created')}`, { body: { status: 'suspended' } })],
    ['user.login_blocked_suspended', 403, login('carol', 'second password')],
    ['user.deleted', 204, () => admin.delete(`${users}/${of('user.created')}`)],
    ['user.password_change_refused', 403, () => password(alice, 'a wrong password', 'another password')],
    ['user.password_changed', 204, () => password(alice, alice.password, 'another password')],
    ['token.created', 201, () => alice.client.post('/api/v1/user/tokens', { body: { name: 'x', scopes: [] } })],
    ['token.revoked', 204, () => alice.client.delete(`/api/v1/user/tokens/${of('token.created')}`)],
    [
      'admin_scope.granted',
      200,
      () => admin.post(`${users}/${alice.id}/admin-scopes`, { body: { scope: 'admin:users' } }),
    ],
    ['admin_scope.revoked', 204, () => admin.delete(`${users}/${alice.id}/admin-scopes/admin:users`)],
    ['user_group.created', 201, () => admin.post(groups, { body: { name: 'Team' } })],
    [
      'user_group.updated',
      200,
      () => admin.patch(`${groups}/${of('user_group.created')}`, { body: { description: 'x' } }),
    ],
    [
      'user_group.member_added',
      201,
      () => admin.post(`${groups}/${of('user_group.created')}/members`, { body: { user_id: alice.id } }),
    ],
    ['user_group.member_removed', 204, () => admin.delete(`${groups}/${of('user_group.created')}/members/${alice.id}`)],
    ['user_group.deleted', 204, () => admin.delete(`${groups}/${of('user_group.created')}`)],
    ['setting.updated', 200, setting('signup.enabled', 'true')],
    [
      'setting.updated',
      200,
      () =>
        admin.post('/api/v1/admin/settings', {
          body: { settings: [{ key: 'signup.require_approval', value: 'true' }] },
        }),
    ],
    ['user.registered', 201, () => anonymous.post('/api/v1/auth/register', { body: account('dave') })],
    ['user.login_blocked_approval', 403, login('dave', 'password of dave')],
    ['user.updated', 200, () => alice.client.patch('/api/v1/user', { body: { email: 'new@example.org' } })],
    ['setting.updated', 200, setting('auth.require_email_verification', 'true')],
    ['user.login_blocked_email_not_verified', 403, login('alice', 'another password')],
    ['setting.updated', 200, setting('auth.require_email_verification', 'false')],
    ['user.login', 200, login('alice', 'another password')],
    ['repository.created', 201, () => alice.client.post(repos, { body: { name: 'old' } })],
    ['repository.renamed', 200, () => alice.client.patch(`${repos}/alice/old`, { body: { name: 'code' } })],
    ['search.reindexed', 202, () => admin.post('/api/v1/admin/search/reindex', { body: { repository: 'alice/code' } })],
    ['repository.visibility_changed', 200, () => alice.client.patch(code, { body: { visibility: 'public' } })],
    ['collaborator.added', 204, () => alice.client.put(`${code}/collaborators/bob`, { body: { role: 'read' } })],
    ['collaborator.updated', 204, () => alice.client.put(`${code}/collaborators/bob`, { body: { role: 'write' } })],
    ['collaborator.removed', 204, () => alice.client.delete(`${code}/collaborators/bob`)],
    [
      'role_template.created',
      201,
      () => alice.client.post(`${code}/role-templates`, { body: { name: 'T', permissions: ['repo.read'] } }),
    ],
    [
      'role_template.updated',
      200,
      () => alice.client.patch(`${code}/role-templates/${of('role_template.created')}`, { body: { name: 'U' } }),
    ],
    ['role_template.deleted', 204, () => alice.client.delete(`${code}/role-templates/${of('role_template.created')}`)],
    ['branch.protected', 200, () => alice.client.put(`${code}/branches/main/protection`, { body: {} })],
    ['branch.unprotected', 204, () => alice.client.delete(`${code}/branches/main/protection`)],
    ['branch.deleted', 204, () => alice.client.delete(`${code}/branches/side`)],
    ['tag.deleted', 204, () => alice.client.delete(`${code}/tags/v1`)],
    [
      'issue_type.created',
      201,
      () =>
        admin.post('/api/v1/admin/issue-types', { body: { name: 'chore', display_name: 'Chore', color: '000000' } }),
    ],
    [
      'issue_type.updated',
      200,
      () => admin.patch(`/api/v1/admin/issue-types/${of('issue_type.created')}`, { body: { color: 'ffffff' } }),
    ],
    ['rate_limit.updated', 200, () => admin.patch(general, { body: { burst: 5 } })],
    ['rate_limit.reset', 200, () => admin.post(`${general}/reset`)],
    ['rate_limit_override.set', 200, () => admin.put(override(alice), { body: { requests_per_window: 5 } })],
    ['rate_limit_override.deleted', 204, () => admin.delete(override(alice))],
    ['issue_type.deleted', 204, () => admin.delete(`/api/v1/admin/issue-types/${of('issue_type.created')}`)],
    ['issue.description_edit_deleted', 204, async () => alice.client.delete(await edited(alice.client, code))],
    ['repository.deleted', 204, () => alice.client.delete(code, { body: { confirmation: 'alice/code' } })],
  ];
}

const account = (username: string) => ({
  username,
  email: `${username}@example.org`,
  password: `password of ${username}`,
});
const password = ({ client }: TestUser, current: string, next: string): Promise<Answer> =>
  client.post('/api/v1/user/password', { body: { current_password: current, new_password: next } });

/** Changes the description of an issue. @returns the path of the new entry in its history. */
async function edited(client: Client, code: string): Promise<string> {
  if ((await client.get(`${code}/issues/1`)).status === 404) {
    const issue_type_id = '00000000-0000-4000-8000-000000000003';
    await client.post(`${code}/issues`, { body: { title: 'One', description: 'a', issue_type_id } });
    await client.patch(`${code}/issues/1`, { body: { description: 'b' } });
  }
  const items = (await client.get(`${code}/issues/1/description-history`)).body as { id: string }[];
  return `${code}/issues/1/description-history/${items[0]?.id ?? ''}`;
}

void t.test('every listed operation adds its entry, and does nothing while the log rejects entries', async (t) => {
  const { audit, stop: stopLog, mend: mendLog } = await stoppableLog();
  const forge = await startTestForge(t, { definitions: [audit] });
  const admin = await forge.administrator();
  const alice = await forge.createUser('alice');
  await forge.createUser('bob');
  const newest = async (): Promise<readonly Entry[]> =>
    ((await admin.get('/api/v1/admin/audit-log?per_page=5')).body as { entries: readonly Entry[] }).entries;
  const made = new Map<string, Answer>();
  const seen = new Set<string>();

  for (const [action, status, ask] of operations(forge, admin, alice, made)) {
    if (action === 'branch.protected') await content(alice.client);
    const [before] = await newest();
    stopLog();
    const refused = await ask();
    mendLog();
    t.match(refused, { status: 503, body: { error_code: 'unavailable', error: /audit/ } }, `${action}: refused`);
    t.equal((await newest())[0]?.id, before?.id, `${action}: no entry if the operation did not happen`);
    const done = await ask();
    t.equal(done.status, status, `${action}: now done: ${done.text}`);
    made.set(action, done);
    const entries = (await newest()).filter(({ id }) => Number(id) > Number(before?.id));
    const entry = entries.find((one) => one.action === action);
    t.ok(entry, `${action}: its entry, among ${entries.map((one) => one.action).join(', ')}`);
    t.ok(
      documented.get(action)?.includes(entry?.resource_type ?? ''),
      `${action}: resource type ${entry?.resource_type}`,
    );
    for (const one of entries) seen.add(one.action);
  }

  await t.test('using a refresh token twice adds an entry', async (t) => {
    const cookie = (answer: Answer) =>
      answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .find((pair) => pair?.startsWith('svc_refresh_token=')) ?? '';
    const refresh = (sent: string) => forge.anonymous.post('/api/v1/auth/refresh', { headers: { cookie: sent } });
    const signedIn = await forge.anonymous.post('/api/v1/auth/login', {
      body: { username: 'bob', password: 'password of bob' },
    });
    const next = cookie(await refresh(cookie(signedIn)));
    stopLog();
    t.equal((await refresh(cookie(signedIn))).status, 503);
    mendLog();
    t.equal((await refresh(cookie(signedIn))).status, 401);
    t.match((await newest())[0], { action: 'session.refresh_token_reused', resource_type: 'session' });
    t.equal((await refresh(next)).status, 401, 'its family has ended');
    seen.add('session.refresh_token_reused');
  });

  await t.test('too many wrong passwords add an entry', async (t) => {
    const wrong = () =>
      forge.anonymous.post('/api/v1/auth/login', { body: { username: 'bob', password: 'wrong one' } });
    for (let attempt = 0; attempt < 10; attempt += 1) t.equal((await wrong()).status, 401);
    t.equal((await wrong()).status, 429);
    t.match((await newest())[0], { action: 'user.login_throttled', resource_type: 'user' });
    seen.add('user.login_throttled');
  });

  await t.test('plugins that are enabled or disabled are each recorded once, at the next start', async (t) => {
    const names = async (client: Client, action: string) =>
      (
        (await client.get(`/api/v1/admin/audit-log?per_page=500&action=${action}`)).body as {
          entries: { resource: string; actor_username: string }[];
        }
      ).entries.map(({ resource, actor_username: actor }) => `${resource} by ${actor}`);
    const first = await names(admin, 'plugin.enabled');
    t.ok(first.includes('plugin:identity by system'));
    t.strictSame(await names(admin, 'plugin.disabled'), []);
    await forge.stop();
    const without = await startTestForge(t, { after: forge, environment: { HEXFORGE_PLUGINS: '-issues' } });
    const client = await without.administrator();
    t.strictSame(await names(client, 'plugin.disabled'), ['plugin:issues by system']);
    await without.stop();
    const again = await startTestForge(t, { after: without });
    const last = await again.administrator();
    t.strictSame(await names(last, 'plugin.enabled'), ['plugin:issues by system', ...first]);
    t.equal((await names(last, 'plugin.disabled')).length, 1);
    seen.add('plugin.enabled').add('plugin.disabled');
  });

  t.strictSame(
    [...documented.keys()].filter((action) => !seen.has(action) && !elsewhere.has(action)),
    [],
    'documented but not tested here',
  );
  t.strictSame(
    [...seen].filter((action) => !documented.has(action) || elsewhere.has(action)),
    [],
    'tested here but not documented',
  );
});

/** Makes a branch `main`, another branch and a tag in alice's repository. */
async function content(client: Client): Promise<void> {
  const code = `${repos}/alice/code`;
  await client.put(`${code}/contents/a`, { body: { message: 'x', content: 'YQ==', branch: 'main' } });
  await client.post(`${code}/branches`, { body: { name: 'side' } });
  await client.post(`${code}/tags`, { body: { name: 'v1' } });
}
