// Tests of tags: every status of tagList, tagCreate and tagDelete, checked with the stock git client.
import t from 'tap';
import type { TestForge, TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

interface Tag {
  readonly name: string;
  readonly commit_sha: string;
  readonly message: string | null;
  readonly tagger_name: string | null;
  readonly tagger_email: string | null;
  readonly tagged_at: string | null;
  readonly is_annotated: boolean;
}
interface Page {
  readonly items: readonly Tag[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

const repos = '/api/v1/repos';
const tags = `${repos}/alice/code/tags`;
const fields = ['name', 'commit_sha', 'message', 'tagger_name', 'tagger_email', 'tagged_at', 'is_annotated'];

interface Stage {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly work: StockGit;
  readonly url: string;
  readonly one: string;
  readonly two: string;
}

/** Alice's public `code` with `main` of two commits, her private `secret`, and bob. */
async function stage(t: { teardown(work: () => void | Promise<void>): unknown }): Promise<Stage> {
  const forge = await sharedForge(t);
  const [alice, bob] = [
    await forge.createUser('alice', { displayName: 'Alice <the> Ärchitect' }),
    await forge.createUser('bob'),
  ];
  for (const body of [
    { name: 'code', visibility: 'public' },
    { name: 'inside', visibility: 'internal' },
    { name: 'secret' },
  ])
    await alice.client.post(repos, { body });
  const work = await workTree(await stockGit(t, { GIT_COMMITTER_DATE: '2026-02-03T04:05:06Z' }), 'work');
  const one = await work.commit('One', { 'README.md': 'one' });
  const two = await work.commit('Two', { 'README.md': 'two' });
  const url = remote(forge.url, 'alice/code', alice);
  await work.git('push', '--quiet', url, 'main');
  return { forge, alice, bob, work, url, one, two };
}

void t.test('GET tags', async (t) => {
  const { forge, alice, bob, work, url, one, two } = await stage(t);
  await work.git('tag', 'v1', one);
  await work.git('tag', '--annotate', '--message', 'Release 2\n\nWith a body\n', 'v2', two);
  await work.git('tag', '--annotate', '--message', 'A tag of a tag', 'w', 'v2');
  await work.git('tag', 'x-blob', 'main:README.md');
  await work.git('push', '--quiet', url, '--tags');
  const list = async (query = ''): Promise<Page> => (await forge.anonymous.get(`${tags}${query}`)).body as Page;

  await t.test('a page of items by name, with exactly their fields', async (t) => {
    const page = await list();
    t.same({ ...page, items: page.items.length }, { items: 4, total: 4, page: 1, per_page: 25 });
    for (const item of page.items) t.same(Object.keys(item), fields);
    const tagger = {
      tagger_name: 'Ada',
      tagger_email: 'ada@example.com',
      tagged_at: '2026-02-03T04:05:06.000Z',
      is_annotated: true,
    };
    const light = { message: null, tagger_name: null, tagger_email: null, tagged_at: null, is_annotated: false };
    t.same(page.items, [
      { name: 'v1', commit_sha: one, ...light },
      { name: 'v2', commit_sha: two, message: 'Release 2\n\nWith a body', ...tagger },
      { name: 'w', commit_sha: two, message: 'A tag of a tag', ...tagger },
      { name: 'x-blob', commit_sha: (await work.git('rev-parse', 'main:README.md')).trim(), ...light },
    ]);
  });

  await t.test('per_page is clamped; 400 for a repeated parameter; 304 for the current ETag', async (t) => {
    for (const [query, names, perPage] of [
      ['?per_page=2&page=2', ['w', 'x-blob'], 2],
      ['?per_page=0', ['v1', 'v2', 'w', 'x-blob'], 25],
      ['?per_page=1000', ['v1', 'v2', 'w', 'x-blob'], 100],
      ['?page=9', [], 25],
    ] as const) {
      const page = await list(query);
      t.same([page.items.map(({ name }) => name), page.per_page, page.total], [names, perPage, 4], query);
    }
    t.equal((await forge.anonymous.get(`${tags}?page=1&page=2`)).status, 400);
    const etag = (await forge.anonymous.get(tags)).headers.get('etag') ?? '';
    const again = await forge.anonymous.get(tags, { headers: { 'if-none-match': etag } });
    t.same([again.status, again.text], [304, '']);
    await work.git('push', '--quiet', '--force', url, `${two}:refs/tags/v1`);
    t.not(
      (await forge.anonymous.get(tags, { headers: { 'if-none-match': etag } })).headers.get('etag'),
      etag,
      'a tag moved',
    );
    t.equal((await list()).items[0]?.commit_sha, two);
  });

  await t.test('tags have the visibility rules of branches', async (t) => {
    for (const [name, status] of [
      ['inside', 200],
      ['secret', 404],
      ['missing', 404],
    ] as const) {
      t.equal((await forge.anonymous.get(`${repos}/alice/${name}/tags`)).status, 401, name);
      t.equal((await bob.client.get(`${repos}/alice/${name}/tags`)).status, status, name);
    }
    t.same((await alice.client.get(`${repos}/alice/secret/tags`)).body, { items: [], total: 0, page: 1, per_page: 25 });
    t.equal((await (await forge.pat(alice.client, ['issue:read'])).get(tags)).status, 403);
  });
});

void t.test('POST tags', async (t) => {
  const { forge, alice, bob, work, url, one, two } = await stage(t);
  const post = (body: object, client = alice.client) => client.post(tags, { body });

  await t.test('201: a lightweight tag on the default branch, a branch, a commit or another tag', async (t) => {
    for (const [body, ref, oid] of [
      [{ name: 'light' }, 'main', two],
      [{ name: 'deep/ü', ref: one, message: '' }, one, one],
      [{ name: 'again', ref: 'deep/ü', message: ' \n' }, 'deep/ü', one],
    ] as const) {
      t.match(await post(body), { status: 201, body: { name: body.name, ref } }, body.name);
      t.equal((await work.git('ls-remote', url, `refs/tags/${body.name}`)).slice(0, 40), oid, body.name);
    }
  });

  await t.test('201: an annotated tag by the caller, which passes git fsck', async (t) => {
    const message = 'Release\n\nobject nonsense\ntagger Eve <eve@example.com> 0 +0000\n';
    t.match(await post({ name: 'rel/1', ref: 'main', message }), { status: 201, body: { name: 'rel/1', ref: 'main' } });
    await work.git('fetch', '--quiet', url, 'refs/tags/*:refs/tags/*');
    t.match(
      await work.git('cat-file', '-p', 'rel/1'),
      new RegExp(
        `^object ${two}\ntype commit\ntag rel/1\ntagger Alice the Ärchitect <alice@users.noreply> \\d+ \\+0000\n\nRelease\n\nobject nonsense\n`,
      ),
    );
    t.equal((await work.ran('fsck', '--strict')).code, 0);
    const item = ((await alice.client.get(tags)).body as Page).items.find(({ name }) => name === 'rel/1');
    t.match(item, {
      commit_sha: two,
      message: message.trim(),
      tagger_name: 'Alice the Ärchitect',
      tagger_email: 'alice@users.noreply',
      is_annotated: true,
    });
    t.ok(Math.abs(Date.parse(item?.tagged_at ?? '') - Date.now()) < 60_000);
  });

  await t.test('400 for a name that git does not allow, and for an invalid body', async (t) => {
    for (const name of ['-x', '--delete', 'a..b', 'a b', 'x.lock', 'a\ntagger b', 'a\u0000b', ''])
      t.match(await post({ name }), { status: 400, body: { detail: /"name"/ } }, JSON.stringify(name));
    for (const body of [
      {},
      { name: 'x', message: 7 },
      { name: 'x', message: 'x'.repeat(65_537) },
      { name: 'x', ref: '' },
      { name: 'x', tagger: 'me' },
    ])
      t.equal((await post(body)).status, 400, JSON.stringify(body).slice(0, 60));
  });

  await t.test('401, 403, 404, and 409 for a tag that exists or conflicts', async (t) => {
    t.equal((await post({ name: 'x' }, forge.anonymous)).status, 401);
    t.equal((await post({ name: 'x' }, bob.client)).status, 403);
    t.equal((await post({ name: 'x' }, await forge.pat(alice.client, ['repo:read']))).status, 403);
    t.equal((await bob.client.post(`${repos}/alice/secret/tags`, { body: { name: 'x' } })).status, 404);
    t.equal(
      (await alice.client.post(`${repos}/alice/secret/tags`, { body: { name: 'x' } })).status,
      404,
      'an empty repository has no commit to tag',
    );
    for (const ref of ['nowhere', '-x', 'main~1', '0'.repeat(40)])
      t.equal((await post({ name: 'x', ref })).status, 404, ref);
    for (const body of [{ name: 'light' }, { name: 'light', message: 'again' }, { name: 'light/er' }, { name: 'deep' }])
      t.match(await post(body), { status: 409, body: { error_code: 'conflict' } }, body.name);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, number) => post({ name: 'race', message: `By ${number}` })),
    );
    t.same(
      outcomes.map(({ status }) => status).sort(),
      [201, ...Array<number>(5).fill(409)],
      'of many concurrent creations one succeeds',
    );
  });
});

void t.test('DELETE tags/{tag}', async (t) => {
  const { forge, alice, bob, work, url, one } = await stage(t);
  await work.git('push', '--quiet', url, `${one}:refs/tags/v/1`, `${one}:refs/tags/main`, `${one}:refs/tags/kept`);
  const remove = (name: string, client = alice.client) => client.delete(`${tags}/${encodeURIComponent(name)}`);

  t.equal((await remove('kept', forge.anonymous)).status, 401);
  t.equal((await remove('kept', bob.client)).status, 403);
  t.equal((await remove('kept', await forge.pat(alice.client, ['repo:read']))).status, 403);
  t.equal((await bob.client.delete(`${repos}/alice/secret/tags/kept`)).status, 404);
  const { status, text } = await remove('v/1');
  t.same([status, text], [204, '']);
  t.equal((await remove('main')).status, 204, 'a tag with the name of the default branch is not that branch');
  for (const name of ['v/1', 'nowhere', 'refs/tags/kept', '-x', 'a..b'])
    t.equal((await remove(name)).status, 404, name);
  t.same(
    (await work.git('ls-remote', url))
      .trim()
      .split('\n')
      .map((line) => line.slice(41)),
    ['HEAD', 'refs/heads/main', 'refs/tags/kept'],
  );
});
