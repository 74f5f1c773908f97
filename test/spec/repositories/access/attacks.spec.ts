// Tests of attacks on private repositories and git, numbered by a list of attacks that other forges suffered. Each test
// covers what no other suite does.
// Not covered here: 28 and 29 (issues, merge requests) and 31 (LFS); the part of 24 about artifacts, attestations and
// MCP; of 25 about labels, comments, milestones and pipelines; of 26 about search; of 27 about notifications, feeds,
// e-mails, WebSocket and SSE; of 40 about the source branch of a merge request.
// Tested elsewhere: 33 in test/adapters/git-native/adapter.spec.ts, because no client can observe it; 39 in
// test/contracts/git/hang-ups.ts; endless ref updates of 37 in test/contracts/git/pushes.ts.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { thorough } from '#test/support/marks';
import { remote, stockGit } from '#test/support/servers/stock-git';
import { give, make, must, reading, repos, world } from './attack-world.ts';

/**
 * Operations with the same answer for every caller and name: the redirects of deprecated paths, and metadata of
 * resources.
 */
const openToAll: ReadonlySet<string> = new Set([
  ...['Get', 'Post', 'Put', 'Patch', 'Delete'].map((method) => `mergePulls${method}`),
  'oauthProtectedResource',
]);
/** Merge request operations that are 403 for outsiders of a private repository, and 404 if it does not exist. */
const outsidersAsk: ReadonlySet<string> = new Set(['mergeOpen', 'mergeUpdate', 'mergeMerge']);

// access.spec.ts tests that each route is 404 for a caller who may not read, by role and credential.
void thorough(t).test(
  '24: every route answers for a private repository exactly as for a missing one, for any request',
  async (t) => {
    const { forge, alice, bob, push } = await world(t);
    await make(alice, 'secret');
    await push('alice/secret', 'main', 'main:refs/heads/side');
    const owned = forge.contract.operations.filter(({ path }) => path.includes('{repo}'));
    t.ok(owned.length >= 35, `routes: ${owned.length}`);
    const callers: readonly (readonly [string, Client])[] = [
      ['a user', bob.client],
      ['a token', await forge.pat(bob.client, ['repo:admin'])],
      ['a narrow token', await forge.pat(bob.client, ['repo:read'])],
      ['anonymous', forge.anonymous],
    ];
    for (const { method, path, id, hasJsonBody } of owned) {
      const at = (repo: string): string =>
        path
          .replace('{owner}', 'alice')
          .replace('{repo}', repo)
          .replaceAll(
            /\{(\w+)\}/g,
            (_, name: string) =>
              ({
                ref: 'main',
                branch: 'side',
                path: 'README.md',
                user: 'alice',
                rest: id.toLowerCase().includes('archive') ? 'main.zip' : 'main...side',
              })[name] ?? 'main',
          );
      for (const [who, client] of callers) {
        for (const headers of [{}, { 'if-none-match': '*' }] as const) {
          const [hidden, missing] = [
            await client.request(method, at('secret'), { headers, ...(hasJsonBody && { body: {} }) }),
            await client.request(method, at('absent'), { headers, ...(hasJsonBody && { body: {} }) }),
          ];
          if (!openToAll.has(id)) {
            t.ok([401, 403, 404].includes(hidden.status), `${who}: ${id}: ${hidden.status}`);
            if (who === 'a user') t.equal(hidden.status, outsidersAsk.has(id) ? 403 : 404, id);
          }
          const told = ({ status, text, headers: sent }: Answer) => [
            status,
            text.replaceAll(/secret|absent/g, 'x'),
            [...sent.keys()].sort(),
            sent.get('etag'),
          ];
          if (!outsidersAsk.has(id)) t.same(told(hidden), told(missing), `${who}: ${id}`);
        }
      }
    }
    t.same((await alice.client.get(`${repos}/alice/secret/branches`)).status, 200, 'it exists all the time');
  },
);

void t.test('24: neither a redirect after a rename nor a 304 by a guessed ETag reveals it', async (t) => {
  const { alice, bob, push } = await world(t);
  await make(alice, 'plan');
  await push('alice/plan', 'main');
  const etags = await Promise.all(
    [
      '',
      '/contents/README.md',
      '/raw/main/README.md',
      '/branches',
      '/tags',
      '/commits',
      '/commits/main',
      '/compare/main...main',
      '/blame/main/README.md',
      '/languages',
    ].map(
      async (path) =>
        [path, must(await alice.client.get(`${repos}/alice/plan${path}`), 200).headers.get('etag') ?? ''] as const,
    ),
  );
  for (const [path, etag] of etags) {
    t.not(etag, '', path);
    t.equal(
      (await alice.client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status,
      304,
      path,
    );
    t.equal(
      (await bob.client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status,
      404,
      path,
    );
  }
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { name: 'renamed' } }), 200);
  for (const client of [alice.client, bob.client]) {
    const { status, headers } = await client.get(`${repos}/alice/plan`);
    t.same([status, headers.get('location')], [404, null]);
  }
});

// Role templates of another repository are tested in collaborators.spec.ts.
void t.test("25: an object of another repository is not found through one's own", async (t) => {
  const { forge, alice, bob, work, push } = await world(t);
  await make(alice, 'secret');
  const hidden = await work.commit('Hidden', { 'README.md': '# Hidden\n' });
  await push('alice/secret', 'main');
  await make(bob, 'mine', 'public');
  await work.git('push', '--quiet', remote(forge.url, 'bob/mine', bob), `${hidden}~1:refs/heads/main`);
  for (const path of reading(hidden)) t.equal((await bob.client.get(`${repos}/bob/mine${path}`)).status, 404, path);
  t.equal((await bob.client.post(`${repos}/bob/mine/branches`, { body: { name: 'x', base_ref: hidden } })).status, 404);
  t.equal((await bob.client.post(`${repos}/bob/mine/tags`, { body: { name: 'x', ref: hidden } })).status, 404);
  // `sha`, the blob to replace, is one of the other repository.
  const sha = (await work.git('rev-parse', `${hidden}:README.md`)).trim();
  t.equal(
    (await bob.client.put(`${repos}/bob/mine/contents/README.md`, { body: { message: 'x', content: '', sha } })).status,
    409,
  );
  const thief = await stockGit(t);
  await thief.git('init', '--quiet', 'thief');
  t.match(
    (await thief.at('thief').ran('fetch', remote(forge.url, 'bob/mine', bob), hidden)).stderr,
    /not our ref/,
    'nor over git',
  );
});

// Lists of forks are tested in forks.spec.ts.
void t.test('26: lists follow visibility and membership at once', async (t) => {
  const { forge, alice, bob } = await world(t);
  await make(alice, 'plan', 'public');
  const seen = async (client: Client) =>
    [await client.get(repos), await client.get(`${repos}?owner=alice`)].map(
      ({ body }) => (body as { name: string }[]).filter(({ name }) => name === 'plan').length,
    );
  t.same(
    [await seen(bob.client), await seen(forge.anonymous)],
    [
      [1, 1],
      [1, 1],
    ],
  );
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { visibility: 'internal' } }), 200);
  t.same(
    [await seen(bob.client), await seen(forge.anonymous)],
    [
      [1, 1],
      [0, 0],
    ],
  );
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { visibility: 'private' } }), 200);
  t.same(await seen(bob.client), [0, 0]);
  await give(alice, 'plan', 'bob', 'read');
  t.same(await seen(bob.client), [1, 1]);
  must(await alice.client.delete(`${repos}/alice/plan/collaborators/bob`), 204);
  t.same(await seen(bob.client), [0, 0]);
});

// Stars and watching are tested in stars.spec.ts.
void t.test(
  '27: after access is lost, cached pages are 404 and not 304, and tokens and clones stop working',
  async (t) => {
    const { forge, alice, bob, push } = await world(t);
    await make(alice, 'plan');
    await push('alice/plan', 'main');
    await give(alice, 'plan', 'bob', 'write');
    const token = await forge.pat(bob.client, ['repo:admin']);
    const paths = [
      '',
      '/contents',
      '/contents/README.md',
      '/raw/main/README.md',
      '/branches',
      '/tags',
      '/commits',
      '/commits/main',
      '/compare/main...main',
      '/blame/main/README.md',
      '/languages',
    ];
    const kept = await Promise.all(
      paths.map(
        async (path) =>
          [path, must(await token.get(`${repos}/alice/plan${path}`), 200).headers.get('etag') ?? ''] as const,
      ),
    );
    const clone = await stockGit(t);
    await clone.git(
      'clone',
      '--quiet',
      remote(forge.url, 'alice/plan', { username: 'bob', password: token.token }),
      'clone',
    );
    must(await alice.client.delete(`${repos}/alice/plan/collaborators/bob`), 204);
    for (const client of [token, bob.client]) {
      for (const [path, etag] of kept)
        t.equal(
          (await client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status,
          404,
          path,
        );
      for (const path of reading('main')) t.equal((await client.get(`${repos}/alice/plan${path}`)).status, 404, path);
    }
    t.match((await clone.at('clone').ran('fetch')).stderr, /not found/);
    t.match((await clone.at('clone').ran('push', 'origin', 'HEAD:refs/heads/x')).stderr, /not found/);
  },
);

void t.test(
  '30: a commit of the parent is not readable through its fork, nor one of the fork through its parent',
  async (t) => {
    const { forge, alice, bob, work, push } = await world(t);
    await make(alice, 'code', 'public');
    await push('alice/code', 'main');
    must(await bob.client.post(`${repos}/alice/code/forks`, { body: { visibility: 'private' } }), 201);
    await work.git('checkout', '--quiet', '-b', 'later');
    const ofParent = await work.commit('Of the parent', { 'README.md': '# Parent\n' });
    await push('alice/code', 'later');
    must(await alice.client.patch(`${repos}/alice/code`, { body: { visibility: 'internal' } }), 200);
    await work.git('checkout', '--quiet', '-b', 'own', 'main');
    const ofFork = await work.commit('Of the fork', { 'README.md': '# Fork\n' });
    await push('bob/code', 'own');
    const thief = await stockGit(t);
    await thief.git('init', '--quiet', 'thief');
    for (const [repository, user, oid] of [
      ['bob/code', bob, ofParent],
      ['alice/code', alice, ofFork],
    ] as const) {
      for (const path of reading(oid))
        t.equal((await user.client.get(`${repos}/${repository}${path}`)).status, 404, `${repository}${path}`);
      for (const version of ['0', '2'])
        t.match(
          (
            await thief
              .at('thief')
              .ran('-c', `protocol.version=${version}`, 'fetch', remote(forge.url, repository, user), oid)
          ).stderr,
          /not our ref|unadvertised object/,
          `${repository} over git, version ${version}`,
        );
    }
  },
);

void t.test('30: hidden refs are neither listed nor fetched, and cannot be named in a route', async (t) => {
  const { forge, alice, work, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const url = remote(forge.url, 'alice/code', alice);
  for (const version of ['0', '2'])
    t.notMatch(
      await work.git('-c', `protocol.version=${version}`, 'ls-remote', url),
      /refs\/(?!heads\/|tags\/)/,
      version,
    );
  for (const ref of ['refs/hexforge/x', 'refs/hexforge', 'refs/remotes/x', 'FETCH_HEAD', 'ORIG_HEAD', 'config']) {
    for (const path of reading(encodeURIComponent(ref)))
      t.equal((await alice.client.get(`${repos}/alice/code${path}`)).status, 404, path);
    t.not((await work.ran('fetch', url, ref)).code, 0, ref);
  }
});

// Access to contents, raw files, archives, branches, tags and writing is tested in repositories.spec.ts,
// archives.spec.ts, branches.spec.ts, tags.spec.ts and contents-writing.spec.ts.
