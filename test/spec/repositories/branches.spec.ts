// Tests of branches: every status of branchList, branchCreate and branchDelete, checked with the stock git client.
import { join, relative } from 'node:path';
import { definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge, type TestForge, type TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

interface Branch {
  readonly name: string;
  readonly commit_sha: string;
  readonly commit_message: string;
  readonly commit_author: string;
  readonly commit_date: string;
  readonly is_default: boolean;
  readonly is_protected: boolean;
  readonly ahead_count: number;
  readonly behind_count: number;
}
interface Page {
  readonly items: readonly Branch[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

const repos = '/api/v1/repos';
const code = `${repos}/alice/code`;
const fields = [
  'name',
  'commit_sha',
  'commit_message',
  'commit_author',
  'commit_date',
  'is_default',
  'is_protected',
  'ahead_count',
  'behind_count',
];
type Teardown = { teardown(work: () => void | Promise<void>): unknown };

const create = async ({ client }: Pick<TestUser, 'client'>, body: object): Promise<void> => {
  const { status, text } = await client.post(repos, { body });
  if (status !== 201) throw new Error(`creating answered ${status}: ${text}`);
};
const collaborate = async (owner: TestUser, repository: string, username: string, role: string): Promise<void> => {
  const { status, text } = await owner.client.put(
    `${repos}/${owner.username}/${repository}/collaborators/${username}`,
    { body: { role } },
  );
  if (status !== 204) throw new Error(`adding a collaborator answered ${status}: ${text}`);
};
const refs = async (work: StockGit, url: string): Promise<string[]> =>
  (await work.git('ls-remote', '--heads', url))
    .trim()
    .split('\n')
    .flatMap((line) => /refs\/heads\/(.*)$/.exec(line)?.[1] ?? []);

interface Stage {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly work: StockGit;
  readonly url: string;
  readonly oids: readonly [string, string, string];
}

/**
 * Alice's public `code`: `main` with three commits, `old` two behind it, and `feature/ü` two ahead of the first commit
 * and committed last.
 */
async function stage(t: Teardown, options?: Parameters<typeof startTestForge>[1]): Promise<Stage> {
  const forge = await (options === undefined ? sharedForge(t) : startTestForge(t, options));
  const alice = await forge.createUser('alice');
  await create(alice, { name: 'code', visibility: 'public' });
  const work = await workTree(await stockGit(t), 'work');
  const at = async (date: string): Promise<StockGit> => {
    const dated = await stockGit(t, { GIT_COMMITTER_DATE: date });
    return dated.at(relative(dated.folder, work.folder));
  };
  const oids: string[] = [];
  for (const [number, month] of [
    ['One', '01'],
    ['Two', '02'],
    ['Three', '03'],
  ])
    oids.push(
      await (
        await at(`2026-${month}-01T00:00:00Z`)
      ).commit(`${number}\n\nWith a body`, { 'README.md': `# ${number}\n` }),
    );
  const [one = '', two = '', three = ''] = oids;
  await work.git('branch', 'old', one);
  await work.git('checkout', '--quiet', '-b', 'feature/ü', one);
  for (const number of ['Four', 'Five'])
    await (await at('2026-05-01T00:00:00Z')).commit(number, { 'side.txt': number });
  await work.git('checkout', '--quiet', 'main');
  const url = remote(forge.url, 'alice/code', alice);
  await work.git('push', '--quiet', url, '--all');
  return { forge, alice, work, url, oids: [one, two, three] };
}

void t.test('GET branches', async (t) => {
  const {
    forge,
    alice,
    work,
    url,
    oids: [one, , three],
  } = await stage(t);
  const list = async (query = ''): Promise<Page> =>
    (await forge.anonymous.get(`${code}/branches${query}`)).body as Page;
  const names = async (query: string): Promise<string[]> => (await list(query)).items.map(({ name }) => name);

  await t.test('a page of items by name, with exactly their fields; divergence is 0 unless requested', async (t) => {
    const page = await list();
    t.same({ ...page, items: page.items.length }, { items: 3, total: 3, page: 1, per_page: 25 });
    for (const item of page.items) t.same(Object.keys(item), fields);
    t.same(page.items[1], {
      name: 'main',
      commit_sha: three,
      commit_message: 'Three',
      commit_author: 'Ada',
      commit_date: '2026-03-01T00:00:00.000Z',
      is_default: true,
      is_protected: false,
      ahead_count: 0,
      behind_count: 0,
    });
    t.same(
      page.items.map(({ name, is_default, ahead_count, behind_count }) => [
        name,
        is_default,
        ahead_count,
        behind_count,
      ]),
      [
        ['feature/ü', false, 0, 0],
        ['main', true, 0, 0],
        ['old', false, 0, 0],
      ],
    );
  });

  await t.test('include_divergence counts against the default branch', async (t) => {
    const { items } = await list('?include_divergence=true');
    t.same(
      items.map(({ name, ahead_count, behind_count }) => [name, ahead_count, behind_count]),
      [
        ['feature/ü', 2, 2],
        ['main', 0, 0],
        ['old', 0, 2],
      ],
    );
    t.same((await list('?include_divergence=true')).items, items, 'a second request, from the cache');
  });

  await t.test('sort and order; order alone is ignored', async (t) => {
    const table = [
      ['', ['feature/ü', 'main', 'old']],
      ['?order=desc', ['feature/ü', 'main', 'old']],
      ['?sort=name', ['feature/ü', 'main', 'old']],
      ['?sort=name&order=desc', ['old', 'main', 'feature/ü']],
      ['?sort=last_commit_at', ['old', 'main', 'feature/ü']],
      ['?sort=last_commit_at&order=desc', ['feature/ü', 'main', 'old']],
      ['?sort=ahead', ['main', 'old', 'feature/ü']],
      ['?sort=ahead&order=desc', ['feature/ü', 'main', 'old']],
      ['?sort=behind', ['main', 'feature/ü', 'old']],
      ['?sort=behind&order=desc', ['feature/ü', 'old', 'main']],
      ['?sort=&order=', ['feature/ü', 'main', 'old']],
    ] as const;
    for (const [query, expected] of table) t.same(await names(query), expected, query);
    t.same(
      (await list('?sort=ahead')).items.map(({ ahead_count }) => ahead_count),
      [0, 0, 0],
      'sorted by divergence without showing it',
    );
    for (const query of [
      'sort=age',
      'sort=NAME',
      'order=up',
      'sort=name&order=ASC',
      'include_divergence=perhaps',
      'sort=name&sort=ahead',
    ])
      t.equal((await forge.anonymous.get(`${code}/branches?${query}`)).status, 400, query);
  });

  await t.test('per_page is at most 100, and 25 if below 1; page starts at 1', async (t) => {
    const table = [
      ['per_page=2', 2, 1, 2],
      ['per_page=2&page=2', 1, 2, 2],
      ['per_page=2&page=3', 0, 3, 2],
      ['per_page=0', 3, 1, 25],
      ['per_page=-5', 3, 1, 25],
      ['per_page=1e1', 3, 1, 25],
      ['per_page=101', 3, 1, 100],
      ['per_page=x&page=x', 3, 1, 25],
      ['page=0', 3, 1, 25],
      ['page=9007199254740991&per_page=100', 0, 9007199254740991, 100],
    ] as const;
    for (const [query, length, page, perPage] of table) {
      const found = await list(`?${query}`);
      t.same([found.items.length, found.total, found.page, found.per_page], [length, 3, page, perPage], query);
    }
    t.same(await names('?per_page=1&page=2'), ['main']);
  });

  await t.test(
    'the ETag changes with tips, default branch, protection and query; 304 for the current one',
    async (t) => {
      const tag = async (query = ''): Promise<string> =>
        (await forge.anonymous.get(`${code}/branches${query}`)).headers.get('etag') ?? '';
      const etag = await tag();
      const again = await forge.anonymous.get(`${code}/branches`, { headers: { 'if-none-match': etag } });
      t.same(
        [again.status, again.text, again.headers.get('cache-control')],
        [304, '', 'private, must-revalidate, max-age=0'],
      );
      const seen = [etag, await tag('?include_divergence=true'), await tag('?per_page=2')];
      await work.git('push', '--quiet', url, `${one}:refs/heads/new`);
      seen.push(await tag());
      t.equal((await forge.anonymous.get(`${code}/branches`, { headers: { 'if-none-match': etag } })).status, 200);
      await alice.client.put(`${code}/branches/new/protection`, { body: {} });
      seen.push(await tag());
      t.same(
        (await list()).items.map(({ is_protected }) => is_protected),
        [false, false, true, false],
      );
      await alice.client.delete(`${code}/branches/new/protection`);
      await alice.client.patch(code, { body: { default_branch: 'old' } });
      seen.push(await tag());
      t.same(
        (await list('?include_divergence=true')).items.map(({ name, behind_count, ahead_count }) => [
          name,
          ahead_count,
          behind_count,
        ]),
        [
          ['feature/ü', 2, 0],
          ['main', 2, 0],
          ['new', 0, 0],
          ['old', 0, 0],
        ],
      );
      await alice.client.patch(code, { body: { default_branch: 'main' } });
      t.equal(new Set(seen).size, seen.length, 'all differ');
    },
  );

  await t.test(
    '401 for anonymous callers unless the repository is public, 404 if the caller may not read it or it is missing',
    async (t) => {
      await create(alice, { name: 'inside', visibility: 'internal' });
      await create(alice, { name: 'secret' });
      const bob = await forge.createUser('bob');
      for (const [name, status] of [
        ['inside', 200],
        ['secret', 404],
        ['missing', 404],
      ] as const) {
        const asked = await forge.anonymous.get(`${repos}/alice/${name}/branches`);
        t.match(asked, { status: 401, body: { error_code: 'unauthorized' } }, name);
        t.equal((await bob.client.get(`${repos}/alice/${name}/branches`)).status, status, name);
        t.equal(
          (await alice.client.get(`${repos}/alice/${name}/branches`)).status,
          name === 'missing' ? 404 : 200,
          name,
        );
      }
      t.equal(
        (await (await forge.pat(alice.client, ['issue:read'])).get(`${code}/branches`)).status,
        403,
        'a token without the scope, also if it is public',
      );
      t.same(
        (await alice.client.get(`${repos}/alice/secret/branches?include_divergence=true&sort=ahead`)).body,
        { items: [], total: 0, page: 1, per_page: 25 },
        'an empty repository has no branches',
      );
    },
  );
});

void t.test('POST branches', async (t) => {
  const {
    forge,
    alice,
    work,
    url,
    oids: [one, , three],
  } = await stage(t);
  const post = (body: object, client = alice.client) => client.post(`${code}/branches`, { body });
  const tip = async (name: string): Promise<string> =>
    (await work.git('ls-remote', url, `refs/heads/${name}`)).slice(0, 40);

  await t.test('201 from the default branch, a branch, a tag or a commit', async (t) => {
    await work.git('push', '--quiet', url, `${one}:refs/tags/v1`);
    const table = [
      [{ name: 'from-default' }, 'main', three],
      [{ name: 'deep/from/branch', base_ref: 'old' }, 'old', one],
      [{ name: 'from-sha', base_ref: one }, one, one],
      [{ name: 'from-short', base_ref: one.slice(0, 10) }, one.slice(0, 10), one],
      [{ name: 'from-tag', base_ref: 'v1' }, 'v1', one],
      [{ name: 'größe/✓' }, 'main', three],
    ] as const;
    const before = ((await alice.client.get(code)).body as { updated_at: string }).updated_at;
    for (const [body, base, oid] of table) {
      t.match(await post(body), { status: 201, body: { name: body.name, base_ref: base } }, body.name);
      t.equal(await tip(body.name), oid, body.name);
    }
    t.ok(((await alice.client.get(code)).body as { updated_at: string }).updated_at > before, 'updated_at changes');
  });

  await t.test('400 for a name that git does not allow, and for an invalid body', async (t) => {
    for (const name of [
      '-x',
      '--output=x',
      'a..b',
      'a b',
      'a~1',
      'x.lock',
      '/a',
      'a/',
      'a//b',
      '.a',
      'a\u0000b',
      'a\nb',
      'HEAD',
      '@{x',
      'a\\b',
      '',
    ]) {
      const { status, body } = await post({ name });
      t.equal(status, 400, JSON.stringify(name));
      t.match(body, { detail: /"name"/ }, JSON.stringify(name));
    }
    for (const body of [
      {},
      { name: 7 },
      { name: 'x', base_ref: 7 },
      { name: 'x', base_ref: '' },
      { name: 'x', base: 'main' },
    ])
      t.equal((await post(body)).status, 400, JSON.stringify(body));
  });

  await t.test('401, 403, 404, and 409 for a name that is taken or conflicts', async (t) => {
    const bob = await forge.createUser('bob');
    t.equal((await post({ name: 'x' }, forge.anonymous)).status, 401);
    t.match(await post({ name: 'x' }, bob.client), { status: 403, body: { error_code: 'forbidden' } });
    t.match(await post({ name: 'x' }, await forge.pat(alice.client, ['repo:read'])), {
      status: 403,
      body: { error_code: 'insufficient_scope' },
    });
    for (const base_ref of ['nowhere', '-x', 'main~1', 'main^{tree}', '0'.repeat(40), one.slice(0, 3)])
      t.equal((await post({ name: 'x', base_ref })).status, 404, base_ref);
    t.match(await post({ name: 'old' }), { status: 409, body: { error_code: 'conflict' } });
    t.match(
      await post({ name: 'old/er' }),
      { status: 409, body: { error_code: 'conflict' } },
      'a branch cannot be a folder',
    );
    t.equal((await post({ name: 'feature' })).status, 409, 'a folder cannot be a branch');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => post({ name: 'race' })));
    t.same(
      outcomes.map(({ status }) => status).sort(),
      [201, ...Array<number>(7).fill(409)],
      'of many concurrent creations one succeeds',
    );
    await create(alice, { name: 'hidden' });
    t.equal((await bob.client.post(`${repos}/alice/hidden/branches`, { body: { name: 'x' } })).status, 404);
    t.match(
      await alice.client.post(`${repos}/alice/hidden/branches`, { body: { name: 'x' } }),
      { status: 404, body: { detail: /push a first commit/ } },
      'an empty repository has no commit to start from',
    );
    await collaborate(alice, 'code', 'bob', 'write');
    t.equal((await post({ name: 'by-bob' }, bob.client)).status, 201);
    await collaborate(alice, 'code', 'bob', 'triage');
    t.equal((await post({ name: 'by-bob-again' }, bob.client)).status, 403);
    t.equal((await refs(work, url)).includes('x'), false, 'nothing was created');
  });
});

/** An audit log that can fail, instead of the standard one. */
const breakable = { broken: false, entries: [] as { readonly action: string; readonly details: object }[] };
const audit = definePlugin({
  name: 'breakable-audit',
  version: '1.0.0',
  api: '*',
  provides: {
    AuditLog: () => ({
      async append(entry) {
        if (breakable.broken) throw new Error('the disk is full');
        breakable.entries.push(entry);
      },
    }),
  },
});

void t.test('DELETE branches/{branch}', async (t) => {
  const {
    forge,
    alice,
    work,
    url,
    oids: [one],
  } = await stage(t, { environment: { HEXFORGE_PLUGINS: '-audit' }, definitions: [audit] });
  const remove = (name: string, client = alice.client) => client.delete(`${code}/branches/${encodeURIComponent(name)}`);
  const make = (count: number, name: (number: number) => string) =>
    work.git(
      'push',
      '--quiet',
      url,
      ...Array.from({ length: count }, (_, number) => `${one}:refs/heads/${name(number)}`),
    );

  await t.test('204, with %2F for a slash, and an audit entry with the old tip', async (t) => {
    const tip = (await work.git('rev-parse', 'feature/ü')).trim();
    const { status, text } = await remove('feature/ü');
    t.same([status, text], [204, '']);
    t.same(await refs(work, url), ['main', 'old']);
    t.match(breakable.entries.at(-1), {
      action: 'branch.deleted',
      details: { owner: 'alice', name: 'code', branch: 'feature/ü', commit: tip },
    });
    t.equal((await remove('feature/ü')).status, 404, 'gone');
  });

  await t.test('503 if the audit entry cannot be written, and the branch remains', async (t) => {
    breakable.broken = true;
    t.match(await remove('old'), { status: 503, body: { error_code: 'unavailable', error: /audit/ } });
    await alice.client.post(`${code}/tags`, { body: { name: 'traced' } });
    t.match(await alice.client.delete(`${code}/tags/traced`), { status: 503, body: { error: /audit/ } });
    breakable.broken = false;
    t.equal((await alice.client.delete(`${code}/tags/traced`)).status, 204, 'the tag remained');
    t.match(breakable.entries.at(-1), { action: 'tag.deleted', details: { tag: 'traced' } });
    t.same(await refs(work, url), ['main', 'old']);
  });

  await t.test('400 for the default branch, 403 for a protected one, 404 for an unknown one', async (t) => {
    t.match(await remove('main'), { status: 400, body: { error_code: 'validation_failed' } });
    await alice.client.put(`${code}/branches/old/protection`, {
      body: { allow_deletion: true, push_roles: ['admin'] },
    });
    t.match(
      await remove('old'),
      { status: 403, body: { error_code: 'forbidden', detail: /protected/ } },
      'for any caller, whatever the rule allows for pushes',
    );
    t.match(await remove('old', await forge.administrator()), { status: 403 });
    await alice.client.delete(`${code}/branches/old/protection`);
    for (const name of ['nowhere', 'refs/heads/old', '-x', 'a..b', 'old/', 'OLD', one])
      t.equal((await remove(name)).status, 404, JSON.stringify(name));
    t.equal((await alice.client.delete(`${code}/branches/a/b`)).status, 404, 'an unencoded slash');
  });

  await t.test('401, 403 and 404 by caller', async (t) => {
    const bob = await forge.createUser('bob');
    t.equal((await remove('old', forge.anonymous)).status, 401);
    t.equal((await remove('old', bob.client)).status, 403);
    t.match(await remove('old', await forge.pat(alice.client, ['repo:read'])), {
      status: 403,
      body: { error_code: 'insufficient_scope' },
    });
    await create(alice, { name: 'hidden' });
    t.equal((await bob.client.delete(`${repos}/alice/hidden/branches/main`)).status, 404);
    t.equal(
      (await alice.client.delete(`${repos}/alice/hidden/branches/main`)).status,
      400,
      'the future default branch',
    );
    await collaborate(alice, 'code', 'bob', 'write');
    t.equal((await remove('old', bob.client)).status, 204);
  });

  await t.test(
    '429 after 30 deletions by one user, with the headers of that budget; others are not limited',
    async (t) => {
      const carol = await forge.createUser('carol');
      const dave = await forge.createUser('dave');
      for (const { username } of [carol, dave]) await collaborate(alice, 'code', username, 'write');
      await make(32, (number) => `many/${number}`);
      t.equal((await remove('nowhere', carol.client)).status, 404, 'a request that deletes nothing is not counted');
      for (let number = 0; number < 30; number++)
        t.equal((await remove(`many/${number}`, carol.client)).status, 204, `many/${number}`);
      const refused = await remove('many/30', carol.client);
      t.match(refused, { status: 429, body: { error_code: 'rate_limited' } });
      const header = (name: string) => refused.headers.get(name);
      t.same(
        [header('x-ratelimit-limit'), header('x-ratelimit-remaining'), header('x-ratelimit-resource')],
        ['30', '0', 'branch.delete'],
      );
      const wait = Number(header('retry-after'));
      t.ok(wait >= 1 && wait <= 300, `Retry-After: ${wait}`);
      t.ok(
        Math.abs(Number(header('x-ratelimit-reset')) - Date.now() / 1000 - wait) < 30,
        'the reset is when it may be tried again',
      );
      t.same(await refs(work, url), ['main', 'many/30', 'many/31'], 'the refused branch exists');
      t.equal((await remove('many/30', dave.client)).status, 204);
    },
  );

  await t.test('deleting a branch during pushes to it is 204 or 404, never a server error', async (t) => {
    const erin = await forge.createUser('erin');
    await collaborate(alice, 'code', 'erin', 'write');
    await make(1, () => 'busy');
    const oids = (await work.git('rev-list', 'main')).trim().split('\n');
    const pushing = oids.map((oid) => work.ran('push', '--quiet', '--force', url, `${oid}:refs/heads/busy`));
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => remove('busy', erin.client)));
    await Promise.all(pushing);
    for (const { status } of outcomes) t.ok(status === 204 || status === 404, String(status));
    t.equal((await work.ran('-C', join(work.folder), 'ls-remote', url)).code, 0);
  });
});
