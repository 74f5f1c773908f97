// Tests of forks: every status of each operation.
import t from 'tap';
import type { TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';

interface Repository {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly visibility: string;
  readonly default_branch: string;
  readonly forks_count: number;
  readonly issue_code: string;
}

const repos = '/api/v1/repos';

void t.test('forks', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob, carol] = [
    await forge.createUser('Alice'),
    await forge.createUser('bob'),
    await forge.createUser('carol'),
  ];
  for (const visibility of ['public', 'internal', 'private'])
    t.equal(
      (
        await alice.client.post(repos, {
          body: { name: visibility, visibility, description: `The ${visibility} one`, default_branch: 'trunk' },
        })
      ).status,
      201,
    );
  const work = await workTree(await stockGit(t), 'work');
  await work.commit('First', { 'README.md': '# One' });
  await work.git('tag', '--annotate', '--message', 'One', 'v1');
  await work.git('branch', 'topic');
  const dropped = await work.commit('Dropped', { secret: 'x' });
  const origin = remote(forge.url, 'alice/public', alice);
  await work.git('push', '--quiet', origin, 'main:trunk', 'main:refs/notes/hidden', 'main:gone', 'topic', 'v1');
  await work.git('push', '--quiet', '--force', origin, 'topic:trunk', ':gone');
  const fork = (user: Pick<TestUser, 'client'>, name: string, body: object = {}) =>
    user.client.post(`${repos}/alice/${name}/forks`, { body });

  await t.test(
    '201 with the record of a repository of the caller, with branches, tags and default branch of the parent',
    async (t) => {
      const { status, body } = await fork(bob, 'public');
      t.equal(status, 201);
      t.match(body, {
        owner: 'bob',
        owner_id: bob.id,
        name: 'public',
        visibility: 'public',
        description: 'The public one',
        default_branch: 'trunk',
        issue_code: '',
        forks_count: 0,
        stars_count: 0,
      });
      const copy = await stockGit(t);
      await copy.git('clone', '--quiet', '--mirror', remote(forge.url, 'bob/public', bob), 'copy');
      const refs = (await copy.at('copy').git('for-each-ref', '--format=%(refname)')).trim().split('\n');
      t.same(refs, ['refs/heads/topic', 'refs/heads/trunk', 'refs/tags/v1']);
      t.equal((await copy.at('copy').git('symbolic-ref', 'HEAD')).trim(), 'refs/heads/trunk');
      t.equal((await bob.client.get(`${repos}/bob/public/contents/README.md`)).status, 200);
      t.equal(
        (await bob.client.get(`${repos}/bob/public/contents/?ref=${dropped}`)).status,
        404,
        'objects that no visible ref reaches were not copied',
      );
      t.equal(((await alice.client.get(`${repos}/alice/public`)).body as Repository).forks_count, 1);
    },
  );

  await t.test('a fork is independent: it accepts pushes, and remains after its parent is deleted', async (t) => {
    await alice.client.post(repos, { body: { name: 'brief', visibility: 'public' } });
    await work.git('push', '--quiet', remote(forge.url, 'alice/brief', alice), 'topic:main');
    t.equal((await fork(carol, 'brief')).status, 201);
    await work.git('push', '--quiet', remote(forge.url, 'carol/brief', carol), 'main:later');
    t.equal((await alice.client.get(`${repos}/alice/brief/contents/?ref=later`)).status, 404);
    t.equal((await alice.client.delete(`${repos}/alice/brief`, { body: { confirmation: 'Alice/brief' } })).status, 204);
    t.equal((await carol.client.get(`${repos}/carol/brief/contents/secret?ref=later`)).status, 200);
    t.equal((await carol.client.patch(`${repos}/carol/brief`, { body: { visibility: 'private' } })).status, 200);
    t.equal(
      (await carol.client.patch(`${repos}/carol/brief`, { body: { visibility: 'public' } })).status,
      200,
      'without a parent its visibility is not limited',
    );
  });

  await t.test('a fork of an empty repository is empty', async (t) => {
    t.match(await fork(bob, 'internal'), { status: 201, body: { visibility: 'internal', default_branch: 'trunk' } });
    t.same((await bob.client.get(`${repos}/bob/internal/contents`)).body, []);
  });

  await t.test(
    '400 for an invalid body, and for a wider visibility than the parent, at creation and later',
    async (t) => {
      for (const body of [
        { name: '' },
        { name: 'a/b' },
        { name: 'x', visibility: 'secret' },
        { name: 'x', owner: 'carol' },
        { name: 'x', description: 'y'.repeat(1001) },
      ])
        t.equal((await fork(bob, 'public', body)).status, 400, JSON.stringify(body));
      const table = [
        ['internal', 'public', 400],
        ['internal', 'private', 201],
        ['private', 'public', 400],
        ['private', 'internal', 400],
        ['private', 'private', 201],
        ['public', 'private', 201],
      ] as const;
      for (const [parent, visibility, status] of table)
        t.equal(
          (await fork(alice, parent, { name: `${parent}-${visibility}`, visibility })).status,
          status,
          `${visibility} of ${parent}`,
        );
      t.match(await alice.client.patch(`${repos}/alice/private-private`, { body: { visibility: 'public' } }), {
        status: 400,
        body: { detail: /"visibility"/ },
      });
      t.equal(
        (await alice.client.patch(`${repos}/alice/internal-private`, { body: { visibility: 'internal' } })).status,
        200,
      );
      t.equal(
        (await alice.client.patch(`${repos}/alice/public-private`, { body: { visibility: 'public' } })).status,
        200,
      );
    },
  );

  await t.test(
    '401 anonymous, 403 without repo:write, 404 for an unreadable repository, 409 for a name that is taken',
    async (t) => {
      t.equal((await fork({ client: forge.anonymous }, 'public')).status, 401);
      t.equal((await fork({ client: await forge.pat(carol.client, ['repo:read']) }, 'public')).status, 403);
      t.equal(
        (await fork({ client: await forge.pat(carol.client, ['repo:write']) }, 'public', { name: 'by-token' })).status,
        201,
      );
      t.equal((await fork(bob, 'private')).status, 404);
      t.equal((await fork(bob, 'missing')).status, 404);
      t.equal((await fork(bob, 'public')).status, 409);
      t.equal((await fork(bob, 'public', { name: 'INTERNAL' })).status, 409);
      t.equal((await fork(alice, 'public')).status, 409, "a fork of one's own repository needs another name");
      t.equal((await fork(alice, 'public', { name: 'second' })).status, 201);
      const raced = await Promise.all(Array.from({ length: 3 }, () => fork(carol, 'public', { name: 'raced' })));
      t.same(raced.map(({ status }) => status).sort(), [201, 409, 409]);
    },
  );

  await t.test('GET: only visible forks, most recently updated first, in pages', async (t) => {
    const names = async (client: typeof alice.client, query = '') =>
      ((await client.get(`${repos}/alice/public/forks${query}`)).body as Repository[]).map(
        ({ owner, name }) => `${owner}/${name}`,
      );
    t.equal((await fork(bob, 'public', { name: 'hidden', visibility: 'private' })).status, 201);
    t.equal((await fork(bob, 'public', { name: 'inside', visibility: 'internal' })).status, 201);
    t.same(await names(forge.anonymous), [
      'carol/raced',
      'Alice/second',
      'carol/by-token',
      'Alice/public-private',
      'bob/public',
    ]);
    t.same((await names(carol.client)).slice(0, 2), ['bob/inside', 'carol/raced']);
    t.same((await names(bob.client)).slice(0, 3), ['bob/inside', 'bob/hidden', 'carol/raced']);
    t.same((await names(await forge.administrator())).length, 7);
    t.same(await names(forge.anonymous, '?per_page=2&page=2'), ['carol/by-token', 'Alice/public-private']);
    t.same(await names(forge.anonymous, '?page=9'), []);
    t.equal((await names(forge.anonymous, '?page=9007199254740991&per_page=100')).length, 0);
    t.equal((await forge.anonymous.get(`${repos}/alice/public/forks?page=1&page=2`)).status, 400);
    t.equal((await bob.client.get(`${repos}/alice/private/forks`)).status, 404);
    t.equal((await forge.as('bad').get(`${repos}/alice/public/forks`)).status, 401);
    t.equal((await (await forge.pat(bob.client, ['issue:read'])).get(`${repos}/alice/public/forks`)).status, 403);
  });
});
