// Tests of merging a request: every strategy, rule, default and refusal.
import t, { type Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, workshop, type MergeJson, type Workshop } from '../workshop.ts';

interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string };
}

const commits = async (client: Client, repository: string, ref = 'main'): Promise<readonly Commit[]> =>
  expect(await client.get(`${repository}/commits?ref=${encodeURIComponent(ref)}`), 200).body as readonly Commit[];
const tipOf = async (client: Client, repository: string, ref = 'main'): Promise<string> =>
  (await commits(client, repository, ref))[0]?.sha ?? '';
const has = async (client: Client, repository: string, file: string, ref = 'main'): Promise<boolean> =>
  (await client.get(`${repository}/contents/${file}?ref=${encodeURIComponent(ref)}`)).status === 200;
const text = async (client: Client, repository: string, name: string, content: string, on: string): Promise<void> => {
  const there = await client.get(`${repository}/contents/${name}?ref=${encodeURIComponent(on)}`);
  const { sha } = there.status === 200 ? (there.body as { readonly sha: string }) : {};
  const answer = await client.put(`${repository}/contents/${name}`, {
    body: { message: `Write ${name}`, branch: on, content: Buffer.from(content).toString('base64'), sha },
  });
  if (![200, 201].includes(answer.status)) throw new Error(answer.text);
};
const merge = (client: Client, repository: string, number = 1, body: object = {}): Promise<Answer> =>
  client.post(`${repository}/merges/${number}/merge`, { body });

/** Asserts a refusal by a rule, and that nothing changed. */
async function isBlocked(t: Test, { alice }: Workshop, repository: string, code: string, number = 1): Promise<Answer> {
  const before = [
    await tipOf(alice.client, repository),
    (await alice.client.get(`${repository}/merges/${number}`)).body,
  ];
  const answer = await merge(alice.client, repository, number);
  isError(t, answer, 409, code, code);
  t.match(answer.body, { reason: code });
  t.strictSame(
    [await tipOf(alice.client, repository), (await alice.client.get(`${repository}/merges/${number}`)).body],
    before,
    'nothing changed',
  );
  return answer;
}

void t.test('merging with each strategy', async (t) => {
  const given = await workshop(t);
  const { alice, bob, repository, open, fetch } = given;

  await t.test('a merge commit by default: 200 with the merged request, committed by the caller', async (t) => {
    const code = await repository('plain');
    const [main, topic] = [await tipOf(alice.client, code), await tipOf(alice.client, code, 'topic')];
    await open(code, { title: 'Mend it' });
    const answer = await alice.client.post(`${code}/merges/1/merge`);
    const merged = expect(answer, 200).body as MergeJson;
    const [made] = await commits(alice.client, code);
    t.match(merged, {
      number: 1,
      state: 'merged',
      merge_commit: made?.sha ?? 'none',
      merged_at: merged.updated_at,
      title: 'Mend it',
    });
    t.notOk('closed_at' in merged);
    t.strictSame(made?.parents, [main, topic]);
    t.equal(made?.message, `Merge branch 'topic' into 'main'\n\nMend it\n\nSee merge request alice/plain!1`);
    t.match(made, {
      author: { name: 'alice', email: 'alice@example.com' },
      committer: { name: 'alice', email: 'alice@example.com' },
    });
    t.strictSame(await fetch(code, 1), merged, 'the same as a fetch');
    t.ok(await has(alice.client, code, 'topic.txt'));
    isError(t, await merge(alice.client, code), 409, 'already_merged', 'already_merged');
  });

  await t.test('squash: one commit on top, with the title of the request as subject', async (t) => {
    const code = await repository('squashed');
    await commit(alice.client, code, 'topic', 'more.txt');
    const main = await tipOf(alice.client, code);
    await open(code, { title: 'Both', description: 'At once.\n' });
    const { merge_commit } = expect(await merge(alice.client, code, 1, { strategy: 'squash' }), 200).body as MergeJson;
    const [made] = await commits(alice.client, code);
    t.strictSame([made?.sha, made?.parents], [merge_commit, [main]]);
    t.equal(made?.message, 'Both\n\nAt once.\n\nSee merge request alice/squashed!1');
    t.ok((await has(alice.client, code, 'topic.txt')) && (await has(alice.client, code, 'more.txt')));
  });

  await t.test('rebase: each commit is repeated on top of the target with its author, date and message', async (t) => {
    const code = await repository('rebased');
    await commit(alice.client, code, 'topic', 'more.txt');
    await commit(alice.client, code, 'main', 'elsewhere.txt');
    const [main, before] = [await tipOf(alice.client, code), await commits(alice.client, code, 'topic')];
    await open(code);
    const body = {
      strategy: 'rebase',
      commit_message: 'not used',
      author_name: 'Nobody',
      author_email: 'n@example.com',
    };
    const { merge_commit } = expect(await merge(alice.client, code, 1, body), 200).body as MergeJson;
    const [second, first, ...rest] = await commits(alice.client, code);
    t.strictSame([second?.sha, second?.parents, first?.parents], [merge_commit, [first?.sha], [main]]);
    t.equal(rest[0]?.sha, main);
    t.strictSame(
      [second, first].map((made) => [made?.message, made?.author]),
      before.slice(0, 2).map((made) => [made.message, made.author]),
    );
    t.equal(second?.committer.name, 'alice');
  });

  await t.test('message, author name and author email are those of the body', async (t) => {
    const code = await repository('signed');
    await open(code);
    const body = { commit_message: 'As I say\n\nmore\n\n', author_name: 'Zoë Doe', author_email: 'zoe@example.org' };
    expect(await merge(alice.client, code, 1, body), 200);
    t.match((await commits(alice.client, code))[0], {
      message: 'As I say\n\nmore',
      author: { name: 'Zoë Doe', email: 'zoe@example.org' },
      committer: { name: 'alice' },
    });
    await branch(alice.client, code, 'next');
    await open(code, { source_branch: 'next' });
    expect(await merge(alice.client, code, 2, { author_name: 'Half', commit_message: ' ' }), 200);
    const [made] = await commits(alice.client, code);
    t.match(made, {
      author: { name: 'Half', email: 'alice@example.com' },
      message: /^Merge branch 'next' into 'main'/,
    });
  });

  await t.test('a source whose changes are already in the target is merged without a new commit', async (t) => {
    const code = await repository('same');
    await text(alice.client, code, 'topic.txt', 'topic.txt\n', 'main');
    await open(code);
    const main = await tipOf(alice.client, code);
    t.match(expect(await merge(alice.client, code, 1, { strategy: 'rebase' }), 200).body, {
      state: 'merged',
      merge_commit: main,
    });
    t.equal(await tipOf(alice.client, code), main);
  });

  await t.test('a request from a fork includes the last push', async (t) => {
    const code = await repository('forked');
    const fork = await given.fork(code);
    await open(code, { source_branch: 'bob:fix' }, bob.client);
    const tip = await commit(bob.client, fork, 'fix', 'late.txt');
    const body = { delete_source_branch: true };
    expect(await merge(alice.client, code, 1, body), 200);
    t.ok(await has(alice.client, code, 'late.txt'));
    t.equal(await tipOf(bob.client, fork, 'fix'), tip, 'alice may not delete in the fork of bob');
  });
});

void t.test('delete_source_branch', async (t) => {
  const { alice, repository, open, settled, fetch } = await workshop(t);
  const branches = async (code: string): Promise<readonly string[]> =>
    (
      expect(await alice.client.get(`${code}/branches`), 200).body as { readonly items: readonly { name: string }[] }
    ).items.map(({ name }) => name);
  const code = await repository('deleting');

  await t.test('true deletes the source; false or missing does not', async (t) => {
    await branch(alice.client, code, 'kept');
    await open(code, { source_branch: 'kept' });
    expect(await merge(alice.client, code, 1), 200);
    await open(code);
    expect(await merge(alice.client, code, 2, { delete_source_branch: true }), 200);
    t.strictSame(await branches(code), ['kept', 'main']);
    await settled();
    t.equal((await fetch(code, 2)).state, 'merged', 'deleting the source does not change the request');
  });

  await t.test('a protected or default branch is not deleted, and the merge succeeds', async (t) => {
    expect(await alice.client.put(`${code}/branches/kept/protection`, { body: { allow_deletion: true } }), 200);
    await commit(alice.client, code, 'kept', 'again.txt');
    await open(code, { source_branch: 'kept' });
    t.match(await merge(alice.client, code, 3, { delete_source_branch: true }), {
      status: 200,
      body: { state: 'merged' },
    });
    await branch(alice.client, code, 'stable');
    await commit(alice.client, code, 'main', 'new.txt');
    await open(code, { source_branch: 'main', target_branch: 'stable' });
    t.match(await merge(alice.client, code, 4, { delete_source_branch: true }), {
      status: 200,
      body: { state: 'merged' },
    });
    t.strictSame(await branches(code), ['kept', 'main', 'stable']);
  });

  await t.test('requests that target the deleted branch are closed', async (t) => {
    await branch(alice.client, code, 'base');
    await branch(alice.client, code, 'onto-base', 'base');
    await open(code, { source_branch: 'onto-base', target_branch: 'base' });
    await open(code, { source_branch: 'base' });
    expect(await merge(alice.client, code, 6, { delete_source_branch: true }), 200);
    await settled();
    t.equal((await fetch(code, 5)).state, 'closed');
  });
});

void t.test('rules that block a merge', async (t) => {
  const given = await workshop(t);
  const { alice, bob, repository, open, settled, fetch } = given;
  const protect = async (code: string, body: object): Promise<Answer> =>
    expect(await alice.client.put(`${code}/branches/main/protection`, { body }), 200);

  await t.test('409 draft_not_ready, closed, source_branch_missing', async (t) => {
    const code = await repository('states');
    await open(code, { draft: true });
    await isBlocked(t, given, code, 'draft_not_ready');
    expect(await alice.client.patch(`${code}/merges/1`, { body: { draft: false, state: 'closed' } }), 200);
    await isBlocked(t, given, code, 'closed');
    expect(await alice.client.patch(`${code}/merges/1`, { body: { state: 'open' } }), 200);
    expect(await alice.client.delete(`${code}/branches/topic`), 204);
    await settled();
    t.equal((await fetch(code, 1)).state, 'open', 'mergesMerge: it stays open');
    await isBlocked(t, given, code, 'source_branch_missing');
  });

  await t.test('409 merge_conflict with the paths, for each strategy; 200 after it is resolved', async (t) => {
    const code = await repository('conflicts');
    for (const name of ['b.txt', 'a.txt']) {
      await text(alice.client, code, name, 'ours\n', 'main');
      await text(alice.client, code, name, 'theirs\n', 'topic');
    }
    await open(code);
    t.strictSame((await isBlocked(t, given, code, 'merge_conflict')).body, {
      error: 'The branches have conflicting changes',
      error_code: 'merge_conflict',
      reason: 'merge_conflict',
      detail: 'Merge the target into the source by hand, or rebase it, and push the outcome',
      conflicts: ['a.txt', 'b.txt'],
    });
    const conflicts = async (strategy: string): Promise<unknown> => {
      const answer = await merge(alice.client, code, 1, { strategy });
      isError(t, answer, 409, 'merge_conflict', 'merge_conflict');
      return (answer.body as { readonly conflicts: unknown }).conflicts;
    };
    t.strictSame(await conflicts('squash'), ['a.txt', 'b.txt']);
    t.strictSame(await conflicts('rebase'), ['b.txt'], 'of the first commit that does not apply');
    for (const name of ['b.txt', 'a.txt']) await text(alice.client, code, name, 'ours\n', 'topic');
    expect(await merge(alice.client, code), 200);
  });

  await t.test('409 pending_reviews: requested reviews and required approvals, also for the owner', async (t) => {
    const code = await repository('reviewed');
    expect(await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'write' } }), 204);
    await open(code, { reviewer_ids: [bob.id] });
    const asked = await isBlocked(t, given, code, 'pending_reviews');
    t.match(asked.body, { detail: 'Approval by bob' });
    expect(await alice.client.patch(`${code}/merges/1`, { body: { reviewer_ids: [] } }), 200);
    await protect(code, { required_approvals: 1 });
    const missing = await isBlocked(t, given, code, 'pending_reviews');
    t.match(missing.body, { detail: '1 more approval by others who may push' });
    const admin = await given.forge.administrator();
    isError(t, await merge(admin, code), 409, 'pending_reviews', 'pending_reviews');
    await protect(code, { required_approvals: 0 });
    expect(await merge(alice.client, code), 200);
  });

  await t.test('409 pipeline_missing if the branch requires one; push_roles does not limit merging', async (t) => {
    const code = await repository('guarded');
    await open(code);
    await protect(code, { push_roles: [], required_pipeline: { on_merge: true } });
    await isBlocked(t, given, code, 'pipeline_missing');
    await protect(code, { push_roles: [], required_pipeline: { on_merge: false } });
    isError(
      t,
      await alice.client.put(`${code}/contents/x`, { body: { message: 'x', content: '' } }),
      403,
      'forbidden',
      'forbidden',
    );
    expect(await merge(alice.client, code), 200);
    t.ok(await has(alice.client, code, 'topic.txt'));
  });

  await t.test('422 quota_exceeded if the merge would exceed the quota of the owner', async (t) => {
    const code = await repository('full');
    await open(code);
    const admin = await given.forge.administrator();
    const quota = (value: string): Promise<Answer> =>
      admin.put('/api/v1/admin/settings/repositories.max_bytes_per_user', { body: { value } });
    expect(await quota('1'), 200);
    isError(t, await merge(alice.client, code), 422, 'quota_exceeded', 'quota_exceeded');
    expect(await quota('0'), 200);
    t.equal((await fetch(code, 1)).state, 'open');
  });
});

void t.test('who may merge, and the request body', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const code = await repository('code');
  await open(code);

  await t.test(
    '400 for an unknown strategy and for texts that are too long, unknown or not allowed in a commit',
    async (t) => {
      for (const body of [
        { strategy: 'octopus' },
        { strategy: '' },
        { commit_message: 'x'.repeat(65_537) },
        { commit_message: 1 },
        { author_name: '' },
        { author_name: 'A <a>' },
        { author_name: 'x'.repeat(256) },
        { author_email: '<a@example.org>' },
        { author_email: 'a\nb' },
        { delete_source_branch: 'true' },
      ])
        isError(
          t,
          await merge(alice.client, code, 1, body),
          400,
          'validation_failed',
          JSON.stringify(body).slice(0, 60),
        );
      isError(t, await merge(alice.client, code, 1, { force: true }), 400, 'unknown_field', 'unknown_field');
      isError(
        t,
        await alice.client.post(`${code}/merges/x/merge`, { body: {} }),
        400,
        'validation_failed',
        'validation_failed',
      );
    },
  );

  await t.test(
    '401 anonymous, 403 for readers and for outsiders of a private repository, 404 for an unknown number',
    async (t) => {
      isError(t, await merge(forge.anonymous, code), 401, 'unauthorized', 'unauthorized');
      isError(t, await merge(bob.client, code), 403, 'forbidden', 'forbidden');
      isError(t, await merge(alice.client, code, 99), 404, 'not_found', 'not_found');
      const hidden = await repository('hidden', 'private');
      await open(hidden);
      for (const number of [1, 99]) isError(t, await merge(bob.client, hidden, number), 403, 'forbidden', 'forbidden');
      expect(await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'triage' } }), 204);
      isError(t, await merge(bob.client, code), 403, 'forbidden', 'forbidden');
      const reader = await forge.pat(alice.client, ['repo:read']);
      isError(t, await merge(reader, code), 403, 'insufficient_scope', 'insufficient_scope');
      expect(await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'write' } }), 204);
      expect(await merge(bob.client, code), 200);
      t.match((await commits(alice.client, code))[0], { committer: { name: 'bob' } });
    },
  );
});
