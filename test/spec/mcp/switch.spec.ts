// Tests of the descriptor of a repository's MCP endpoint, and of the switch of a repository.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { startTestForge } from '#test/support/forge';
import { setSetting } from '../oauth-server/flow.ts';
import { endpointOf, makeRepository, message, oauthClient, send } from './wire.ts';

const info = (full: string): string => `/api/v1/repos/${full}/mcp/info`;
const settings = (full: string): string => `/api/v1/repos/${full}/mcp/settings`;
const told = ({ status, body }: Answer): readonly unknown[] => [status, (body as { error_code?: string }).error_code];

void t.test('GET mcp/info: the descriptor', async (t) => {
  const forge = await startTestForge(t);
  const { client } = await forge.createUser('Owner');
  await makeRepository(client, 'Code');
  const descriptor = {
    server_url: `${forge.url}${endpointOf('Owner/Code')}`,
    capabilities: ['repo', 'issues'],
    enabled: true,
    instance_enabled: true,
  };
  const { status, body } = await client.get(info('owner/CODE'));
  const known = new Set(['repo', 'issues', 'search']);
  const { capabilities, ...rest } = body as typeof descriptor;
  const { capabilities: _, ...others } = descriptor;
  t.strictSame([status, rest], [200, others]);
  t.ok(capabilities.length >= 2 && capabilities.every((family) => known.has(family)), capabilities.join());
  await setSetting(forge, 'mcp.enabled', 'false');
  t.match((await client.get(info('owner/code'))).body, { enabled: true, instance_enabled: false });
  t.match((await client.put(settings('owner/code'), { body: { enabled: false } })).body, {
    enabled: false,
    instance_enabled: false,
  });
  await setSetting(forge, 'mcp.enabled', 'true');
  t.match((await client.get(info('owner/code'))).body, { enabled: false, instance_enabled: true });
});

void t.test('GET mcp/info: for callers with a credential who can read the repository', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  const stranger = await forge.createUser('stranger');
  for (const visibility of ['public', 'internal', 'private'] as const)
    await makeRepository(owner.client, visibility, visibility);
  const bound = await oauthClient(forge, owner.client, 'mcp:read', `${forge.url}${endpointOf('owner/public')}`);
  for (const [what, client, expected] of [
    ['anonymous', forge.anonymous, [401, 401, 401]],
    ['stranger', stranger.client, [200, 200, 404]],
    ['owner', owner.client, [200, 200, 200]],
    ['administrator', await forge.administrator(), [200, 200, 200]],
    ['repo:read', await forge.pat(owner.client, ['repo:read']), [200, 200, 200]],
    ['mcp:read', await forge.pat(owner.client, ['mcp:read']), [403, 403, 403]],
    ['a token of the endpoint', bound, [403, 403, 403]],
  ] as const)
    for (const [index, name] of ['public', 'internal', 'private'].entries())
      t.equal((await client.get(info(`owner/${name}`))).status, expected[index], `${what}: ${name}`);
  t.equal((await owner.client.get(info('owner/none'))).status, 404);
});

void t.test('PUT mcp/settings: for administrators of the repository; 404 for everybody else', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code', 'public');
  const body = { enabled: true };
  const put = (client: typeof owner.client) => client.put(settings('owner/code'), { body });
  for (const role of ['read', 'triage', 'write', 'maintain', 'admin'] as const) {
    const { username, client } = await forge.createUser(`person-${role}`);
    await owner.client.put(`/api/v1/repos/owner/code/collaborators/${username}`, { body: { role } });
    t.equal((await put(client)).status, role === 'admin' ? 200 : 404, role);
  }
  const stranger = await forge.createUser('stranger');
  t.strictSame(told(await put(stranger.client)), [404, 'not_found']);
  t.strictSame(told(await put(forge.anonymous)), [401, 'unauthorized']);
  t.equal((await put(await forge.administrator())).status, 200);
  t.strictSame(told(await put(await forge.pat(owner.client, ['repo:write', 'mcp:write']))), [
    403,
    'insufficient_scope',
  ]);
  t.equal((await put(await forge.pat(owner.client, ['repo:admin']))).status, 200);
  t.equal((await owner.client.put(settings('owner/none'), { body })).status, 404);
});

void t.test('PUT mcp/settings: the body', async (t) => {
  const forge = await sharedForge(t);
  const { client } = await forge.createUser('owner');
  await makeRepository(client, 'code');
  for (const [body, code] of [
    [{}, 'validation_failed'],
    [{ enabled: 'true' }, 'validation_failed'],
    [{ enabled: null }, 'validation_failed'],
    [{ enabled: 1 }, 'validation_failed'],
    [{ enabled: true, more: 1 }, 'unknown_field'],
    [[], 'validation_failed'],
  ] as const)
    t.strictSame(told(await client.put(settings('owner/code'), { body })), [400, code], JSON.stringify(body));
  const big = await client.put(settings('owner/code'), { body: { enabled: 'x'.repeat(1024 ** 2) } });
  t.strictSame(told(big), [413, 'payload_too_large']);
  const plain = { raw: '{"enabled":true}', headers: { 'content-type': 'text/plain' } };
  t.strictSame(told(await client.put(settings('owner/code'), plain)), [415, 'unsupported_media_type']);
});

void t.test('PUT mcp/settings: leaves an audit entry for each change, and takes effect at once', async (t) => {
  const forge = await startTestForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code');
  const admin = await forge.administrator();
  for (const enabled of [true, false, false, true])
    await owner.client.put(settings('owner/code'), { body: { enabled } });
  const { body } = await admin.get('/api/v1/admin/audit-log?action=repository.setting_updated');
  const { id } = (await owner.client.get('/api/v1/repos/owner/code')).body as { id: string };
  const { entries } = body as { readonly entries: readonly object[] };
  t.match(entries, [
    { actor_username: 'owner', resource: `repository:${id}`, details: { key: 'mcp.enabled', from: false, to: true } },
    { details: { key: 'mcp.enabled', from: true, to: false } },
  ]);
  t.equal(entries.length, 2, 'setting the current value writes nothing');
  const general = await owner.client.get('/api/v1/repos/owner/code/settings');
  t.match(general.body, [{ key: 'mcp.enabled', value: 'true', type: 'boolean', default: 'true' }]);
  await owner.client.post('/api/v1/repos/owner/code/settings', {
    body: { settings: [{ key: 'mcp.enabled', value: 'false' }] },
  });
  t.equal((await send(owner.client, 'owner/code', message('ping'))).status, 503, 'the same switch');
});
