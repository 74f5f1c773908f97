// Tests of the gate of the MCP endpoint: order, statuses, codes and challenges.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { startTestForge, type TestForge } from '#test/support/forge';
import { setSetting } from '../oauth-server/flow.ts';
import { endpointOf, makeRepository, message, oauthClient, send } from './wire.ts';

const ping = message('ping');
const full = 'owner/shut';

const told = ({ status, body }: Answer): readonly unknown[] => [
  status,
  (body as { error_code?: string } | undefined)?.error_code,
];

const metadata = (forge: Pick<TestForge, 'url'>, name = full): string =>
  `${forge.url}/.well-known/oauth-protected-resource/api/v1/mcp/${name}`;

void t.test(
  'gate 1: 401 unauthorized without a bearer token, with a challenge that leads to the metadata',
  async (t) => {
    const forge = await sharedForge(t);
    const owner = await forge.createUser('owner');
    await makeRepository(owner.client, 'open', 'public');
    for (const name of ['owner/open', 'owner/shut', 'no/such', 'no/such%22thing']) {
      const answer = await send(forge.anonymous, name, ping);
      t.strictSame(told(answer), [401, 'unauthorized'], name);
      t.equal(
        answer.headers.get('www-authenticate'),
        `Bearer realm="mcp", scope="mcp:read", resource_metadata="${metadata(forge, name)}"`,
      );
      t.type((answer.body as { error: unknown }).error, 'string');
    }
    const found = await forge.anonymous.get(new URL(metadata(forge, 'owner/open')).pathname);
    t.match(found.body, { resource: `${forge.url}${endpointOf('owner/open')}`, authorization_servers: [forge.url] });
  },
);

void t.test('gate 1: an invalid token is 401 with error="invalid_token", before the body is looked at', async (t) => {
  const forge = await sharedForge(t);
  for (const token of ['svc_nothing', 'svc_oat_nothing', 'eyJhbGciOiJub25lIn0.e30.', 'x']) {
    const answer = await forge
      .as(token)
      .post(endpointOf(full), { raw: '{', headers: { 'content-type': 'text/plain' } });
    t.strictSame(told(answer), [401, 'unauthorized'], token);
    t.equal(
      answer.headers.get('www-authenticate'),
      `Bearer realm="mcp", error="invalid_token", scope="mcp:read", resource_metadata="${metadata(forge)}"`,
    );
  }
  const basic = await send(forge.anonymous, full, ping, { authorization: 'Basic !' });
  t.strictSame(told(basic), [401, 'unauthorized']);
});

void t.test('gate 1: a session cookie is not read', async (t) => {
  const forge = await sharedForge(t);
  const { username, password } = await forge.createUser('owner');
  const { token } = await forge.signIn(username, password);
  const answer = await send(forge.anonymous, full, ping, { cookie: `svc_access_token=${token}` });
  t.strictSame(told(answer), [401, 'unauthorized']);
});

void t.test('gate 3: 403 insufficient_scope without mcp:read, with the same challenge', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'shut');
  const resource = `${forge.url}${endpointOf(full)}`;
  for (const [what, client] of [
    ['a personal access token', await forge.pat(owner.client, ['repo:admin', 'issue:write'])],
    ['an OAuth2 token of this endpoint', await oauthClient(forge, owner.client, 'read:repo', resource)],
    ['an OAuth2 token of another endpoint', await oauthClient(forge, owner.client, 'read:repo', `${resource}x`)],
  ] as const) {
    const answer = await send(client, full, ping);
    t.strictSame(told(answer), [403, 'insufficient_scope'], what);
    t.equal(
      answer.headers.get('www-authenticate'),
      `Bearer realm="mcp", error="insufficient_scope", scope="mcp:read", resource_metadata="${metadata(forge)}"`,
    );
    t.strictSame(told(await send(client, 'owner/none', ping)), [403, 'insufficient_scope'], `${what}: before gate 5`);
  }
});

void t.test('gates 3 and 4 let a session pass, and a personal access token with mcp:read or mcp:write', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'shut');
  for (const client of [
    owner.client,
    await forge.pat(owner.client, ['mcp:read']),
    await forge.pat(owner.client, ['mcp:write']),
  ])
    t.match((await send(client, full, ping)).body, { jsonrpc: '2.0', id: 1, result: {} });
});

void t.test('gate 4: 403 invalid_audience for an OAuth2 token that is not bound to this endpoint', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'shut');
  await makeRepository(owner.client, 'other');
  const resource = `${forge.url}${endpointOf(full)}`;
  for (const [what, audience] of [
    ['no audience', undefined],
    ['another repository', `${forge.url}${endpointOf('owner/other')}`],
  ] as const) {
    const client = await oauthClient(forge, owner.client, 'mcp:read', audience);
    const answer = await send(client, full, ping);
    t.strictSame(told(answer), [403, 'invalid_audience'], what);
    t.match(answer.headers.get('www-authenticate'), /error="invalid_token".*resource_metadata=/);
    t.strictSame(told(await send(client, 'owner/none', ping)), [403, 'invalid_audience'], `${what}: before gate 5`);
    t.strictSame(told(await send(client, 'no/such%22', ping)), [403, 'invalid_audience'], `${what}: no legal name`);
  }
  for (const audience of [resource, `${forge.url}${endpointOf('OWNER/Shut')}`]) {
    const client = await oauthClient(forge, owner.client, 'mcp:read', audience);
    t.match((await send(client, full, ping)).body, { result: {} }, audience);
    t.match((await send(client, 'Owner/SHUT', ping)).body, { result: {} }, 'names are compared in any case');
    t.strictSame(told(await client.get(`/api/v1/repos/${full}`)), [403, 'invalid_audience'], 'not for REST');
  }
});

void t.test('gate 5: 404 not_found for a repository that is missing or not readable, never 403', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  const stranger = await forge.createUser('stranger');
  await makeRepository(owner.client, 'shut');
  const bound = await oauthClient(forge, stranger.client, 'mcp:read', `${forge.url}${endpointOf(full)}`);
  for (const client of [stranger.client, await forge.pat(stranger.client, ['mcp:read']), bound]) {
    const hidden = await send(client, full, ping);
    t.strictSame(told(hidden), [404, 'not_found']);
    if (client === bound) continue;
    const missing = await send(client, 'owner/none', ping);
    t.strictSame([missing.status, missing.body], [404, hidden.body], 'the same for one that does not exist');
  }
});

void t.test('gate 6: 503 mcp_disabled_for_repo, before the body is read', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  const stranger = await forge.createUser('stranger');
  await makeRepository(owner.client, 'shut');
  t.equal((await owner.client.put(`/api/v1/repos/${full}/mcp/settings`, { body: { enabled: false } })).status, 200);
  for (const raw of [JSON.stringify(ping), '{', '']) {
    const answer = await owner.client.post(endpointOf(full), { raw, headers: { 'content-type': 'application/json' } });
    t.strictSame(told(answer), [503, 'mcp_disabled_for_repo']);
    t.equal(answer.headers.get('retry-after'), '300');
  }
  t.strictSame(told(await send(stranger.client, full, ping)), [404, 'not_found'], 'gate 5 is first');
  t.equal((await owner.client.put(`/api/v1/repos/${full}/mcp/settings`, { body: { enabled: true } })).status, 200);
  t.match((await send(owner.client, full, ping)).body, { result: {} });
});

void t.test('gate 2: 503 without a code while MCP is switched off for the instance, after gate 1', async (t) => {
  const forge = await startTestForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'shut');
  const scopeless = await forge.pat(owner.client, ['repo:read']);
  const elsewhere = await oauthClient(forge, owner.client, 'mcp:read', `${forge.url}${endpointOf('a/b')}`);
  await setSetting(forge, 'mcp.enabled', 'false');
  for (const client of [owner.client, scopeless, elsewhere]) {
    for (const name of [full, 'owner/none']) {
      const answer = await send(client, name, ping);
      t.strictSame(told(answer), [503, undefined]);
      t.equal(answer.headers.get('retry-after'), '300');
    }
  }
  t.strictSame(told(await send(forge.anonymous, full, ping)), [401, 'unauthorized']);
  t.strictSame(told(await send(forge.as('svc_x'), full, ping)), [401, 'unauthorized']);
  await setSetting(forge, 'mcp.enabled', 'true');
  t.match((await send(owner.client, full, ping)).body, { result: {} });
});

void t.test('the old path of a renamed repository is 404, as in REST', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'shut');
  await owner.client.patch(`/api/v1/repos/${full}`, { body: { name: 'renamed' } });
  const [wire, rest] = [await send(owner.client, full, ping), await owner.client.get(`/api/v1/repos/${full}`)];
  t.strictSame([wire.status, wire.body], [rest.status, rest.body]);
  t.match((await send(owner.client, 'owner/renamed', ping)).body, { result: {} });
});

void t.test('GET and DELETE are 405, with Allow', async (t) => {
  const forge = await sharedForge(t);
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await forge.anonymous.request(method, endpointOf(full));
    t.strictSame([...told(answer), answer.headers.get('allow')], [405, 'method_not_allowed', 'POST, OPTIONS'], method);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', 'readable by pages');
  }
});

void t.test('pages of any origin may call it, without cookies', async (t) => {
  const forge = await sharedForge(t);
  const origin = 'https://inspector.example';
  const preflight = await forge.anonymous.request('OPTIONS', endpointOf(full), {
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  t.equal(preflight.status, 204);
  t.equal(preflight.headers.get('access-control-allow-origin'), '*');
  t.equal(preflight.headers.get('access-control-allow-methods'), 'POST, OPTIONS');
  t.equal(preflight.headers.get('access-control-allow-credentials'), null);
  for (const header of ['Authorization', 'Content-Type', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])
    t.match(preflight.headers.get('access-control-allow-headers'), new RegExp(`\\b${header}\\b`));
  const refused = await send(forge.anonymous, full, ping, { origin });
  t.equal(refused.headers.get('access-control-allow-origin'), '*');
  t.match(refused.headers.get('access-control-expose-headers'), /WWW-Authenticate/);
});
