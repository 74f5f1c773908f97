// A private thing answers as a missing one: every operation of the OpenAPI document whose path names a thing, as
// every kind of caller who may not know of it. SECURITY.md has the one exception.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import type { Operation } from '#test/support/clients/openapi';
import { entryOf, fill, nobody, readsOwnCredentials } from '#test/support/clients/walk';
import { toWalk } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import type { TestForge } from '#test/support/forge';
import { makeApp, tokensFor } from '../../oauth-server/flow.ts';
import { oauthScopes, patScopes } from '../../oauth-server/scope-table.ts';

/** The repositories of the user `keeper`: private, internal, and one that does not exist. The names have one length. */
const hidden = { private: 'secret', internal: 'intern', missing: 'absent' } as const;
/** A repository of the outsider. */
const own = 'shared';

/** Opening, changing and merging a merge request: 403 for a private repository, 404 for a missing one. */
const exceptions = ['mergeOpen', 'mergeUpdate', 'mergeMerge'];

const made = (answer: Answer): { readonly id: string } => {
  if (answer.status !== 201 && answer.status !== 200) throw new Error(`it answered ${answer.status}: ${answer.text}`);
  return answer.body as { readonly id: string };
};

/** A built-in type. */
const type = { issue_type_id: '00000000-0000-4000-8000-000000000001' } as const;

/** Makes one of each thing that a repository has. @returns the first folder of a path → its id. */
async function furnish(owner: Client, path: string) {
  const put = async (at: string, body: object) => made(await owner.put(`${path}/${at}`, { body }));
  const post = async (at: string, body: object) => made(await owner.post(`${path}/${at}`, { body }));
  await put('contents/README.md', { message: 'x', content: '', branch: 'main' });
  await post('branches', { name: 'topic' });
  await put('contents/a', { message: 'x', content: '', branch: 'topic' });
  await post('tags', { name: 'v1' });
  for (const title of ['one', 'two']) await post('issues', { title, description: title, ...type });
  await owner.patch(`${path}/issues/1`, { body: { description: 'changed' } });
  await post('merges', { title: 'x', source_branch: 'topic', target_branch: 'main' });
  const history = (await owner.get(`${path}/issues/1/description-history`)).body as readonly { readonly id: string }[];
  return {
    labels: (await post('labels', { name: 'bug', color: '112233' })).id,
    milestones: (await post('milestones', { title: 'first' })).id,
    components: (await post('components', { name: 'core' })).id,
    versions: (await post('versions', { name: '1' })).id,
    'role-templates': (await post('role-templates', { name: 'helper', permissions: ['repo.read'] })).id,
    'issues/1/comments': (await post('issues/1/comments', { body: 'x' })).id,
    'issues/1/links': (await post('issues/1/links', { type: 'blocks', target_number: 2 })).id,
    'issues/1/description-history': history[0]?.id ?? '',
    'merges/1/comments': (await post('merges/1/comments', { body: 'x' })).id,
  } as const;
}
type Things = Awaited<ReturnType<typeof furnish>>;

async function callersOf(forge: TestForge, session: Client): Promise<Readonly<Record<string, Client>>> {
  const app = await makeApp(session, { scopes: oauthScopes });
  const token = async (scope: string) => forge.as((await tokensFor(forge, session, app, { scope })).access_token);
  return {
    anonymous: forge.anonymous,
    session,
    'a personal access token': await forge.pat(session, patScopes),
    'a personal access token of another scope': await forge.pat(session, ['mcp:read']),
    'an OAuth2 token': await token(oauthScopes.join(' ')),
    'an OAuth2 token of another scope': await token('email'),
  };
}

/** The parts of an answer that a caller sees. @param names the parts that they sent. */
function seen({ status, headers, text }: Answer, ...names: readonly string[]): string {
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  let all = JSON.stringify([status, shown, text]);
  for (const name of names) all = all.replaceAll(name, 'NAME');
  return all;
}

const values = {
  owner: 'keeper',
  number: '1',
  path: 'README.md',
  rest: 'main',
  ref: 'main',
  branch: 'topic',
  tag: 'v1',
};

/** The id that the last parameter of a path names. */
const thingIn = (path: string, things: Things): string | undefined => {
  const [, place = ''] = /\{repo\}\/(.+)\/\{c?id\}/.exec(path.replace('{number}', '1')) ?? [];
  return place in things ? things[place as keyof Things] : undefined;
};

async function world(forge: TestForge) {
  const keeper = await forge.createUser('keeper');
  const outsider = await forge.createUser('outsider');
  const create = async (client: Client, name: string, visibility: string) =>
    made(await client.post('/api/v1/repos', { body: { name, visibility } }));
  await create(keeper.client, hidden.private, 'private');
  await create(keeper.client, hidden.internal, 'internal');
  await create(outsider.client, own, 'public');
  const things = await furnish(keeper.client, `/api/v1/repos/keeper/${hidden.private}`);
  await furnish(outsider.client, `/api/v1/repos/outsider/${own}`);
  return { keeper, outsider, things };
}

void t.test('private things answer as missing ones', { timeout: 120_000 }, async (t) => {
  const forge = await sharedForge(t);
  const { keeper, outsider, things } = await world(forge);
  const callers = await callersOf(forge, outsider.client);
  const all = forge.contract.operations.filter(
    (operation) => operation.path.includes('{') && !readsOwnCredentials(operation),
  );
  const body = ({ method, path }: Operation): object =>
    method === 'GET' || method === 'DELETE'
      ? {}
      : {
          body: path.includes('comments')
            ? { body: 'x' }
            : path.includes('milestones')
              ? { title: 'x' }
              : { name: 'x' },
        };

  await t.test('a repository', async (t) => {
    const faults: string[] = [];
    const repositories = all.filter(({ path }) => path.includes('{repo}'));
    t.ok(repositories.length > 80);
    // In `npm test` tokens request the first operation of each rule.
    const withTokens = toWalk(repositories, (operation) => [
      entryOf(operation)['x-access'],
      entryOf(operation)['x-scope'],
    ]);
    for (const operation of repositories)
      for (const [who, client] of Object.entries(callers)) {
        if (!withTokens.includes(operation) && !['anonymous', 'session'].includes(who)) continue;
        const id = thingIn(operation.path, things) ?? nobody;
        const ask = async (repo: string) => {
          const path = fill(operation.path, { ...values, repo, id, cid: id, user: 'keeper' });
          const answer = await client.request(operation.method, path, body(operation));
          return { status: answer.status, seen: seen(answer, repo) };
        };
        const missing = await ask(hidden.missing);
        for (const kind of who === 'anonymous' ? (['private', 'internal'] as const) : (['private'] as const)) {
          const found = await ask(hidden[kind]);
          const excepted = exceptions.includes(operation.id) && missing.status === 404 && found.status === 403;
          if (!excepted && found.seen !== missing.seen)
            faults.push(`${operation.id}, ${who}, ${kind}: ${found.seen}, missing: ${missing.seen}`);
        }
      }
    for (const service of ['git-upload-pack', 'git-receive-pack'])
      for (const [who, client] of Object.entries(callers)) {
        const ask = async (repo: string) =>
          seen(await client.get(`/keeper/${repo}.git/info/refs?service=${service}`), repo);
        const missing = await ask(hidden.missing);
        if ((await ask(hidden.private)) !== missing) faults.push(`${service}, ${who}: missing: ${missing}`);
      }
    t.strictSame(faults, []);
  });

  await t.test('a thing of another repository, by its id', async (t) => {
    const faults: string[] = [];
    let asked = 0;
    for (const operation of all) {
      const private_ = thingIn(operation.path, things);
      if (private_ === undefined) continue;
      asked += 1;
      const ask = async (id: string) => {
        const path = fill(operation.path, { ...values, owner: 'outsider', repo: own, id, cid: id });
        return seen(await outsider.client.request(operation.method, path, body(operation)), id);
      };
      const [found, missing] = [await ask(private_), await ask(nobody)];
      if (found !== missing || !missing.startsWith('[404'))
        faults.push(`${operation.id}: ${found}, missing: ${missing}`);
    }
    t.ok(asked > 15);
    t.strictSame(faults, []);
  });

  await t.test('a thing of another user, by its id', async (t) => {
    const token = made(await keeper.client.post('/api/v1/user/tokens', { body: { name: 'x', scopes: [] } }));
    const app = await makeApp(keeper.client);
    await tokensFor(forge, keeper.client, app);
    const ids: Readonly<Record<string, string>> = {
      '/api/v1/user/tokens/{id}': token.id,
      '/api/v1/user/oauth2/apps/{id}': app.id,
      '/api/v1/user/oauth2/grants/{client_id}': app.clientId,
      '/api/v1/admin/users/{uid}': keeper.id,
      '/api/v1/admin/oauth2/apps/{id}': app.id,
    };
    const faults: string[] = [];
    for (const operation of all) {
      const [, id] = Object.entries(ids).find(([path]) => operation.path.startsWith(path)) ?? [];
      if (id === undefined) continue;
      for (const [who, client] of Object.entries(callers)) {
        const ask = async (of: string) => {
          const path = fill(operation.path, { id: of, uid: of, client_id: of, scope: 'admin:users' });
          return seen(await client.request(operation.method, path, body(operation)), of);
        };
        const [found, missing] = [await ask(id), await ask(nobody)];
        if (found !== missing) faults.push(`${operation.id}, ${who}: ${found}, missing: ${missing}`);
      }
    }
    t.strictSame(faults, []);
  });

  await t.test('a thing that a body names', async (t) => {
    const repository = `/api/v1/repos/outsider/${own}`;
    const faults: string[] = [];
    const compare = async (what: string, ask: (name: string) => Promise<Answer>, private_: string, absent: string) => {
      const [found, missing] = [seen(await ask(private_), private_), seen(await ask(absent), absent)];
      if (found !== missing || missing.startsWith('[2')) faults.push(`${what}: ${found}, missing: ${missing}`);
    };
    const bodies: Readonly<Record<string, readonly [keyof Things, (id: string) => object]>> = {
      label_ids: ['labels', (id) => ({ label_ids: [id] })],
      milestone_id: ['milestones', (id) => ({ milestone_id: id })],
      component_ids: ['components', (id) => ({ component_ids: [id] })],
      fix_version_ids: ['versions', (id) => ({ fix_version_ids: [id] })],
      affects_version_ids: ['versions', (id) => ({ affects_version_ids: [id] })],
    };
    const merge = { title: 'x', source_branch: 'main', target_branch: 'topic' };
    for (const [name, [of, make]] of Object.entries(bodies)) {
      const { client } = outsider;
      const create = (id: string) =>
        client.post(`${repository}/issues`, { body: { title: 'x', ...type, ...make(id) } });
      await compare(`issueCreate ${name}`, create, things[of], nobody);
      const change = (id: string) => client.patch(`${repository}/issues/1`, { body: make(id) });
      await compare(`issueUpdate ${name}`, change, things[of], nobody);
      if (of !== 'labels' && of !== 'milestones') continue;
      const open = (id: string) => client.post(`${repository}/merges`, { body: { ...merge, ...make(id) } });
      await compare(`mergeOpen ${name}`, open, things[of], nobody);
      const edit = (id: string) => client.patch(`${repository}/merges/1`, { body: make(id) });
      await compare(`mergeUpdate ${name}`, edit, things[of], nobody);
    }
    const role = (id: string) =>
      outsider.client.put(`${repository}/collaborators/keeper`, { body: { role_template_id: id } });
    await compare('collaboratorPut role_template_id', role, things['role-templates'], nobody);

    // The keeper has a private fork of the outsider's repository, and another user has none.
    await forge.createUser('nobody');
    const fork = await keeper.client.post(`${repository}/forks`, { body: {} });
    const forked = made(fork) as unknown as { readonly owner: string; readonly name: string };
    const path = `/api/v1/repos/keeper/${forked.name}`;
    const counts = async () => [
      ((await outsider.client.get(repository)).body as { readonly forks_count?: number }).forks_count,
      (await outsider.client.get(`${repository}/forks`)).text,
    ];
    await keeper.client.patch(path, { body: { visibility: 'private' } });
    const withFork = await counts();
    const from = (owner: string) =>
      outsider.client.post(`${repository}/merges`, { body: { ...merge, source_branch: `${owner}:main` } });
    await compare('mergeOpen source_branch', from, 'keeper', 'nobody');
    const resource = (name: string) =>
      outsider.client.get(
        `/api/v1/oauth2/authorize?resource=${encodeURIComponent(`${forge.url}/api/v1/mcp/keeper/${name}`)}`,
      );
    await compare('resource', resource, hidden.private, hidden.missing);
    t.strictSame(faults, []);
    await keeper.client.delete(path, { body: { confirmation: `keeper/${forked.name}` } });
    t.strictSame(withFork, await counts(), 'a private fork is neither listed nor counted');
  });

  await t.test('lists of the instance do not depend on private repositories', async (t) => {
    for (const [who, client] of Object.entries(callers)) {
      const ask = async (owner: string) =>
        seen(await client.get(`/api/v1/repos?owner=${owner}`), owner, hidden.internal);
      if (who === 'anonymous') t.equal(await ask('keeper'), await ask('nobody'), who);
      const { text } = await client.get('/api/v1/repos');
      t.notMatch(text, hidden.private, who);
    }
  });
});
