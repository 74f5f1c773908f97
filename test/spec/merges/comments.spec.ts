// Tests of review comments: every status of each operation.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { remote, stockGit } from '#test/support/servers/stock-git';
import { commit, expect, nobody, repos, workshop } from './workshop.ts';

interface CommentJson {
  readonly id: string;
  readonly body: string;
  readonly outdated: boolean | null;
  readonly updated_at: string;
  readonly [member: string]: unknown;
}

void t.test('review comments', async (t) => {
  const { forge, alice, bob, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const { client: carol } = await forge.createUser('carol');
  const invite = async (username: string, role: string): Promise<void> => {
    expect(await alice.client.put(`${code}/collaborators/${username}`, { body: { role } }), 204);
  };
  await invite('bob', 'write');
  const request = await open(code);
  const all = `${code}/merges/${request.number}/comments`;
  const tip = async (branch = 'topic'): Promise<string> => {
    const { body } = await alice.client.get(`${code}/branches`);
    const { items } = body as { readonly items: readonly { readonly name: string; readonly commit_sha: string }[] };
    return items.find(({ name }) => name === branch)?.commit_sha ?? '';
  };
  const add = async (body: string | object, client: Client = bob.client, path = all): Promise<CommentJson> =>
    expect(await client.post(path, { body: typeof body === 'string' ? { body } : body }), 201).body as CommentJson;
  const list = async (query = ''): Promise<readonly CommentJson[]> =>
    expect(await forge.anonymous.get(`${all}${query}`), 200).body as readonly CommentJson[];
  const one = async (id: string): Promise<CommentJson | undefined> =>
    (await list()).find((comment) => comment.id === id);
  /** Writes a file of a branch that may already have it. @returns the commit. */
  const write = async (path: string, content: string, branch = 'topic'): Promise<string> => {
    const { body: before } = await alice.client.get(`${code}/contents/${path}?ref=${branch}`);
    const sha = (before as { readonly sha?: string }).sha;
    const body = { message: `Write ${path}`, branch, content: Buffer.from(content).toString('base64'), sha };
    const { body: written } = await alice.client.put(`${code}/contents/${path}`, { body });
    return (written as { readonly commit: { readonly sha: string } }).commit.sha;
  };

  await t.test('POST answers 201 with the comment; GET is a bare array, oldest first', async (t) => {
    t.strictSame(await list(), []);
    const first = await add('# First\n');
    t.strictSame(first, {
      id: first.id,
      mr_id: request.id,
      author_id: bob.id,
      commit_sha: null,
      file_path: null,
      line_number: null,
      start_line: null,
      body: '# First\n',
      resolved: false,
      outdated: false,
      created_at: first['created_at'],
      updated_at: first['created_at'],
    });
    const second = await add('Second', alice.client);
    t.strictSame(await list(), [first, second]);
    t.strictSame(await list('?per_page=1&page=2'), [second]);
    t.strictSame(await list('?per_page=1000&page=0'), [first, second], 'out of bounds: the default');
    t.strictSame(await list('?page=9'), []);
    t.equal(
      (await fetch(code, request.number)).updated_at,
      request.updated_at,
      'updated_at of the request does not change',
    );
  });

  await t.test('the body is stored with HTML entities escaped once', async (t) => {
    const escaped = '&lt;script&gt;alert(&quot;1&quot; &amp;&amp; &#39;2&#39;)&lt;/script&gt;';
    const made = await add(`<script>alert("1" && '2')</script>`);
    t.equal(made.body, escaped);
    t.equal((await one(made.id))?.body, escaped);
    const path = `${all}/${made.id}`;
    const entities = expect(await bob.client.patch(path, { body: { body: '&lt;b&gt; &amp;' } }), 200).body;
    t.equal((entities as CommentJson).body, '&amp;lt;b&amp;gt; &amp;amp;', 'unescaping gives back what was sent');
  });

  await t.test('anchors: a commit of the request, a file of it, a line of the file', async (t) => {
    const sha = await tip();
    const anchored = await add({ body: 'x', commit_sha: sha, file_path: 'topic.txt', line_number: 1 });
    t.match(anchored, { commit_sha: sha, file_path: 'topic.txt', line_number: 1, outdated: false });
    t.match(await add({ body: 'x', commit_sha: sha.toUpperCase() }), { commit_sha: sha, file_path: null });
    t.match(await add({ body: 'x', file_path: 'README.md' }), { commit_sha: sha, line_number: null }, 'of the head');
    for (const [body, member] of [
      [{ commit_sha: await tip('main') }, 'commit_sha'],
      [{ commit_sha: '1'.repeat(40) }, 'commit_sha'],
      [{ commit_sha: 'topic' }, 'commit_sha'],
      [{ commit_sha: sha.slice(0, 12) }, 'commit_sha'],
      [{ file_path: 'none.txt' }, 'file_path'],
      [{ file_path: '../topic.txt' }, 'file_path'],
      [{ file_path: '' }, 'file_path'],
      [{ file_path: 'x'.repeat(4097) }, 'file_path'],
      [{ line_number: 1 }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: 2 }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: 0 }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: -1 }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: 1.5 }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: '1' }, 'line_number'],
      [{ file_path: 'topic.txt', line_number: 2 ** 31 }, 'line_number'],
    ] as const) {
      const answer = await bob.client.post(all, { body: { body: 'x', ...body } });
      isError(t, answer, 400, 'validation_failed', JSON.stringify(body).slice(0, 60));
      t.match((answer.body as { readonly detail: string }).detail, member);
    }
  });

  await t.test(
    'a comment keeps its anchor after pushes, and `outdated` is true if its line no longer exists at the head',
    async (t) => {
      const sha = await write('lines.txt', 'one\ntwo\nthree\n');
      const at = async (line: number): Promise<CommentJson> =>
        add({ body: `line ${line}`, commit_sha: sha, file_path: 'lines.txt', line_number: line });
      const [first, second, third] = [await at(1), await at(2), await at(3)];
      const whole = await add({ body: 'file', commit_sha: sha, file_path: 'lines.txt' });
      await settled();
      const outdated = async (...comments: readonly CommentJson[]) => {
        const listed = await list();
        return comments.map(({ id }) => listed.find((comment) => comment.id === id)?.outdated);
      };
      t.strictSame(await outdated(first, second, third, whole), [false, false, false, false]);
      await write('lines.txt', 'zero\none\n2\nthree\n');
      await settled();
      t.strictSame(
        await outdated(first, second, third, whole),
        [false, true, false, false],
        'a moved line is not outdated',
      );
      t.match(await one(second.id), { commit_sha: sha, file_path: 'lines.txt', line_number: 2 }, 'it keeps its anchor');
      await write('lines.txt', 'zero\none\ntwo\nthree\n');
      await settled();
      t.strictSame(await outdated(second), [false], 'the line exists again');
      const { body } = await alice.client.get(`${code}/contents/lines.txt?ref=topic`);
      const gone = { message: 'Remove', branch: 'topic', sha: (body as { readonly sha: string }).sha };
      expect(await alice.client.delete(`${code}/contents/lines.txt`, { body: gone }), 200);
      await settled();
      t.strictSame(await outdated(first, second, third, whole), [true, true, true, true], 'the file was deleted');
    },
  );

  await t.test('a commit that was removed by a force push remains the anchor of its comments', async (t) => {
    const git = await stockGit(t);
    await git.git('clone', '--quiet', '--branch', 'topic', remote(forge.url, 'alice/code', alice), 'work');
    const work = git.at('work');
    const lost = await work.commit('Lost', { 'lost.txt': 'lost\n', 'topic.txt': 'topic.txt\nmore\n' });
    await work.git('push', '--quiet', 'origin', 'topic');
    await settled();
    const comments = [
      await add({ body: 'x', commit_sha: lost }),
      await add({ body: 'x', commit_sha: lost, file_path: 'lost.txt', line_number: 1 }),
      await add({ body: 'x', commit_sha: lost, file_path: 'topic.txt', line_number: 1 }),
    ];
    await work.git('reset', '--quiet', '--hard', 'HEAD~1');
    await work.commit('Instead', { 'other.txt': 'other\n' });
    await work.git('push', '--quiet', '--force', 'origin', 'topic');
    await settled();
    for (const [index, expected] of [false, true, false].entries())
      t.match(await one(comments[index]?.id ?? ''), { commit_sha: lost, outdated: expected });
    const answer = await bob.client.post(all, { body: { body: 'x', commit_sha: lost } });
    isError(t, answer, 400, 'validation_failed', 'it is no longer a commit of the request');
  });

  await t.test('a commit can be commented on right after its push', async (t) => {
    const sha = await commit(alice.client, code, 'topic', 'quick.txt');
    t.match(await add({ body: 'x', commit_sha: sha, file_path: 'quick.txt', line_number: 1 }), { outdated: false });
  });

  await t.test('POST needs write access: 401, 403, 404', async (t) => {
    isError(t, await forge.anonymous.post(all, { body: { body: 'x' } }), 401, 'unauthorized', 'anonymous');
    isError(t, await carol.post(all, { body: { body: 'x' } }), 403, 'forbidden', 'a reader');
    await invite('carol', 'triage');
    isError(t, await carol.post(all, { body: { body: 'x' } }), 403, 'forbidden', 'triage');
    const secret = await repository('secret', 'private');
    const { number } = await open(secret);
    const hidden = `${secret}/merges/${number}/comments`;
    isError(t, await carol.get(hidden), 404, 'not_found', 'reading');
    isError(t, await carol.post(hidden, { body: { body: 'x' } }), 404, 'not_found', 'writing');
  });

  await t.test('PATCH: body, resolved or both, by the author or an administrator of the repository', async (t) => {
    const made = await add('Before');
    const path = `${all}/${made.id}`;
    const change = async (body: object, client = bob.client): Promise<CommentJson> =>
      expect(await client.patch(path, { body }), 200).body as CommentJson;
    t.strictSame(await change({ body: 'Before', resolved: false }), made, 'an unchanged value changes nothing');
    const resolved = await change({ resolved: true }, alice.client);
    t.strictSame(resolved, { ...made, resolved: true, updated_at: resolved.updated_at });
    t.ok(resolved.updated_at > made.updated_at);
    t.match(await change({ body: 'After' }, await forge.administrator()), { body: 'After', resolved: true });
    t.match(await change({ body: 'Again', resolved: false }), { body: 'Again', resolved: false });
    await invite('carol', 'admin');
    t.match(await change({ body: 'Administered' }, carol), { body: 'Administered' });
    await invite('carol', 'maintain');
    for (const client of [carol, (await forge.createUser('dave')).client])
      isError(t, await client.patch(path, { body: { resolved: true } }), 403, 'forbidden', 'another user');
    isError(t, await forge.anonymous.patch(path, { body: { resolved: true } }), 401, 'unauthorized', 'anonymous');
    t.match(await one(made.id), { body: 'Administered', resolved: false });
    await invite('bob', 'read');
    t.match(await change({ resolved: true }), { resolved: true }, 'the author of the comment, who may now only read');
    await invite('bob', 'write');
  });

  await t.test('DELETE: the author or an administrator of the repository, 204', async (t) => {
    const [own, other, third] = [await add('one'), await add('two'), await add('three')];
    isError(t, await carol.delete(`${all}/${own.id}`), 403, 'forbidden', 'maintain');
    isError(t, await forge.anonymous.delete(`${all}/${own.id}`), 401, 'unauthorized', 'anonymous');
    t.equal((await bob.client.delete(`${all}/${own.id}`)).status, 204);
    t.equal((await alice.client.delete(`${all}/${other.id}`)).status, 204);
    t.equal((await (await forge.administrator()).delete(`${all}/${third.id}`)).status, 204);
    isError(t, await bob.client.delete(`${all}/${own.id}`), 404, 'not_found', 'again');
    t.equal(await one(own.id), undefined);
  });

  await t.test('400 for a body that is empty, missing, too long or unknown, and for malformed ids', async (t) => {
    const { id } = await add('known');
    for (const [body, code] of [
      [{ body: '' }, 'validation_failed'],
      [{ body: ' \n' }, 'validation_failed'],
      [{ body: null }, 'validation_failed'],
      [{ body: 7 }, 'validation_failed'],
      [{ body: 'x'.repeat(65_537) }, 'validation_failed'],
      [{ body: `${'x'.repeat(65_533)}<` }, 'validation_failed'],
      [{ body: 'x', author_id: nobody }, 'unknown_field'],
      [{}, 'validation_failed'],
    ] as const) {
      const what = JSON.stringify(body).slice(0, 60);
      for (const answer of [await bob.client.post(all, { body }), await bob.client.patch(`${all}/${id}`, { body })])
        isError(t, answer, 400, code, what);
    }
    for (const [body, code] of [
      [{ resolved: 'true' }, 'validation_failed'],
      [{ resolved: null }, 'validation_failed'],
      [{ line_number: 1 }, 'unknown_field'],
    ] as const)
      isError(t, await bob.client.patch(`${all}/${id}`, { body }), 400, code, JSON.stringify(body));
    isError(t, await bob.client.post(all, { body: { body: 'x', resolved: true } }), 400, 'unknown_field', 'POST');
    isError(t, await bob.client.patch(`${all}/1`, { body: { body: 'x' } }), 400, 'validation_failed', 'PATCH');
    isError(t, await bob.client.delete(`${all}/1`), 400, 'validation_failed', 'DELETE');
    for (const number of ['x', '1.5', '-1']) {
      const path = `${code}/merges/${number}/comments`;
      isError(t, await bob.client.get(path), 400, 'validation_failed', number);
      isError(t, await bob.client.post(path, { body: { body: 'x' } }), 400, 'validation_failed', number);
    }
    t.equal((await add('x'.repeat(65_536))).body.length, 65_536);
  });

  await t.test('404 for an unknown comment, and for a comment of another request or repository', async (t) => {
    const { id } = await add('here');
    const elsewhere = await repository('elsewhere');
    await open(elsewhere);
    expect(await alice.client.post(`${code}/branches`, { body: { name: 'two', base_ref: 'topic' } }), 201);
    const other = (await open(code, { source_branch: 'two' })).number;
    for (const path of [
      `${all}/${nobody}`,
      `${code}/merges/${other}/comments/${id}`,
      `${elsewhere}/merges/1/comments/${id}`,
      `${code}/merges/9999/comments/${id}`,
      `${repos}/alice/none/merges/1/comments/${id}`,
    ]) {
      isError(t, await alice.client.patch(path, { body: { body: 'x' } }), 404, 'not_found', path);
      isError(t, await alice.client.delete(path), 404, 'not_found', path);
    }
    for (const number of ['0', '9999', '2147483648', '9007199254740991']) {
      const path = `${code}/merges/${number}/comments`;
      isError(t, await bob.client.get(path), 404, 'not_found', number);
      isError(t, await bob.client.post(path, { body: { body: 'x' } }), 404, 'not_found', number);
    }
    t.equal((await one(id))?.body, 'here', 'untouched');
  });

  await t.test('a closed request can be commented on', async (t) => {
    expect(await alice.client.patch(`${code}/merges/${request.number}`, { body: { state: 'closed' } }), 200);
    t.match(await add({ body: 'x', commit_sha: await tip() }), { commit_sha: await tip() });
  });

  await t.test('an author of comments cannot be deleted: 409 with the reason', async (t) => {
    const eve = await forge.createUser('eve');
    await invite('eve', 'write');
    await add('by eve', eve.client);
    const refusal = await (await forge.administrator()).delete(`/api/v1/admin/users/${eve.id}`);
    t.equal(refusal.status, 409, refusal.text);
    t.match(refusal.text, /comments/);
  });
});
