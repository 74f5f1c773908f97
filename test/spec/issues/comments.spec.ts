// Tests of comments on issues: every status of each operation.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, nobody, repos, tracker } from './tracker.ts';

interface CommentJson {
  readonly id: string;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [member: string]: unknown;
}

void t.test('comments', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code', { issue_code: 'ABC' });
  const issue = await open(issues);
  const all = `${issues}/${issue.number}/comments`;
  const add = async (body: string, client = bob.client, path = all): Promise<CommentJson> =>
    expect(await client.post(path, { body: { body } }), 201).body as CommentJson;
  const list = async (query = ''): Promise<readonly CommentJson[]> =>
    expect(await forge.anonymous.get(`${all}${query}`), 200).body as readonly CommentJson[];

  await t.test('POST answers 201 with the comment; GET is a bare array, oldest first', async (t) => {
    t.strictSame(await list(), []);
    const first = await add('# First\n');
    t.strictSame(first, {
      id: first.id,
      issue_id: issue.id,
      author_id: bob.id,
      author: { id: bob.id, username: 'bob', display_name: '', avatar_url: '' },
      body: '# First\n',
      created_at: first.created_at,
      updated_at: first.created_at,
    });
    const second = await add('Second', alice.client, all.replace(/\d+\/comments$/, `ABC-${issue.number}/comments`));
    t.match(second, { author: { username: 'alice' } });
    t.strictSame(await list(), [first, second]);
    t.strictSame(await list('?per_page=1&page=2'), [second]);
    t.strictSame(await list('?per_page=1000&page=0'), [first, second], 'out of bounds: the default');
    t.strictSame(await list('?page=9'), []);
  });

  await t.test('an issue has its comment count, in lists too; its updated_at does not change', async (t) => {
    t.match((await forge.anonymous.get(`${issues}/${issue.number}`)).body, {
      comments_count: 2,
      updated_at: issue.updated_at,
    });
    await open(issues);
    const { items } = (await forge.anonymous.get(issues)).body as { readonly items: readonly object[] };
    t.match(items, [{ comments_count: 0 }, { comments_count: 2 }]);
  });

  await t.test('PATCH: only the author; an unchanged body changes nothing', async (t) => {
    const before = await add('Before');
    const path = `${all}/${before.id}`;
    t.strictSame((await bob.client.patch(path, { body: { body: 'Before' } })).body, before);
    for (const client of [alice.client, await forge.administrator()])
      isError(t, await client.patch(path, { body: { body: 'x' } }), 403, 'forbidden', 'not the author');
    const changed = expect(await bob.client.patch(path, { body: { body: 'After' } }), 200).body as CommentJson;
    t.strictSame(changed, { ...before, body: 'After', updated_at: changed.updated_at });
    t.ok(changed.updated_at > before.updated_at);
    t.strictSame((await list()).at(-1), changed);
  });

  await t.test('DELETE: the author and instance administrators, 204; not the owner of the repository', async (t) => {
    const count = (await list()).length;
    const [one, two] = [await add('one'), await add('two')];
    isError(t, await alice.client.delete(`${all}/${one.id}`), 403, 'forbidden', 'the owner');
    t.equal((await bob.client.delete(`${all}/${one.id}`)).status, 204);
    t.equal((await (await forge.administrator()).delete(`${all}/${two.id}`)).status, 204);
    isError(t, await bob.client.delete(`${all}/${one.id}`), 404, 'not_found', 'again');
    t.equal((await list()).length, count);
  });

  await t.test('400 for a body that is empty, missing, too long or unknown, and for a malformed id', async (t) => {
    const { id } = await add('known');
    for (const [body, code] of [
      [{}, 'validation_failed'],
      [{ body: '' }, 'validation_failed'],
      [{ body: ' \n' }, 'validation_failed'],
      [{ body: null }, 'validation_failed'],
      [{ body: 7 }, 'validation_failed'],
      [{ body: 'x'.repeat(65_537) }, 'validation_failed'],
      [{ body: 'x', author_id: nobody }, 'unknown_field'],
    ] as const) {
      const what = JSON.stringify(body).slice(0, 60);
      for (const answer of [await bob.client.post(all, { body }), await bob.client.patch(`${all}/${id}`, { body })])
        isError(t, answer, 400, code, what);
    }
    isError(t, await bob.client.patch(`${all}/1`, { body: { body: 'x' } }), 400, 'validation_failed', 'PATCH');
    isError(t, await bob.client.delete(`${all}/1`), 400, 'validation_failed', 'DELETE');
    t.equal((await add('x'.repeat(65_536))).body.length, 65_536);
  });

  await t.test('404 for an unknown comment, and for a comment on another issue or in another repository', async (t) => {
    const { id } = await add('here');
    const elsewhere = await repository('elsewhere');
    await open(elsewhere);
    const other = (await open(issues)).number;
    for (const path of [
      `${all}/${nobody}`,
      `${issues}/${other}/comments/${id}`,
      `${elsewhere}/1/comments/${id}`,
      `${issues}/9999/comments/${id}`,
    ]) {
      isError(t, await bob.client.patch(path, { body: { body: 'x' } }), 404, 'not_found', path);
      isError(t, await bob.client.delete(path), 404, 'not_found', path);
    }
    isError(t, await bob.client.get(`${issues}/9999/comments`), 404, 'not_found', 'GET');
    isError(t, await bob.client.post(`${issues}/9999/comments`, { body: { body: 'x' } }), 404, 'not_found', 'POST');
    t.equal((await list()).find((comment) => comment.id === id)?.body, 'here', 'untouched');
  });

  await t.test('locking and unlocking needs issue.write, for the author too: 403', async (t) => {
    const { number } = await open(issues, {}, bob.client);
    const set = (client: typeof bob.client, body: object) => client.patch(`${issues}/${number}`, { body });
    const locked = async () =>
      ((await bob.client.get(`${issues}/${number}`)).body as { readonly locked: boolean }).locked;
    isError(t, await set(bob.client, { locked: true, title: 'Mine' }), 403, 'forbidden', 'locking');
    t.match((await bob.client.get(`${issues}/${number}`)).body, { title: /^(?!Mine)/, locked: false });
    expect(await set(alice.client, { locked: true }), 200);
    isError(t, await set(bob.client, { locked: false }), 403, 'forbidden', 'unlocking');
    t.equal(await locked(), true);
    expect(await set(bob.client, { locked: true, title: 'Still mine' }), 200);
    expect(await set(alice.client, { locked: false }), 200);
    t.equal(await locked(), false);
  });

  await t.test('a locked issue accepts comments only with issue.write: 403', async (t) => {
    const { number } = await open(issues, {}, bob.client);
    const path = `${issues}/${number}/comments`;
    const { id } = await add('Before', bob.client, path);
    expect(await alice.client.patch(`${issues}/${number}`, { body: { locked: true } }), 200);
    const { client: carol } = await forge.createUser('carol');
    for (const client of [bob.client, carol])
      isError(t, await client.post(path, { body: { body: 'x' } }), 403, 'forbidden', 'POST');
    isError(t, await bob.client.patch(`${path}/${id}`, { body: { body: 'x' } }), 403, 'forbidden', 'PATCH');
    await add('the owner', alice.client, path);
    expect(await alice.client.put(`${repos}/alice/code/collaborators/carol`, { body: { role: 'triage' } }), 204);
    await add('triage', carol, path);
    t.equal((await bob.client.delete(`${path}/${id}`)).status, 204, 'a comment can still be deleted');
    t.equal(((await bob.client.get(path)).body as readonly object[]).length, 2, 'all comments can still be read');
  });

  await t.test(
    'an author of comments cannot be deleted: 409 with the reason; comments are deleted with their issue',
    async (t) => {
      const eve = await forge.createUser('eve');
      const { number } = await open(issues);
      await add('by eve', eve.client, `${issues}/${number}/comments`);
      const administrator = await forge.administrator();
      const refusal = await administrator.delete(`/api/v1/admin/users/${eve.id}`);
      t.equal(refusal.status, 409, refusal.text);
      t.match(refusal.text, /comments/);
      t.equal((await alice.client.delete(`${issues}/${number}`)).status, 204);
      t.equal((await administrator.delete(`/api/v1/admin/users/${eve.id}`)).status, 204);
    },
  );
});
