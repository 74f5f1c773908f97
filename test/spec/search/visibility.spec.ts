// The hits and totals of each section for each caller and token; a change of access counts at once.
import t, { type Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';
import { makeApp, tokensFor } from '../oauth-server/flow.ts';
import {
  ask,
  checkout,
  empty,
  eventually,
  expect,
  filesOf,
  issue,
  mergeRequest,
  people,
  repos,
  search,
  setDocs,
  type Sections,
  type World,
} from './world.ts';

const types = 'code,symbols,issues,mrs,docs';
const sections = ['code', 'symbols', 'issues', 'mrs', 'docs'] as const;
const visibilities = ['public', 'internal', 'private'] as const;
const all = [...visibilities];

/** One repository of each visibility, each with one match in each section. */
async function three(t: Test): Promise<World & { readonly seen: (client: Client) => Promise<object> }> {
  const world = await people(t, await sharedForge(t));
  const { forge, alice } = world;
  t.teardown(() => setDocs(forge, ''));
  for (const visibility of visibilities) {
    const { push } = await checkout(t, world, visibility, { visibility });
    await push({ 'walrus.ts': 'export const walrus = 1;\n', 'README.md': '# Guide\n\nA walrus\n' });
    await issue(alice, `alice/${visibility}`, 'A walrus');
    await mergeRequest(alice, `alice/${visibility}`, 'topic', 'A walrus');
  }
  await setDocs(forge, all.map((name) => `alice/${name}`).join(', '));
  const ready = await eventually(
    () => search(alice, 'walrus', { types }),
    (found) => sections.map((name) => found[name].total).join() === '6,3,3,3,3',
  );
  t.ok(ready);
  return { ...world, seen: async (client) => seenIn(await search(client, 'walrus', { types })) };
}

/** The names of the repositories of each section. Fails if a total counts anything else. */
function seenIn(found: Sections): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    sections.map((name) => {
      const { total, hits } = found[name];
      const own = hits.map(({ source }) => source['repo_name']).toSorted();
      if (own.length !== total) throw new Error(`${name}: ${total} counted, ${own.length} hits`);
      return [name, name === 'code' ? own.filter((_, at) => at % 2 === 0) : own];
    }),
  );
}

/** These repositories in each section. */
const each = (...names: readonly string[]): object =>
  Object.fromEntries(sections.map((name) => [name, names.toSorted()]));

void t.test('by visibility of the repository and kind of caller', async (t) => {
  const { forge, alice, bob, users, seen } = await three(t);
  const carol = await forge.createUser('carol');
  const admin = await forge.administrator();
  const collaborate = async (name: string, role: string): Promise<Answer> =>
    expect(await alice.put(`${repos}/alice/private/collaborators/${name}`, { body: { role } }), 204);
  await collaborate('carol', 'read');

  await t.test('each section is filtered, and its total', async (t) => {
    t.strictSame(await seen(bob), each('public', 'internal'), 'a stranger');
    t.strictSame(await seen(carol.client), each(...all), 'a collaborator');
    t.strictSame(await seen(alice), each(...all), 'the owner');
    t.strictSame(await seen(admin), each(...all), 'an administrator of the instance');
    isError(t, await ask(forge.anonymous, 'walrus'), 401, 'unauthorized', 'no credential');
  });

  await t.test('repo: and path: do not widen what a stranger finds', async (t) => {
    for (const q of ['walrus repo:alice/private', 'walrus repo:ALICE/Private path:walrus'])
      t.strictSame(seenIn(await search(bob, q, { types })), each(), q);
    t.strictSame((await search(alice, 'walrus repo:alice/private')).issues.total, 1);
  });

  await t.test('a collaborator who is added or removed counts at once', async (t) => {
    await collaborate('bob', 'read');
    t.strictSame(await seen(bob), each(...all));
    expect(await alice.delete(`${repos}/alice/private/collaborators/bob`), 204);
    t.strictSame(await seen(bob), each('public', 'internal'));
  });

  await t.test('a changed visibility counts at once', async (t) => {
    const become = async (name: string, visibility: string): Promise<Answer> =>
      expect(await alice.patch(`${repos}/alice/${name}`, { body: { visibility } }), 200);
    await become('private', 'internal');
    t.strictSame(await seen(bob), each(...all));
    await become('private', 'private');
    await become('public', 'private');
    t.strictSame(await seen(bob), each('internal'));
    await become('public', 'public');
    t.strictSame(await seen(bob), each('public', 'internal'));
  });

  await t.test('a suspended user is 401, and is filtered as before when the suspension ends', async (t) => {
    const status = async (to: string): Promise<Answer> =>
      expect(await admin.patch(`/api/v1/admin/users/${users.bob.id}`, { body: { status: to } }), 200);
    await status('suspended');
    isError(t, await ask(bob, 'walrus'), 401, 'unauthorized', 'no credential');
    await status('active');
    t.strictSame(await seen(await forge.signIn('bob', 'password of bob')), each('public', 'internal'));
  });

  await t.test(
    'a deleted repository is gone from all sections at once, and a new one of its name is empty',
    async (t) => {
      expect(await alice.delete(`${repos}/alice/private`, { body: { confirmation: 'alice/private' } }), 204);
      for (const client of [alice, admin, carol.client]) t.strictSame(await seen(client), each('public', 'internal'));
      expect(await alice.post(repos, { body: { name: 'private', visibility: 'public' } }), 201);
      t.strictSame(await seen(alice), each('public', 'internal'));
    },
  );
});

void t.test('by scope of the token', async (t) => {
  const { forge, alice, bob, seen } = await three(t);
  const issuesAlone = { ...each(), issues: all.toSorted() };
  const withoutIssues = { ...each(...all), issues: [] };
  const oauth = async (scope: string, resource?: string): Promise<Client> => {
    const app = await makeApp(alice, { scopes: ['read:user', 'read:repo', 'write:repo', 'read:issue', 'mcp:read'] });
    return forge.as((await tokensFor(forge, alice, app, { scope, resource })).access_token);
  };

  await t.test('personal access tokens', async (t) => {
    const token = async (...scopes: readonly string[]): Promise<Client> => forge.pat(alice, scopes);
    t.strictSame(await seen(await token('repo:read')), withoutIssues);
    t.strictSame(await seen(await token('repo:admin')), withoutIssues, 'a wider scope includes it');
    t.strictSame(await seen(await token('issue:read')), issuesAlone);
    t.strictSame(await seen(await token('repo:read', 'issue:write')), each(...all));
    t.strictSame(await seen(await forge.pat(bob, ['repo:read', 'issue:read'])), each('public', 'internal'));
    const neither = await ask(await token('ci:read', 'mcp:read'), 'walrus');
    isError(t, neither, 403, 'insufficient_scope', 'no scope');
    t.match(neither.headers.get('www-authenticate'), /^Bearer error="insufficient_scope", scope="repo:read"/);
  });

  await t.test('OAuth2 tokens', async (t) => {
    t.strictSame(await seen(await oauth('read:repo')), withoutIssues);
    t.strictSame(await seen(await oauth('write:repo')), withoutIssues);
    t.strictSame(await seen(await oauth('read:issue')), issuesAlone);
    t.strictSame(await seen(await oauth('read:repo read:issue')), each(...all));
    const neither = await ask(await oauth('read:user'), 'walrus');
    isError(t, neither, 403, 'insufficient_scope', 'no scope');
    t.match(neither.headers.get('www-authenticate'), /^Bearer error="insufficient_scope", scope="read:repo"/);
    const bound = await oauth('read:repo mcp:read', `${forge.url}/api/v1/mcp/alice/public`);
    isError(t, await ask(bound, 'walrus'), 403, 'invalid_audience', 'bound');
  });

  await t.test('the deprecated operations need repo:read for what they find', async (t) => {
    const token = await forge.pat(alice, ['issue:read']);
    t.strictSame((await token.get('/api/v1/search/code?q=walrus')).body, empty);
    t.strictSame((await token.get('/api/v1/search/suggest?q=walrus')).body, { suggestions: [] });
    const neither = await forge.pat(alice, ['ci:read']);
    for (const path of ['code', 'suggest'])
      isError(t, await neither.get(`/api/v1/search/${path}?q=walrus`), 403, 'insufficient_scope', path);
  });

  await t.test('a section out of scope that is named is empty', async (t) => {
    const token = await forge.pat(alice, ['issue:read']);
    t.strictSame((await search(token, 'walrus', { types: 'code,docs' })).code, empty);
    t.strictSame(Object.keys(await search(token, 'walrus', { types: 'code' })), [...sections]);
  });
});

void t.test('a fork is found by its own visibility, and stays when its source is deleted', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { alice, bob } = world;
  const { push } = await checkout(t, world, 'source', { visibility: 'internal' });
  await push({ 'otter.txt': 'an otter\n' });
  expect(await bob.post(`${repos}/alice/source/forks`, { body: {} }), 201);
  await filesOf(bob, 'otter', 'otter.txt', 'otter.txt');
  expect(await bob.patch(`${repos}/bob/source`, { body: { visibility: 'private' } }), 200);
  t.equal((await search(alice, 'otter')).code.total, 1);
  expect(await alice.delete(`${repos}/alice/source`, { body: { confirmation: 'alice/source' } }), 204);
  t.strictSame(
    [(await search(alice, 'otter')).code.total, (await search(bob, 'otter')).code.hits[0]?.source['repo_owner']],
    [0, 'bob'],
  );
});
