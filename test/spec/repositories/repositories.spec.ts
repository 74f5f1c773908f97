// Tests of repositories: fetching, listing, creating, updating and deleting, with every status of each operation.
import t from 'tap';
import type { TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

interface Repository {
  readonly id: string;
  readonly owner: string;
  readonly owner_id: string;
  readonly name: string;
  readonly visibility: string;
  readonly is_private: boolean;
  readonly default_branch: string;
  readonly issue_code: string;
  readonly updated_at: string;
  readonly created_at: string;
}
interface Failure {
  readonly error: string;
  readonly detail?: string;
  readonly error_code?: string;
  readonly existing_repo_id?: string;
}

const repos = '/api/v1/repos';
const itemFields = [
  'id',
  'owner',
  'owner_id',
  'name',
  'description',
  'is_private',
  'visibility',
  'default_branch',
  'clone_url_http',
  'clone_url_ssh',
  'created_at',
  'updated_at',
];
const recordFields = [
  ...itemFields,
  'issue_code',
  'stars_count',
  'forks_count',
  'watchers_count',
  'open_issues_count',
  'open_prs_count',
  'starred',
  'watching',
];

const create = async (user: Pick<TestUser, 'client'>, body: object): Promise<Repository> => {
  const answer = await user.client.post(repos, { body });
  if (answer.status !== 201) throw new Error(`creating answered ${answer.status}: ${answer.text}`);
  return answer.body as Repository;
};

void t.test('POST /repos', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];

  await t.test('201 with the record; private without visibility, is_private derived', async (t) => {
    const record = await create(alice, { name: 'first', description: 'One' });
    t.same(Object.keys(record).sort(), recordFields.toSorted());
    t.match(record, {
      owner: 'Alice',
      owner_id: alice.id,
      name: 'first',
      description: 'One',
      visibility: 'private',
      is_private: true,
      default_branch: 'main',
      issue_code: '',
      clone_url_http: `${forge.url}/Alice/first.git`,
      clone_url_ssh: '',
      stars_count: 0,
      forks_count: 0,
      watchers_count: 0,
      open_issues_count: 0,
      open_prs_count: 0,
      starred: false,
      watching: false,
    });
    t.equal(record.created_at, record.updated_at);
    const cases = [
      [{ visibility: 'public' }, 'public'],
      [{ visibility: 'internal' }, 'internal'],
      [{ is_private: true }, 'private'],
      [{ is_private: false }, 'public'],
      [{ visibility: 'internal', is_private: true }, 'internal'],
    ] as const;
    for (const [index, [given, visibility]] of cases.entries()) {
      const made = await create(alice, { name: `tier-${index}`, ...given });
      t.same([made.visibility, made.is_private], [visibility, visibility === 'private'], JSON.stringify(given));
    }
    t.equal((await create(alice, { name: 'trunk', default_branch: 'trunk' })).default_branch, 'trunk');
  });

  await t.test('400 for an invalid body, naming the field', async (t) => {
    const cases: readonly (readonly [object, string])[] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: 'a/b' }, 'name'],
      [{ name: '..' }, 'name'],
      [{ name: 'x.git' }, 'name'],
      [{ name: '-x' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'x', visibility: 'secret' }, 'visibility'],
      [{ name: 'x', visibility: null }, 'visibility'],
      [{ name: 'x', is_private: 'true' }, 'is_private'],
      [{ name: 'x', default_branch: '-x' }, 'default_branch'],
      [{ name: 'x', default_branch: 'a..b' }, 'default_branch'],
      [{ name: 'x', default_branch: '' }, 'default_branch'],
      [{ name: 'x', description: 'a\u0000b' }, 'description'],
      [{ name: 'x', owner_id: 'x' }, 'owner_id'],
      [{ name: ['x'] }, 'name'],
    ];
    for (const [body, field] of cases) {
      const { status, body: failure } = await alice.client.post(repos, { body });
      t.equal(status, 400, JSON.stringify(body));
      t.match((failure as Failure).detail, new RegExp(`"${field}"`), JSON.stringify(body));
    }
    t.equal(
      (
        await alice.client.post(repos, {
          raw: '{"name":"x","__proto__":{"isAdmin":true}}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      400,
    );
  });

  await t.test('401 anonymous, 403 without repo:write, 409 for a name that is taken, ignoring case', async (t) => {
    t.equal((await forge.anonymous.post(repos, { body: { name: 'x' } })).status, 401);
    const reading = await forge.pat(alice.client, ['repo:read']);
    t.match(await reading.post(repos, { body: { name: 'x' } }), {
      status: 403,
      body: { error_code: 'insufficient_scope' },
    });
    t.equal(
      (await (await forge.pat(alice.client, ['repo:write'])).post(repos, { body: { name: 'by-token' } })).status,
      201,
    );
    const { status, body } = await alice.client.post(repos, { body: { name: 'FIRST' } });
    t.equal(status, 409);
    t.equal((body as Failure).error_code, 'conflict');
    t.equal((await create(bob, { name: 'first' })).owner, 'bob', 'another owner may have the name');
  });

  await t.test('only instance administrators may name another owner', async (t) => {
    t.match(await bob.client.post(repos, { body: { name: 'x', owner: 'Alice' } }), {
      status: 403,
      body: { error_code: 'forbidden' },
    });
    t.match(await bob.client.post(repos, { body: { name: 'x', owner: 'nobody' } }), { status: 403 });
    const admin = await forge.administrator();
    t.match(await admin.post(repos, { body: { name: 'given', owner: 'bob' } }), {
      status: 201,
      body: { owner: 'bob', owner_id: bob.id },
    });
    t.match(await admin.post(repos, { body: { name: 'given', owner: 'nobody' } }), {
      status: 400,
      body: { detail: /"owner"/ },
    });
  });
});

void t.test('GET /repos', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const visibility of ['public', 'internal', 'private']) await create(alice, { name: visibility, visibility });
  await create(bob, { name: 'bobs' });
  const names = async (client: Pick<TestUser['client'], 'get'>, query = '') =>
    ((await client.get(`${repos}${query}`)).body as Repository[]).map(({ name }) => name);

  await t.test(
    'a bare array of items with exactly the fields of a list item, most recently updated first',
    async (t) => {
      const { status, body } = await alice.client.get(repos);
      t.equal(status, 200);
      t.ok(Array.isArray(body));
      for (const item of body as object[]) t.same(Object.keys(item).sort(), itemFields.toSorted());
      t.same(await names(alice.client), ['private', 'internal', 'public']);
      await alice.client.patch(`${repos}/alice/public`, { body: { description: 'changed' } });
      t.same(await names(alice.client), ['public', 'private', 'internal']);
    },
  );

  await t.test('each caller sees the repositories they may read', async (t) => {
    t.same(await names(forge.anonymous), ['public']);
    t.same((await names(bob.client)).sort(), ['bobs', 'internal', 'public']);
    t.same((await names(await forge.administrator())).sort(), ['bobs', 'internal', 'private', 'public']);
    t.same(await names(bob.client, '?mine=true'), ['bobs']);
    t.same((await names(bob.client, '?owner=ALICE')).sort(), ['internal', 'public']);
    t.same(await names(forge.anonymous, '?owner=bob'), []);
    t.same(await names(forge.anonymous, '?owner=nobody'), []);
    t.same((await names(bob.client, '?mine=false&unknown=1')).sort(), ['bobs', 'internal', 'public']);
    t.same(
      (await names(bob.client, '?mine=&owner=')).sort(),
      ['bobs', 'internal', 'public'],
      'empty parameters are ignored',
    );
  });

  await t.test(
    '401 for mine=true without a credential, 400 if it is not a boolean, 403 without the scope',
    async (t) => {
      t.equal((await forge.anonymous.get(`${repos}?mine=true`)).status, 401);
      t.equal((await forge.anonymous.get(`${repos}?involved=true`)).status, 401);
      for (const query of ['mine=maybe', 'sort=stars', 'visibility=secret', `q=${'x'.repeat(201)}`])
        t.equal((await forge.anonymous.get(`${repos}?${query}`)).status, 400, query);
      t.equal((await (await forge.pat(alice.client, ['issue:read'])).get(repos)).status, 403);
    },
  );

  await t.test('searched, sorted, filtered and in pages', async (t) => {
    t.same(await names(alice.client, '?q=ALICE/p'), ['public', 'private']);
    t.same(await names(alice.client, '?q=changed+public'), ['public']);
    t.same(await names(alice.client, '?sort=name&q='), ['internal', 'private', 'public']);
    t.same(await names(alice.client, '?sort=created&per_page=2'), ['private', 'internal']);
    t.same(await names(alice.client, '?sort=created&per_page=2&page=2'), ['public']);
    t.same(await names(alice.client, '?visibility=internal&sort='), ['internal']);
    t.same(await names(bob.client, '?involved=true'), ['bobs']);
    await bob.client.put(`${repos}/alice/internal/subscription`);
    await alice.client.put(`${repos}/alice/private/collaborators/bob`, { body: { role: 'read' } });
    t.same((await names(bob.client, '?involved=true')).toSorted(), ['bobs', 'internal', 'private']);
    await alice.client.delete(`${repos}/alice/private/collaborators/bob`);
    t.same((await names(bob.client, '?involved=true&sort=name')).toSorted(), ['bobs', 'internal']);
  });

  await t.test('limits: 50, 50 by owner, 100 for mine', async (t) => {
    for (let from = 0; from < 102; from += 17)
      await Promise.all(
        Array.from({ length: 17 }, (_, index) => create(alice, { name: `many-${from + index}`, visibility: 'public' })),
      );
    t.equal((await names(forge.anonymous)).length, 50);
    t.equal((await names(forge.anonymous, '?owner=alice')).length, 50);
    t.equal((await names(alice.client, '?mine=true')).length, 100);
    t.equal((await names(alice.client, '?involved=true&per_page=1000')).length, 100);
    t.equal((await names(alice.client, '?mine=true&page=2')).length, 5);
  });
});

void t.test('GET /repos/{owner}/{repo}', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const visibility of ['public', 'internal', 'private']) await create(alice, { name: visibility, visibility });

  await t.test('200 for a reader, 404 for everybody else, the same as for a missing repository', async (t) => {
    const table = [
      ['anonymous', forge.anonymous, [200, 404, 404, 404]],
      ['another user', bob.client, [200, 200, 404, 404]],
      ['owner', alice.client, [200, 200, 200, 404]],
      ['administrator', await forge.administrator(), [200, 200, 200, 404]],
    ] as const;
    for (const [name, client, statuses] of table) {
      for (const [index, repo] of ['public', 'internal', 'private', 'missing'].entries())
        t.equal((await client.get(`${repos}/alice/${repo}`)).status, statuses[index], `${name}: ${repo}`);
    }
    const [hidden, missing] = [
      await bob.client.get(`${repos}/alice/private`),
      await bob.client.get(`${repos}/alice/missing`),
    ];
    t.equal(hidden.text, missing.text);
    t.equal(
      (await bob.client.get(`${repos}/alice/private`, { headers: { 'if-none-match': '*' } })).status,
      404,
      'a guessed ETag reveals nothing',
    );
  });

  await t.test('names ignore case; 404 for anything similar to a name', async (t) => {
    t.match((await alice.client.get(`${repos}/aLICE/PUBLIC`)).body, { owner: 'Alice', name: 'public' });
    for (const repo of ['public.git', 'public%2F', 'p%C5%ABblic', '-'])
      t.equal((await alice.client.get(`${repos}/alice/${repo}`)).status, 404, repo);
  });

  await t.test(
    'the record has its ETag and Cache-Control; a matching If-None-Match gives 304 without body',
    async (t) => {
      const first = await alice.client.get(`${repos}/alice/public`);
      t.same(Object.keys(first.body as object).sort(), recordFields.toSorted());
      t.equal(first.headers.get('cache-control'), 'private, must-revalidate, max-age=0');
      const etag = first.headers.get('etag') ?? '';
      t.match(etag, /^"[\w-]+"$/);
      const again = await alice.client.get(`${repos}/alice/public`, { headers: { 'if-none-match': etag } });
      t.same(
        [again.status, again.text, again.headers.get('cache-control')],
        [304, '', 'private, must-revalidate, max-age=0'],
      );
      t.equal(again.headers.get('etag')?.replace('-gzip', ''), etag);
      await alice.client.patch(`${repos}/alice/public`, { body: { issue_code: 'PUB' } });
      t.equal(
        (await alice.client.get(`${repos}/alice/public`, { headers: { 'if-none-match': etag } })).status,
        200,
        'changed',
      );
    },
  );

  await t.test('a token needs repo:read, also for public repositories; wider scopes include it', async (t) => {
    for (const [scope, status] of [
      ['repo:read', 200],
      ['repo:write', 200],
      ['repo:admin', 200],
      ['issue:read', 403],
    ] as const) {
      const answer = await (await forge.pat(alice.client, [scope])).get(`${repos}/alice/public`);
      t.equal(answer.status, status, scope);
      if (status === 403)
        t.match(answer.headers.get('www-authenticate'), /error="insufficient_scope", scope="repo:read"/);
    }
  });
});

void t.test('PATCH /repos/{owner}/{repo}', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  const first = await create(alice, { name: 'first', visibility: 'public' });
  await create(alice, { name: 'second', visibility: 'private' });
  const patch = (body: object, name = 'first') => alice.client.patch(`${repos}/alice/${name}`, { body });

  await t.test('200 with the record; a rename frees the old name', async (t) => {
    const { status, body } = await patch({
      name: 'Renamed',
      description: 'new',
      visibility: 'internal',
      issue_code: 'ABC',
    });
    t.equal(status, 200);
    t.match(body, {
      id: first.id,
      name: 'Renamed',
      description: 'new',
      visibility: 'internal',
      is_private: false,
      issue_code: 'ABC',
    });
    t.ok((body as Repository).updated_at > first.updated_at);
    t.equal((await alice.client.get(`${repos}/alice/first`)).status, 404);
    t.match((await patch({ name: 'first', issue_code: '' }, 'renamed')).body, { name: 'first', issue_code: '' });
    t.match(
      (await patch({ is_private: false })).body,
      { visibility: 'internal' },
      'an unchanged is_private changes nothing',
    );
    t.match((await patch({ is_private: true })).body, { visibility: 'private', is_private: true });
    t.match((await patch({ is_private: false })).body, { visibility: 'public' });
    const { body: same } = await patch({});
    t.match(same, { name: 'first', visibility: 'public' });
    t.match((await patch({ default_branch: 'trunk' })).body, { default_branch: 'trunk' });
  });

  await t.test('400 for an invalid body', async (t) => {
    for (const body of [
      { visibility: 'secret' },
      { issue_code: 'a' },
      { issue_code: 'A' },
      { issue_code: '1A' },
      { issue_code: 'ABCDEFGHIJK' },
      { name: '' },
      { name: '..' },
      { default_branch: '-x' },
      { stars_count: 1 },
      { owner: 'bob' },
      { name: null },
    ]) {
      t.equal((await patch(body)).status, 400, JSON.stringify(body));
    }
  });

  await t.test('changing: 401 anonymous, 404 for a caller who may not read, 403 for one who may', async (t) => {
    const body = { description: 'x' };
    for (const name of ['first', 'second', 'missing'])
      t.equal((await forge.anonymous.patch(`${repos}/alice/${name}`, { body })).status, 401, name);
    t.equal((await bob.client.patch(`${repos}/alice/first`, { body })).status, 403);
    t.equal((await bob.client.patch(`${repos}/alice/second`, { body })).status, 404);
    t.equal((await bob.client.patch(`${repos}/alice/missing`, { body })).status, 404);
    t.equal((await (await forge.administrator()).patch(`${repos}/alice/second`, { body })).status, 200);
    t.match(await (await forge.pat(alice.client, ['repo:write'])).patch(`${repos}/alice/first`, { body }), {
      status: 403,
      body: { error_code: 'insufficient_scope' },
    });
    t.equal(
      (await (await forge.pat(alice.client, ['repo:admin'])).patch(`${repos}/alice/first`, { body })).status,
      200,
    );
  });

  await t.test("409 for a name in use, with the other repository's id, and for an issue code in use", async (t) => {
    const second = (await alice.client.get(`${repos}/alice/second`)).body as Repository;
    const { status, body } = await patch({ name: 'SECOND' });
    t.equal(status, 409);
    t.match(body, { error: 'name_in_use', existing_repo_id: second.id });
    await patch({ issue_code: 'TAKEN' }, 'second');
    const taken = await patch({ issue_code: 'TAKEN' });
    t.equal(taken.status, 409);
    t.not((taken.body as Failure).error, 'name_in_use');
    t.equal((await create(bob, { name: 'bobs' })).name, 'bobs');
    t.equal(
      (await bob.client.patch(`${repos}/bob/bobs`, { body: { issue_code: 'TAKEN' } })).status,
      200,
      'issue codes are unique per owner',
    );
  });
});

void t.test('DELETE /repos/{owner}/{repo}', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  await create(alice, { name: 'Gone', visibility: 'public' });
  await create(alice, { name: 'Secret' });
  const remove = (client: TestUser['client'], name: string, confirmation?: string) =>
    client.delete(`${repos}/alice/${name}`, confirmation === undefined ? {} : { body: { confirmation } });

  await t.test('400 without a body or if the confirmation is not exactly owner/name', async (t) => {
    t.equal((await remove(alice.client, 'Gone')).status, 400);
    t.equal((await alice.client.delete(`${repos}/alice/Gone`, { body: {} })).status, 400);
    for (const confirmation of ['', 'Gone', 'alice/Gone', 'Alice/gone', 'Alice/Gone/', ' Alice/Gone'])
      t.equal((await remove(alice.client, 'Gone', confirmation)).status, 400, confirmation);
    t.equal((await alice.client.get(`${repos}/alice/gone`)).status, 200);
  });

  await t.test('deleting: 401 anonymous, 404 for a caller who may not read, 403 for one who may', async (t) => {
    t.equal((await remove(forge.anonymous, 'Gone', 'Alice/Gone')).status, 401);
    t.equal((await remove(forge.anonymous, 'missing', 'Alice/missing')).status, 401);
    t.equal((await remove(bob.client, 'Gone', 'Alice/Gone')).status, 403);
    t.equal((await remove(bob.client, 'Secret', 'Alice/Secret')).status, 404);
  });

  await t.test('204, then it does not exist and its name is free', async (t) => {
    const answer = await remove(alice.client, 'gone', 'Alice/Gone');
    t.same([answer.status, answer.text], [204, '']);
    t.equal((await alice.client.get(`${repos}/alice/gone`)).status, 404);
    t.equal((await remove(alice.client, 'gone', 'Alice/Gone')).status, 404);
    await create(alice, { name: 'Gone' });
    t.equal((await remove(await forge.administrator(), 'gone', 'Alice/Gone')).status, 204, 'an administrator may');
  });
});
