// Tests of how merge requests follow pushes to their branches.
import t from 'tap';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { branch, commit, expect, workshop, type MergeJson } from '../workshop.ts';

void t.test('pushes to the source', async (t) => {
  const { alice, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const { number } = await open(code);
  const commits = async (): Promise<readonly string[]> =>
    (
      expect(await alice.client.get(`${code}/merges/${number}/commits`), 200).body as readonly {
        readonly sha: string;
      }[]
    ).map(({ sha }) => sha);

  await t.test('a push moves the head, and changes the commits, counts and diff of the request', async (t) => {
    const before = await fetch(code, number);
    const tip = await commit(alice.client, code, 'topic', 'second.txt');
    await settled();
    t.equal((await commits())[0], tip);
    const now = await fetch(code, number);
    t.match(now, { state: 'open', commits_count: 2, additions: 2, diff: /second\.txt/ });
    t.not(now.updated_at, before.updated_at);
  });

  await t.test(
    'deleting the source leaves the request open and unchanged; a source that is created again is followed',
    async (t) => {
      expect(await alice.client.delete(`${code}/branches/topic`), 204);
      await settled();
      t.match(await fetch(code, number), { state: 'open', commits_count: 2, diff: /second\.txt/ });
      t.equal((await commits()).length, 2);
      const tip = await branch(alice.client, code, 'topic');
      await settled();
      t.strictSame(await commits(), [tip]);
    },
  );

  await t.test('a closed request does not change, and follows its source again when it is reopened', async (t) => {
    expect(await alice.client.patch(`${code}/merges/${number}`, { body: { state: 'closed' } }), 200);
    const tip = await commit(alice.client, code, 'topic', 'third.txt');
    await settled();
    t.notOk((await commits()).includes(tip));
    const reopened = await alice.client.patch(`${code}/merges/${number}`, { body: { state: 'open' } });
    t.match(reopened.body, { state: 'open', diff: /third\.txt/ });
    await settled();
    t.equal((await commits())[0], tip);
  });
});

void t.test('pushes to the target', async (t) => {
  const { forge, alice, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const home = await stockGit(t);
  const work = await workTree(home, 'work');
  const at = remote(forge.url, 'alice/code', alice);
  await work.git('fetch', '--quiet', at, '+refs/heads/*:refs/heads/*', '--update-head-ok');
  await work.git('checkout', '--quiet', 'main');
  const push = async (...refs: readonly string[]): Promise<void> => {
    await work.git('push', '--quiet', '--force', at, ...refs);
    await settled();
  };
  const oid = async (revision: string): Promise<string> => (await work.git('rev-parse', revision)).trim();
  /** A branch one commit ahead of main, and a request for it. */
  const request = async (name: string, body = {}): Promise<MergeJson> => {
    await work.git('checkout', '--quiet', '-b', name, 'main');
    await work.commit(`Add ${name}`, { [`${name}.txt`]: `${name}\n` });
    await push(name);
    await work.git('checkout', '--quiet', 'main');
    return open(code, { source_branch: name, ...body });
  };
  const shas = async ({ number }: MergeJson): Promise<readonly string[]> =>
    (
      expect(await alice.client.get(`${code}/merges/${number}/commits`), 200).body as readonly {
        readonly sha: string;
      }[]
    ).map(({ sha }) => sha);

  await t.test(
    'pushing a manual merge marks the request as merged, with the commit of the target that first contains the head',
    async (t) => {
      const [one, other] = [await request('one'), await request('other')];
      await work.commit('Unrelated', { 'main.txt': 'm\n' });
      await work.git('merge', '--quiet', '--no-ff', '--no-edit', 'one');
      const bringer = await oid('HEAD');
      await work.commit('Afterwards', { 'later.txt': 'l\n' });
      await push('main');
      const merged = await fetch(code, one.number);
      t.match(merged, {
        state: 'merged',
        merge_commit: bringer,
        merged_at: /Z$/,
        commits_count: 1,
        additions: 1,
        diff: /one\.txt/,
      });
      t.notOk('closed_at' in merged);
      t.strictSame(await shas(one), [await oid('one')], 'the commits remain those that were merged');
      t.match(await fetch(code, other.number), { state: 'open', diff: /other\.txt/ });
    },
  );

  await t.test('a fast-forward: the head is the merge commit', async (t) => {
    const made = await request('forward');
    await work.git('merge', '--quiet', '--ff-only', 'forward');
    await push('main');
    t.match(await fetch(code, made.number), { state: 'merged', merge_commit: await oid('forward'), commits_count: 1 });
  });

  await t.test(
    'several requests merged by one push have their own merge commits; the same push may delete the source',
    async (t) => {
      const [left, right] = [await request('left'), await request('right')];
      await work.git('merge', '--quiet', '--no-ff', '--no-edit', 'left');
      const first = await oid('HEAD');
      await work.git('merge', '--quiet', '--no-ff', '--no-edit', 'right');
      const second = await oid('HEAD');
      await push('main', ':left');
      t.match(await fetch(code, left.number), { state: 'merged', merge_commit: first });
      t.match(await fetch(code, right.number), { state: 'merged', merge_commit: second });
      t.equal((await shas(left)).length, 1);
    },
  );

  await t.test('a source that moves in the same push is merged at its new tip', async (t) => {
    const made = await request('both');
    await work.git('checkout', '--quiet', 'both');
    const tip = await work.commit('More', { 'both-more.txt': 'x\n' });
    await work.git('checkout', '--quiet', 'main');
    await work.git('merge', '--quiet', '--no-ff', '--no-edit', 'both');
    await push('main', 'both');
    t.match(await fetch(code, made.number), { state: 'merged', commits_count: 2, merge_commit: await oid('HEAD') });
    t.equal((await shas(made))[0], tip);
  });

  await t.test(
    'a request whose head is already in the target is open until a push to the target contains it',
    async (t) => {
      await work.git('branch', 'level', 'main');
      await push('level');
      const level = await open(code, { source_branch: 'level' });
      await work.commit('On', { 'on.txt': 'on\n' });
      await push('main');
      t.match(await fetch(code, level.number), { state: 'open', commits_count: 0, diff: '' });
    },
  );

  await t.test('a target that is rewritten without the head leaves the request open', async (t) => {
    const made = await request('spare');
    await work.git('commit', '--quiet', '--amend', '--message', 'On, rewritten');
    await push('main');
    t.match(await fetch(code, made.number), { state: 'open' });
  });

  await t.test('deleting the target closes its requests, by a push and over REST', async (t) => {
    for (const how of ['push', 'rest'] as const) {
      await work.git('branch', `target-${how}`, 'main');
      await push(`target-${how}`);
      const made = await request(`for-${how}`, { target_branch: `target-${how}` });
      if (how === 'push') await push(`:target-${how}`);
      else expect(await alice.client.delete(`${code}/branches/target-${how}`), 204);
      await settled();
      const closed = await fetch(code, made.number);
      t.match(closed, { state: 'closed', closed_at: /Z$/, commits_count: 1, diff: new RegExp(`for-${how}`) }, how);
      const reopened = await alice.client.patch(`${code}/merges/${made.number}`, { body: { state: 'open' } });
      t.equal(reopened.status, 400, 'it cannot be reopened');
    }
  });
});
