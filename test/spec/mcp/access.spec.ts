// Tests of who may use which tool: every tool with every credential on every visibility, and which tools are listed.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { startTestForge, type Teardown, type TestForge } from '#test/support/forge';
import { anyone, definePlugin, reads, shape, superAdmin, tool, word } from 'hexforge/plugin';
import { call, endpointOf, makeRepository, message, namesOf, oauthClient, send, type CallResult } from './wire.ts';

const visibilities = ['public', 'internal', 'private'] as const;

/** A call of each tool that finds something in every repository of this spec. */
const calls: Readonly<Record<string, object>> = {
  repo_info: {},
  list_branches: {},
  list_tags: {},
  list_tree: {},
  read_file: { path: 'a.txt' },
  list_commits: {},
  show_commit: { sha: 'main' },
  get_file_at_two_refs_diff: { path: 'a.txt', base: 'main', head: 'main' },
  list_issues: {},
  read_issue: { number: 1 },
  list_comments: { number: 1 },
  search_issues: { query: 'first' },
};
/** Tools of the search, which needs no repository content. */
const searches: Readonly<Record<string, object>> = { search_code: { query: 'text' }, find_symbol: { name: 'text' } };

async function populated(t: Teardown): Promise<TestForge> {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  for (const visibility of visibilities) {
    await makeRepository(owner.client, visibility, visibility);
    const path = `/api/v1/repos/owner/${visibility}`;
    const issue = { title: 'The first', issue_type_id: '00000000-0000-4000-8000-000000000003' };
    const body = { message: 'Add', content: Buffer.from('text\n').toString('base64') };
    for (const made of [
      await owner.client.put(`${path}/contents/a.txt`, { body }),
      await owner.client.post(`${path}/issues`, { body: issue }),
    ])
      if (made.status >= 300) throw new Error(made.text);
  }
  return forge;
}

/** The statuses with which a credential is let in, by visibility. */
type Expected = readonly [number, number, number];

async function credentialsOf(forge: TestForge): Promise<readonly (readonly [string, Client, Expected])[]> {
  const { username, password } = { username: 'owner', password: 'password of owner' };
  const owner = await forge.signIn(username, password);
  const stranger = await forge.createUser('stranger');
  const reader = await forge.createUser('reader');
  for (const name of visibilities)
    await owner.put(`/api/v1/repos/owner/${name}/collaborators/reader`, { body: { role: 'read' } });
  const admin = await forge.administrator();
  const [pat, scopes] = [(client: Client) => forge.pat(client, ['mcp:read']), ['repo:admin', 'issue:write']];
  return [
    ['anonymous', forge.anonymous, [401, 401, 401]],
    ['an invalid token', forge.as('svc_none'), [401, 401, 401]],
    ['stranger, session', stranger.client, [200, 200, 404]],
    ['stranger, token', await pat(stranger.client), [200, 200, 404]],
    ['reader, session', reader.client, [200, 200, 200]],
    ['reader, token', await pat(reader.client), [200, 200, 200]],
    ['reader, token without mcp:read', await forge.pat(reader.client, scopes), [403, 403, 403]],
    ['owner, session', owner, [200, 200, 200]],
    ['owner, token', await pat(owner), [200, 200, 200]],
    ['administrator, session', admin, [200, 200, 200]],
    ['administrator, token', await pat(admin), [200, 200, 200]],
    ['administrator, token of another scope', await forge.pat(admin, ['admin:system']), [403, 403, 403]],
    [
      'owner, OAuth2 token without an audience',
      await oauthClient(forge, owner, 'mcp:read', undefined),
      [403, 403, 403],
    ],
  ];
}

void t.test('every tool × visibility × credential', async (t) => {
  const forge = await populated(t);
  const admin = await forge.administrator();
  const every = await namesOf(admin, 'owner/public');
  const unknown = every.filter((name) => calls[name] === undefined && searches[name] === undefined);
  t.strictSame(unknown, [], 'this spec calls every tool');
  for (const [who, client, expected] of await credentialsOf(forge)) {
    for (const [index, visibility] of visibilities.entries()) {
      const full = `owner/${visibility}`;
      for (const name of every) {
        const body = message('tools/call', { name, arguments: calls[name] ?? searches[name] });
        const answer = await send(client, full, body);
        const { result } = (answer.body ?? {}) as { readonly result?: CallResult };
        t.equal(answer.status, expected[index], `${who}: ${name} of ${full}`);
        if (answer.status === 200 && calls[name] !== undefined)
          t.equal(result?.isError, undefined, `${who}: ${name} of ${full} succeeds: ${result?.content[0]?.text}`);
      }
      const list = await send(client, full, message('tools/list'));
      t.equal(list.status, expected[index], `${who}: the list of ${full}`);
      if (list.status === 200) t.strictSame(await namesOf(client, full), every, `${who} may use every tool`);
    }
  }
});

void t.test('an OAuth2 token with mcp:read alone may call every tool of its endpoint', async (t) => {
  const forge = await populated(t);
  const owner = await forge.signIn('owner', 'password of owner');
  const client = await oauthClient(forge, owner, 'mcp:read', `${forge.url}${endpointOf('owner/private')}`);
  for (const [name, args] of Object.entries(calls))
    t.equal((await call(client, 'owner/private', name, args)).isError, undefined, name);
  t.equal((await send(client, 'owner/public', message('ping'))).status, 403, 'and none of another');
});

void t.test('access that is lost ends at once', async (t) => {
  const forge = await populated(t);
  const owner = await forge.signIn('owner', 'password of owner');
  const reader = await forge.createUser('reader');
  const collaborator = '/api/v1/repos/owner/private/collaborators/reader';
  await owner.put(collaborator, { body: { role: 'read' } });
  const token = await forge.pat(reader.client, ['mcp:read']);
  t.equal((await call(token, 'owner/private', 'repo_info')).isError, undefined);
  await owner.delete(collaborator);
  t.equal((await send(token, 'owner/private', message('tools/call', { name: 'repo_info' }))).status, 404);
});

void t.test(
  'tools of disabled plugins are neither listed nor known; without plugin mcp nothing is there',
  async (t) => {
    const off = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-issues' } });
    const { client } = await off.createUser('owner');
    await makeRepository(client, 'code');
    const names = await namesOf(client, 'owner/code');
    t.notOk(names.some((name) => /issue|comment/.test(name)));
    t.ok(names.includes('read_file'));
    const answer = await send(client, 'owner/code', message('tools/call', { name: 'list_issues', arguments: {} }));
    t.match(answer.body, { error: { code: -32602, message: /no tool "list_issues"/ } });
    const { body } = await client.get('/api/v1/repos/owner/code/mcp/info');
    t.notOk((body as { capabilities: string[] }).capabilities.includes('issues'));

    const without = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-mcp' } });
    const owner = await without.createUser('owner');
    await makeRepository(owner.client, 'code');
    const missing = await owner.client.get('/api/v1/nothing/here');
    for (const gone of [
      await send(owner.client, 'owner/code', message('ping')),
      await owner.client.get('/api/v1/repos/owner/code/mcp/info'),
    ])
      t.strictSame([gone.status, gone.body], [missing.status, missing.body]);
  },
);

const extra = definePlugin({
  name: 'extra',
  version: '1.0.0',
  api: '^0.2.0',
  tools: () => {
    const common = { output: shape({ said: word() }), run: () => ({ said: 'yes' }) } as const;
    const described = 'A tool of a plugin from outside, which the specs of access call. It says yes to everybody.';
    return [
      tool({ ...common, name: 'needs_issue_scope', description: described, access: anyone, scope: 'issue.read' }),
      tool({ ...common, name: 'needs_mcp_write', description: described, access: anyone, scope: 'mcp.write' }),
      tool({ ...common, name: 'for_administrators', description: described, access: superAdmin, scope: null }),
      tool({
        ...common,
        name: 'for_owners',
        description: described,
        access: reads('repository', 'repo.admin'),
        scope: null,
      }),
      tool({
        ...common,
        name: 'fails',
        description: described,
        access: anyone,
        scope: null,
        run: () => {
          throw new Error('a secret of the server');
        },
      }),
    ];
  },
});

void t.test('tools/list has only what the caller may use, by scope and by access', async (t) => {
  const forge = await startTestForge(t, { definitions: [extra] });
  const owner = await forge.createUser('owner');
  const reader = await forge.createUser('reader');
  await makeRepository(owner.client, 'code', 'public');
  const own = async (client: Client): Promise<readonly string[]> =>
    (await namesOf(client, 'owner/code')).filter((name) => /^(needs|for)_/.test(name));
  const admin = await forge.administrator();
  for (const [what, client, names] of [
    ['a session of the owner', owner.client, ['needs_issue_scope', 'needs_mcp_write', 'for_owners']],
    ['a session of a reader', reader.client, ['needs_issue_scope', 'needs_mcp_write']],
    ['an administrator', admin, ['needs_issue_scope', 'needs_mcp_write', 'for_administrators', 'for_owners']],
    ['mcp:read', await forge.pat(reader.client, ['mcp:read']), []],
    ['mcp:write', await forge.pat(reader.client, ['mcp:write']), ['needs_mcp_write']],
    ['mcp:read, issue:read', await forge.pat(reader.client, ['mcp:read', 'issue:read']), ['needs_issue_scope']],
  ] as const)
    t.strictSame(await own(client), names, what);
  const narrow = await forge.pat(reader.client, ['mcp:read']);
  for (const [name, said] of [
    ['needs_issue_scope', /scope "issue:read"/],
    ['for_administrators', /instance administrators/],
    ['for_owners', /permission "repo.admin"/],
  ] as const) {
    const { isError, content } = await call(narrow, 'owner/code', name);
    t.match([isError, content[0]?.text], [true, said], name);
  }
  const broken = await call(owner.client, 'owner/code', 'fails');
  t.match([broken.isError, broken.content[0]?.text], [true, /request id/]);
  t.notMatch(JSON.stringify(broken), /secret/);
  t.match(forge.output.stderr, /a secret of the server/, 'the log has the reason');
  const { capabilities } = (await owner.client.get('/api/v1/repos/owner/code/mcp/info')).body as {
    readonly capabilities: readonly string[];
  };
  t.strictSame(
    capabilities.filter((family) => family !== 'search'),
    ['repo', 'issues', 'extra'],
  );
});
