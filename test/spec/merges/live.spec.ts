// Tests of live updates of merge requests: the messages, who may follow, and how lost access closes the connection.
import t, { type Test } from 'tap';
import { follow, followed, LiveClient, notFollowed, type LiveOptions } from '#test/support/clients/live-client';
import { remote, stockGit } from '#test/support/servers/stock-git';
import { commit, expect, repos, workshop, type Workshop } from './workshop.ts';

const protocols = (token: string): LiveOptions => ({ protocols: ['bearer', token] });

/** `/api/v1/repos/alice/code` → `/ws/repos/alice/code/merges/1`. */
const live = (repository: string, number: number | string = 1, segment = 'merges'): string =>
  `/ws${repository.slice('/api/v1'.length)}/${segment}/${number}`;

const typesOf = ({ told }: LiveClient): readonly string[] => told.map(({ type }) => type);

void t.test('changes of a request are sent on both paths, each change once', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const code = await repository('code');
  const { head_sha: _head, ...request } = await open(code);
  await open(await repository('other'));
  const clients = [
    await followed(forge.url, live(code)),
    await followed(forge.url, live(code, 1, 'pulls')),
    await followed(forge.url, live(code), protocols((await forge.pat(bob.client, ['repo:read'])).token)),
  ];
  const other = await followed(forge.url, live(`${repos}/alice/other`));
  const at = `${code}/merges/${request.number}`;
  const change = async (body: object): Promise<void> => void expect(await alice.client.patch(at, { body }), 200);

  await change({ title: 'Another title', draft: true });
  await change({ title: 'Another title' });
  const moved = await commit(alice.client, code, 'topic', 'pushed.txt');
  await Promise.all(clients.map((client) => client.until(2)));
  await change({ draft: false, assignee_ids: [bob.id] });
  await change({ state: 'closed' });
  await change({ state: 'open' });
  await Promise.all(clients.map((client) => client.until(5)));
  const git = await stockGit(t);
  await git.git('init', '--quiet', '.');
  const url = remote(forge.url, 'alice/code', alice);
  await git.git('fetch', '--quiet', url, 'topic');
  await git.git('push', '--quiet', url, 'FETCH_HEAD:refs/heads/main');
  await Promise.all(clients.map((client) => client.until(6)));
  await forge.forge.drained();

  const facts = { number: 1, source_branch: 'topic', target_branch: 'main', actor_id: alice.id };
  const [first] = clients;
  const before = first?.told[0]?.data['head'];
  const data = [
    { changed: ['title', 'draft'], head: before },
    { changed: ['head'], head: moved, old_head: before },
    { changed: ['draft', 'assignee_ids'], head: moved },
    { head: moved },
    { changed: ['state'], head: moved },
    { merge_commit: moved, head: moved },
  ];
  for (const client of clients) {
    t.strictSame(typesOf(client), ['mr.updated', 'mr.updated', 'mr.updated', 'mr.closed', 'mr.updated', 'mr.merged']);
    t.strictSame(
      client.told.map((message) => message.data),
      data.map((more) => ({ ...facts, ...more })),
    );
    for (const message of client.told) {
      t.strictSame(Object.keys(message), ['type', 'data', 'at']);
      t.match(message.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  }
  t.strictSame(other.told, [], 'changes of another request are not sent');
});

void t.test('comments, reviews and the merge are sent', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const code = await repository('code');
  await open(code);
  expect(await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'write' } }), 204);
  const client = await followed(forge.url, live(code));
  const at = `${code}/merges/1`;
  const made = expect(await bob.client.post(`${at}/comments`, { body: { body: 'Why?' } }), 201);
  const { id: comment_id } = made.body as { readonly id: string };
  expect(await bob.client.patch(`${at}/comments/${comment_id}`, { body: { body: 'Why not?' } }), 200);
  expect(await bob.client.delete(`${at}/comments/${comment_id}`), 204);
  const review = expect(await bob.client.post(`${at}/reviews`, { body: { state: 'approved' } }), 201);
  expect(await alice.client.post(`${at}/merge`, { body: { strategy: 'merge' } }), 200);
  const told = await client.until(5);
  await forge.forge.drained();
  const head = told[0]?.data['head'];
  const merge_commit = told[4]?.data['merge_commit'];
  t.match(head, /^[0-9a-f]{40}$/);
  t.match(merge_commit, /^[0-9a-f]{40}$/);
  const facts = { number: 1, source_branch: 'topic', target_branch: 'main', head };
  t.strictSame(
    told.map(({ type, data }) => [type, data]),
    [
      ['comment.created', { ...facts, comment_id, actor_id: bob.id }],
      ['comment.updated', { ...facts, comment_id, actor_id: bob.id }],
      ['comment.deleted', { ...facts, comment_id, actor_id: bob.id }],
      [
        'review.submitted',
        {
          ...facts,
          review_id: (review.body as { readonly id: string }).id,
          user_id: bob.id,
          state: 'approved',
          actor_id: bob.id,
        },
      ],
      ['mr.merged', { ...facts, merge_commit, actor_id: alice.id }],
    ],
  );
});

void t.test('followers need permission to read the repository, and the scope to read it', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const [eve] = [await forge.createUser('eve')];
  const sign = async (user: { readonly username: string; readonly password: string }): Promise<string> =>
    (await forge.signIn(user.username, user.password)).token;
  const [aliceToken, bobToken, eveToken] = [await sign(alice), await sign(bob), await sign(eve)];
  const paths: Record<string, string> = {};
  for (const visibility of ['public', 'internal', 'private']) {
    const path = await repository(visibility, visibility);
    await open(path);
    expect(await alice.client.put(`${path}/collaborators/bob`, { body: { role: 'read' } }), 204);
    paths[visibility] = path;
  }
  const statusOf = async (path: string, options: LiveOptions): Promise<number> => {
    const answer = await follow(forge.url, path, options);
    if (!(answer instanceof LiveClient)) return answer.status;
    await answer.close();
    return 101;
  };
  const administrator = await forge.signIn(forge.admin.username, forge.admin.password);
  const whom: readonly (readonly [string, LiveOptions, readonly [number, number, number]])[] = [
    ['anonymous', {}, [101, 404, 404]],
    ['an outsider', protocols(eveToken), [101, 101, 404]],
    ['a reader', protocols(bobToken), [101, 101, 101]],
    ['the owner', protocols(aliceToken), [101, 101, 101]],
    ['the owner by header', { headers: { authorization: `Bearer ${aliceToken}` } }, [101, 101, 101]],
    ['an administrator', protocols(administrator.token), [101, 101, 101]],
    ['a token of the owner', protocols((await forge.pat(alice.client, ['repo:read'])).token), [101, 101, 101]],
    [
      'a token whose scope includes reading',
      protocols((await forge.pat(alice.client, ['repo:write'])).token),
      [101, 101, 101],
    ],
    ['a token without the scope', protocols((await forge.pat(alice.client, ['issue:read'])).token), [403, 403, 403]],
    ['a bad token', protocols('svc_pat_nonsense'), [401, 401, 401]],
    [
      'a session cookie, from the same origin',
      { headers: { cookie: `svc_access_token=${aliceToken}`, origin: forge.url } },
      [101, 101, 101],
    ],
    [
      'a session cookie, from another origin',
      { headers: { cookie: `svc_access_token=${aliceToken}`, origin: 'https://evil.example' } },
      [403, 403, 403],
    ],
    [
      'a session cookie, without an Origin header',
      { headers: { cookie: `svc_access_token=${aliceToken}` } },
      [403, 403, 403],
    ],
  ];
  for (const segment of ['merges', 'pulls'])
    for (const [who, options, expected] of whom) {
      const got: number[] = [];
      for (const path of Object.values(paths)) got.push(await statusOf(live(path, 1, segment), options));
      t.strictSame(got, expected, `${who} at ${segment}`);
    }
  const open_ = paths['public'] ?? '';
  t.equal(await statusOf(live(open_, 2), {}), 404, 'an unknown request');
  t.equal(await statusOf(live(open_, 0), {}), 404);
  t.equal(await statusOf(live(open_, '99999999999999999999'), {}), 404);
  t.equal(await statusOf(live(open_, 'one'), {}), 400);
  t.equal(await statusOf(live(`${repos}/alice/none`), {}), 404);
  const hidden = paths['private'] ?? '';
  const [here, missing] = [
    await notFollowed(forge.url, live(hidden), protocols(eveToken)),
    await notFollowed(forge.url, live(hidden, 9), protocols(eveToken)),
  ];
  t.strictSame(here.body, missing.body, 'a hidden request looks like a missing one');
});

/** Ways to take access away from bob, who follows a request of alice's by a token and by a session. */
const losses: Readonly<
  Record<
    string,
    (
      world: Workshop & { readonly code: string; readonly tokenId: string; readonly sessionToken: string },
    ) => Promise<'both' | 'token' | 'session'>
  >
> = {
  async 'the collaborator is removed'({ alice, code }) {
    expect(await alice.client.delete(`${code}/collaborators/bob`), 204);
    return 'both';
  },
  async 'the account is suspended'({ forge, bob }) {
    const by = await forge.administrator();
    expect(await by.patch(`/api/v1/admin/users/${bob.id}`, { body: { is_active: false } }), 200);
    return 'both';
  },
  async 'the token is revoked'({ bob, tokenId }) {
    expect(await bob.client.delete(`/api/v1/user/tokens/${tokenId}`), 204);
    return 'token';
  },
  async 'the session ends'({ forge, sessionToken }) {
    expect(await forge.as(sessionToken).post('/api/v1/auth/logout'), 204);
    return 'session';
  },
  async 'the repository is deleted'({ alice, code }) {
    expect(await alice.client.delete(code, { body: { confirmation: 'alice/code' } }), 204);
    return 'both';
  },
  async 'the repository is renamed'({ alice, code }) {
    expect(await alice.client.patch(code, { body: { name: 'renamed' } }), 200);
    return 'both';
  },
};

for (const [what, lose] of Object.entries(losses))
  void t.test(`lost access closes the connection: ${what}`, async (t: Test) => {
    const world = await workshop(t);
    const { forge, alice, bob, repository, open } = world;
    const code = await repository('code', 'private');
    await open(code);
    expect(await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'read' } }), 204);
    const made = expect(
      await bob.client.post('/api/v1/user/tokens', { body: { name: 'live', scopes: ['repo:read'] } }),
      201,
    ).body as { readonly id: string; readonly token: string };
    const { token: sessionToken } = await forge.signIn(bob.username, bob.password);
    const byToken = await followed(forge.url, live(code), protocols(made.token));
    const bySession = await followed(forge.url, live(code), protocols(sessionToken));
    const { token: own } = await forge.signIn(alice.username, alice.password);
    const ofAlice = await followed(forge.url, live(code), protocols(own));
    const rename = (title: string) => alice.client.patch(`${code}/merges/1`, { body: { title } });
    await rename('one');
    await Promise.all([byToken, bySession, ofAlice].map((client) => client.until(1)));

    const lost = await lose({ ...world, code, tokenId: made.id, sessionToken });
    await rename('two');
    const gone = [...(lost === 'session' ? [] : [byToken]), ...(lost === 'token' ? [] : [bySession])];
    for (const client of gone) {
      t.match(await client.closed, { code: 1008, reason: /access was lost|no longer valid/i });
      t.equal(client.told.length, 1, 'nothing was sent in between');
    }
    if (lost !== 'both') {
      const left = lost === 'token' ? bySession : byToken;
      t.equal((await left.until(2)).length, 2, 'a connection with valid access continues');
    }
  });

void t.test(
  'making a public repository private closes the connections of anonymous followers and outsiders',
  async (t) => {
    const { forge, alice, bob, repository, open } = await workshop(t);
    const code = await repository('code');
    await open(code);
    const anonymous = await followed(forge.url, live(code));
    const outsider = await followed(
      forge.url,
      live(code),
      protocols((await forge.pat(bob.client, ['repo:read'])).token),
    );
    const owner = await followed(
      forge.url,
      live(code),
      protocols((await forge.pat(alice.client, ['repo:read'])).token),
    );
    expect(await alice.client.patch(code, { body: { visibility: 'private' } }), 200);
    expect(await alice.client.patch(`${code}/merges/1`, { body: { title: 'Secret' } }), 200);
    for (const client of [anonymous, outsider]) {
      t.match(await client.closed, { code: 1008 });
      t.strictSame(client.told, []);
    }
    await owner.until(1);
    t.strictSame(typesOf(owner), ['mr.updated']);
  },
);
