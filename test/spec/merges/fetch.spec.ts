// Tests of fetching a merge request and its commits.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, repos, workshop } from './workshop.ts';

void t.test('fetching a merge request', async (t) => {
  const { forge, alice, bob, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const made = await open(code, { description: 'why' });

  await t.test('every reader gets the request with its counts, files and diff', async (t) => {
    const seen = await fetch(code, 1, forge.anonymous);
    t.strictSame(seen, made);
    t.match(seen, { commits_count: 1, additions: 1, deletions: 0, diff: /^diff --git a\/topic\.txt b\/topic\.txt/ });
    t.match(seen['files'], [
      { old_path: 'topic.txt', new_path: 'topic.txt', is_add: true, additions: 1, deletions: 0 },
    ]);
    for (const member of ['merge_commit', 'merged_at', 'closed_at', 'diff_suppressed_reason'])
      t.notOk(member in seen, member);
  });

  await t.test('accepts both diff algorithms and no other', async (t) => {
    for (const algorithm of ['myers', 'histogram', ''])
      t.match((await alice.client.get(`${code}/merges/1?algorithm=${algorithm}`)).body, { diff: /topic/ }, algorithm);
    isError(t, await alice.client.get(`${code}/merges/1?algorithm=patience`), 400, 'validation_failed', 'patience');
  });

  await t.test('400 if it is not a number, 404 for an unknown number', async (t) => {
    for (const number of ['x', '1.5', '1x', '-1', '1.0', '1e0', '+1', '%201'])
      isError(t, await alice.client.get(`${code}/merges/${number}`), 400, 'validation_failed', number);
    for (const number of ['0', '2', '2147483647', '2147483648', '9007199254740993', '9'.repeat(40)])
      isError(t, await alice.client.get(`${code}/merges/${number}`), 404, 'not_found', number);
  });

  await t.test('404 if the caller may not see the repository', async (t) => {
    const hidden = await repository('hidden', 'private');
    await open(hidden);
    for (const path of [`${hidden}/merges/1`, `${hidden}/merges/1/commits`, `${repos}/alice/none/merges/1`])
      for (const client of [bob.client, forge.anonymous]) isError(t, await client.get(path), 404, 'not_found', path);
  });

  await t.test('commits of the target change neither the counts nor the diff', async (t) => {
    const other = await repository('moving');
    await open(other);
    await commit(alice.client, other, 'main', 'news.txt');
    await settled();
    t.match(await fetch(other, 1), { commits_count: 1, additions: 1, diff: /topic/ });
    t.notMatch((await fetch(other, 1))['diff'], /news/);
  });

  await t.test('deleted labels, milestones and people are removed from requests', async (t) => {
    const [label, milestone] = [
      (
        expect(await alice.client.post(`${code}/labels`, { body: { name: 'Bug', color: 'd73a4a' } }), 201).body as {
          readonly id: string;
        }
      ).id,
      (
        expect(await alice.client.post(`${code}/milestones`, { body: { title: 'First' } }), 201).body as {
          readonly id: string;
        }
      ).id,
    ];
    const body = { label_ids: [label], milestone_id: milestone };
    t.match((await alice.client.patch(`${code}/merges/1`, { body })).body, {
      labels: [{ id: label }],
      milestone: { id: milestone },
    });
    expect(await alice.client.delete(`${code}/labels/${label}`), 204);
    expect(await alice.client.delete(`${code}/milestones/${milestone}`), 204);
    t.match(await fetch(code, 1), { labels: [], milestone: null });
  });

  await t.test('the author of a request cannot be deleted; an assignee can', async (t) => {
    const [carol, dave] = [await forge.createUser('carol'), await forge.createUser('dave')];
    const admin = await forge.administrator();
    expect(await alice.client.put(`${code}/collaborators/carol`, { body: { role: 'write' } }), 204);
    await branch(carol.client, code, 'carols');
    await open(code, { source_branch: 'carols', assignee_ids: [dave.id] }, carol.client);
    expect(await alice.client.delete(`${code}/collaborators/carol`), 204);
    isError(t, await admin.delete(`/api/v1/admin/users/${carol.id}`), 409, 'conflict', 'the author');
    expect(await admin.delete(`/api/v1/admin/users/${dave.id}`), 204);
    t.strictSame((await fetch(code, 2))['assignees'], []);
  });
});

void t.test('the commits of a merge request', async (t) => {
  const { forge, alice, repository, open } = await workshop(t);
  const code = await repository('code');
  const tips = [
    (
      expect(await alice.client.get(`${code}/commits?ref=topic&per_page=1`), 200).body as readonly {
        readonly sha: string;
      }[]
    )[0]?.sha ?? '',
  ];
  for (const name of ['one.txt', 'two.txt']) tips.unshift(await commit(alice.client, code, 'topic', name));
  await open(code);
  const path = `${code}/merges/1/commits`;

  await t.test('a bare array, newest first, of the commits that the target lacks', async (t) => {
    const commits = expect(await forge.anonymous.get(path), 200).body as readonly Record<string, unknown>[];
    t.strictSame(
      commits.map(({ sha }) => sha),
      tips,
    );
    t.match(commits[0], { sha: tips[0], message: 'Add two.txt', author: 'alice', date: /^\d{4}-.*Z$/ });
    t.strictSame(Object.keys(commits[0] ?? {}).sort(), ['author', 'date', 'message', 'sha']);
  });

  await t.test('the commits are paged; 400 for a malformed number, 404 for an unknown one', async (t) => {
    t.match((await forge.anonymous.get(`${path}?per_page=1&page=2`)).body, [{ sha: tips[1] }]);
    for (const query of ['?per_page=0', '?per_page=251', '?per_page=x', '?page=0'])
      t.match((await forge.anonymous.get(`${path}${query}`)).body, { length: 3 }, query);
    isError(t, await alice.client.get(`${code}/merges/x/commits`), 400, 'validation_failed', 'x');
    isError(t, await alice.client.get(`${code}/merges/2/commits`), 404, 'not_found', '2');
  });
});
