// Tests of merge requests from forks: who may open one, what of the fork is visible, and what remains when it is
// deleted.
import t from 'tap';
import { randomBytes } from 'node:crypto';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { branch, commit, expect, repos, workshop, type MergeJson } from '../workshop.ts';

const fix = { source_branch: 'bob:fix' };

void t.test('merge requests from forks', async (t) => {
  const { forge, alice, bob, repository, fork, open, fetch, settled } = await workshop(t);
  const [carol, dave] = [await forge.createUser('carol'), await forge.createUser('dave')];
  const commits = async (path: string, number: number): Promise<readonly string[]> =>
    ((await alice.client.get(`${path}/merges/${number}/commits`)).body as { readonly sha: string }[]).map(
      ({ sha }) => sha,
    );
  const heads = async (path: string): Promise<string> =>
    (await (await stockGit(t)).git('ls-remote', remote(forge.url, path, alice), 'refs/merges/*')).trim();
  const refused = async (
    path: string,
    status: number,
    { client = bob.client, ...body }: { readonly client?: typeof bob.client; readonly [member: string]: unknown },
  ): Promise<string> => {
    const answer = await client.post(`${path}/merges`, {
      body: { title: 'x', source_branch: 'bob:fix', target_branch: 'main', ...body },
    });
    t.equal(answer.status, status, JSON.stringify(body));
    return JSON.stringify(answer.body);
  };

  await t.test(
    'a reader of the target can open a request from a branch of their fork; only that branch is copied',
    async (t) => {
      const code = await repository('code');
      const copy = await fork(code);
      const secret = await branch(bob.client, copy, 'secret');
      const { id } = (await bob.client.get(copy)).body as { readonly id: string };
      const made = await open(code, fix, bob.client);
      t.match(made, {
        number: 1,
        state: 'open',
        source_branch: 'fix',
        source_repo: { id, owner: 'bob', name: 'code' },
        author: { username: 'bob' },
      });
      const [head = '', ...others] = await commits(code, 1);
      t.strictSame(others, []);
      t.equal(await heads('alice/code'), `${head}\trefs/merges/1/head`);
      t.equal((await alice.client.get(`${code}/contents/fix.txt?ref=${head}`)).status, 200);
      t.equal((await alice.client.get(`${code}/contents/?ref=${secret}`)).status, 404, 'another branch of the fork');
      t.strictSame(
        (
          (await alice.client.get(`${code}/branches`)).body as { readonly items: readonly { readonly name: string }[] }
        ).items
          .map(({ name }) => name)
          .toSorted(),
        ['main', 'topic'],
      );
      await refused(code, 409, {});
    },
  );

  await t.test(
    'the head follows pushes to the fork, also force pushes, and pushes that were made while the request was closed',
    async (t) => {
      const [code, copy] = [`${repos}/alice/code`, `${repos}/bob/code`];
      const second = await commit(bob.client, copy, 'fix', 'second.txt');
      await settled();
      const [head, first = ''] = await commits(code, 1);
      t.equal(head, second);
      t.equal(await heads('alice/code'), `${second}\trefs/merges/1/head`);
      const work = await workTree(await stockGit(t), 'work');
      const origin = remote(forge.url, 'bob/code', bob);
      await work.git('pull', '--quiet', origin, 'fix');
      await work.git('reset', '--quiet', '--hard', first);
      await work.git('push', '--quiet', '--force', origin, 'HEAD:fix');
      await settled();
      t.strictSame(await commits(code, 1), [first]);
      expect(await bob.client.patch(`${code}/merges/1`, { body: { state: 'closed' } }), 200);
      const third = await commit(bob.client, copy, 'fix', 'third.txt');
      await settled();
      t.strictSame(await commits(code, 1), [first], 'a closed request does not move');
      expect(await bob.client.patch(`${code}/merges/1`, { body: { state: 'open' } }), 200);
      await settled();
      t.strictSame(await commits(code, 1), [third, first]);
      t.equal(await heads('alice/code'), `${third}\trefs/merges/1/head`);
    },
  );

  await t.test('after many concurrent pushes to the fork the head is the tip of the branch', async (t) => {
    const [code, copy] = [`${repos}/alice/code`, `${repos}/bob/code`];
    await Promise.all(Array.from({ length: 6 }, (_, index) => commit(bob.client, copy, 'fix', `many-${index}`)));
    await settled();
    const [tip] = ((await bob.client.get(`${copy}/commits?ref=fix&per_page=1`)).body as { readonly sha: string }[]).map(
      ({ sha }) => sha,
    );
    t.equal((await commits(code, 1))[0], tip);
    t.equal(await heads('alice/code'), `${tip}\trefs/merges/1/head`);
  });

  await t.test(
    'the author changes and closes it; merging and changes by others need permission on the target',
    async (t) => {
      const code = `${repos}/alice/code`;
      expect(await bob.client.patch(`${code}/merges/1`, { body: { title: 'Better' } }), 200);
      t.equal((await carol.client.patch(`${code}/merges/1`, { body: { title: 'Mine' } })).status, 403);
      expect(await alice.client.patch(`${code}/merges/1`, { body: { title: 'Ours' } }), 200);
    },
  );

  await t.test('403 for a fork that one may read but not push to, and for a branch of the target itself', async () => {
    const code = `${repos}/alice/code`;
    await refused(code, 403, { client: carol.client });
    await refused(code, 403, { client: carol.client, source_branch: 'topic' });
    await refused(code, 403, { client: carol.client, source_branch: 'alice:topic' });
    expect(await bob.client.put(`${repos}/bob/code/collaborators/carol`, { body: { role: 'write' } }), 204);
    await branch(bob.client, `${repos}/bob/code`, 'carols', 'fix');
    expect(
      await carol.client.post(`${code}/merges`, {
        body: { title: 'x', source_branch: 'bob:carols', target_branch: 'main' },
      }),
      201,
    );
  });

  await t.test(
    'requests are possible within the fork network: a fork of a fork, the parent of a fork, and nothing else',
    async (t) => {
      const [code, copy] = [`${repos}/alice/code`, `${repos}/bob/code`];
      expect(await dave.client.post(`${copy}/forks`, { body: { name: 'second-hand' } }), 201);
      await branch(dave.client, `${repos}/dave/second-hand`, 'deep');
      const from = (client: typeof bob.client, path: string, source: string) =>
        client.post(`${path}/merges`, { body: { title: 'x', source_branch: source, target_branch: 'main' } });
      t.match((await from(dave.client, code, 'DAVE:deep')).body, {
        source_repo: { owner: 'dave', name: 'second-hand' },
      });
      t.equal((await from(dave.client, copy, 'dave:deep')).status, 201);
      const down = await from(alice.client, copy, 'alice:topic');
      t.match(down, { status: 201, body: { source_repo: { owner: 'alice', name: 'code' } } });
      expect(await dave.client.post(repos, { body: { name: 'apart', visibility: 'public' } }), 201);
      await branch(dave.client, `${repos}/dave/second-hand`, 'only-there');
      await commit(dave.client, `${repos}/dave/apart`, 'main', 'x');
      await branch(dave.client, `${repos}/dave/apart`, 'unrelated');
      for (const source of ['dave:unrelated', 'dave:missing', 'nobody:fix', 'dave:', ':fix', 'dave:deep:er', 'dave:-x'])
        isError(t, await from(dave.client, code, source), 400, 'validation_failed', source);
      await from(dave.client, `${repos}/dave/apart`, 'bob:fix').then((answer) => t.equal(answer.status, 400));
    },
  );

  await t.test(
    'readers of the target without access to a private fork see only the branch of the request',
    async (t) => {
      const code = await repository('shown');
      const copy = await fork(code, { name: 'hidden-name', visibility: 'private' });
      expect(await bob.client.put(`${copy}/branches/fix/protection`, { body: {} }), 200);
      const made = await open(code, fix, bob.client);
      t.match(
        made,
        { source_repo: { name: 'hidden-name' }, source_branch_protected: true },
        'to a user who may read it',
      );
      for (const client of [alice.client, carol.client, forge.anonymous]) {
        t.match(await fetch(code, made.number, client), { source_repo: null, source_branch_protected: false });
        const { text } = await client.get(`${code}/merges`);
        t.notMatch(text, /hidden-name/);
      }
      const unknown = await refused(code, 400, { client: carol.client });
      t.equal(
        await refused(code, 400, { client: carol.client, source_branch: 'dave:fix' }),
        unknown,
        'the same answer as for a fork that does not exist',
      );
      const later = await commit(bob.client, copy, 'main', 'private.txt');
      await settled();
      t.equal((await alice.client.get(`${code}/contents/?ref=${later}`)).status, 404);
      const admin = await forge.administrator();
      t.match(await fetch(code, made.number, admin), { source_repo: { name: 'hidden-name' } });
      expect(await bob.client.put(`${copy}/collaborators/carol`, { body: { role: 'read' } }), 204);
      t.match(await fetch(code, made.number, carol.client), { source_repo: { name: 'hidden-name' } });
    },
  );

  await t.test('outsiders get no information about a private target, with or without a fork', async (t) => {
    const shut = await repository('shut', 'private');
    expect(await alice.client.put(`${shut}/collaborators/bob`, { body: { role: 'read' } }), 204);
    await fork(shut);
    await open(shut, fix, bob.client);
    const out = await refused(shut, 403, { client: carol.client });
    t.notMatch(out, /fork|branch/);
    expect(await alice.client.delete(`${shut}/collaborators/bob`), 204);
    const later = await commit(bob.client, `${repos}/bob/shut`, 'fix', 'later.txt');
    await settled();
    t.equal((await commits(shut, 1))[0], later, 'the request still follows the branch of the fork');
    t.equal((await bob.client.get(`${shut}/merges/1`)).status, 404);
  });

  await t.test('deleting a fork keeps its commits, and leaves the request without a source', async (t) => {
    const code = await repository('kept');
    const copy = await fork(code);
    const made = await open(code, fix, bob.client);
    const before = await commits(code, made.number);
    expect(await bob.client.delete(copy, { body: { confirmation: 'bob/kept' } }), 204);
    await settled();
    t.match(await fetch(code, made.number), { state: 'open', source_repo: null, source_branch: 'fix' });
    t.strictSame(await commits(code, made.number), before);
    t.equal(await heads('alice/kept'), `${before[0]}\trefs/merges/1/head`);
    t.equal((await alice.client.get(`${code}/contents/fix.txt?ref=${before[0]}`)).status, 200);
    for (const state of ['closed', 'open'])
      t.match((await bob.client.patch(`${code}/merges/${made.number}`, { body: { state } })).body, { state });
    const lost = await alice.client.post(`${code}/merges/${made.number}/merge`, { body: {} });
    isError(t, lost, 409, 'source_branch_missing', 'there is nothing to merge');
    await fork(code);
    t.equal((await open(code, fix, bob.client)).number, made.number + 1, 'a new fork is another source');
    const merged = await alice.client.post(`${code}/merges/${made.number + 1}/merge`, { body: {} });
    t.match(merged, { status: 200, body: { state: 'merged' } });
    t.match(await heads('alice/kept'), /refs\/merges\/2\/head$/, 'the head remains');
  });
});

void t.test('commits copied from a fork count towards the quota of the author of the request', async (t) => {
  const forge = await startTestForge(t, {
    configuration: { settings: { 'repositories.max_bytes_per_user': 4_000_000 } },
  });
  const { alice, bob, repository, fork, open, settled } = await workshop(t, forge);
  const code = await repository('code');
  await fork(code);
  const work = await workTree(await stockGit(t), 'work');
  await work.git('pull', '--quiet', remote(forge.url, 'alice/code', alice), 'main');
  await work.commit('Fill', { fill: randomBytes(2_500_000) });
  await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), 'HEAD:filled');
  const made = await open(code, fix, bob.client);
  await work.git('reset', '--quiet', '--hard', 'HEAD~1');
  await work.commit('Large', { large: randomBytes(2_500_000) });
  await work.git('push', '--quiet', remote(forge.url, 'bob/code', bob), 'HEAD:large', '+HEAD:fix');
  await settled();
  const answer = await bob.client.post(`${code}/merges`, {
    body: { title: 'x', source_branch: 'bob:large', target_branch: 'main' },
  });
  isError(t, answer, 422, 'quota_exceeded', 'no room');
  t.match((answer.body as { error: string }).error, /for which the author has no room/);
  const stands = (await alice.client.get(`${code}/merges/${made.number}/commits`)).body as { message: string }[];
  t.match(stands, [{ message: 'Add fix.txt' }], 'an open request does not move');
  t.equal(((await alice.client.get(`${code}/merges`)).body as { total: number }).total, 1, 'no number is used');
  t.match(await open(code, { source_branch: 'topic' }), { number: 2 } satisfies Partial<MergeJson>);
});
