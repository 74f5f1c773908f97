// Tests of reviews and merges that are bound to the diff, the target and the head that the caller looked at.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, workshop, type MergeJson } from '../workshop.ts';

void t.test('reviews apply to the diff and the target that were reviewed', async (t) => {
  const { forge, alice, bob, repository, fork, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const carol = await forge.createUser('carol');
  expect(await alice.client.put(`${code}/collaborators/carol`, { body: { role: 'write' } }), 204);
  const copy = await fork(code);
  let branches = 0;
  /** A request of bob, who may only read the target, from a branch of his fork. */
  const fresh = async (body: object = {}): Promise<MergeJson & { readonly branch: string }> => {
    const name = `fresh-${(branches += 1)}`;
    await branch(bob.client, copy, name);
    return { ...(await open(code, { source_branch: `bob:${name}`, ...body }, bob.client)), branch: name };
  };
  const at = ({ number }: MergeJson): string => `${code}/merges/${number}`;
  const review = async (request: MergeJson, state: string, client = carol.client): Promise<void> => {
    expect(await client.post(`${at(request)}/reviews`, { body: { state } }), 201);
  };
  const change = (client: Client, request: MergeJson, body: object) => client.patch(at(request), { body });
  const reviewers = async ({ number }: MergeJson): Promise<readonly string[]> => {
    const { reviewers: all } = await fetch(code, number);
    type Reviewers = readonly { readonly user: { readonly username: string }; readonly state: string }[];
    return (all as Reviewers).map(({ user, state }) => `${user.username} ${state}`);
  };
  const merge = (request: MergeJson, body: object = {}) => alice.client.post(`${at(request)}/merge`, { body });
  const head = async (request: MergeJson): Promise<string> =>
    ((await alice.client.get(`${at(request)}/commits`)).body as { readonly sha: string }[])[0]?.sha ?? '';

  await t.test('a new target branch makes approvals pending, also of a closed request', async (t) => {
    await branch(alice.client, code, 'next');
    for (const state of ['open', 'closed']) {
      const request = await fresh();
      await review(request, 'approved');
      await review(request, 'changes_requested', alice.client);
      if (state === 'closed') expect(await change(bob.client, request, { state }), 200);
      expect(await change(bob.client, request, { target_branch: 'next' }), 200);
      t.strictSame(await reviewers(request), ['alice changes_requested', 'carol pending'], state);
    }
    const request = await fresh();
    await review(request, 'approved');
    expect(await change(bob.client, request, { target_branch: 'next' }), 200);
    isError(t, await merge(request), 409, 'pending_reviews', 'what was approved was for another branch');
    await review(request, 'approved');
    expect(await change(bob.client, request, { target_branch: 'next', title: 'The same target' }), 200);
    t.strictSame(await reviewers(request), ['carol approved']);
    t.match(await merge(request), { status: 200 });
  });

  await t.test('merging names the head that was looked at: 409 head_changed if it is another', async (t) => {
    const request = await fresh();
    const looked = await head(request);
    const later = await commit(bob.client, copy, request.branch, 'later.txt');
    const refused = await merge(request, { sha: looked });
    isError(t, refused, 409, 'head_changed', 'a push came in between');
    t.match(refused.body, { reason: 'head_changed' });
    t.match(await fetch(code, request.number), { state: 'open' });
    isError(t, await merge(request, { sha: 'abc' }), 409, 'head_changed', 'no prefix of it');
    t.equal((await merge(request, { sha: '' })).status, 400);
    t.equal((await merge(request, { sha: 7 })).status, 400);
    t.match(await merge(request, { sha: later.toUpperCase() }), { status: 200, body: { state: 'merged' } });
    isError(t, await merge(request, { sha: looked }), 409, 'already_merged', 'merged');
  });

  await t.test('a review names the head that was looked at too', async (t) => {
    const request = await fresh();
    const looked = await head(request);
    const submit = (sha: string) => carol.client.post(`${at(request)}/reviews`, { body: { state: 'approved', sha } });
    const later = await commit(bob.client, copy, request.branch, 'later.txt');
    await settled();
    isError(t, await submit(looked), 409, 'head_changed', 'a push came in between');
    t.strictSame(await reviewers(request), []);
    expect(await submit(later), 201);
  });

  await t.test('requested changes are dropped by their reviewer or with merge.update alone', async (t) => {
    const request = await fresh();
    await review(request, 'changes_requested');
    const ask = async (client: Client, ...ids: readonly string[]): Promise<readonly string[]> => {
      expect(await change(client, request, { reviewer_ids: ids }), 200);
      return reviewers(request);
    };
    t.strictSame(await ask(bob.client), ['carol changes_requested']);
    t.strictSame(await ask(bob.client, carol.id), ['carol pending'], 'requested again');
    t.strictSame(await ask(bob.client), ['carol pending'], 'the author may not withdraw it');
    isError(t, await merge(request), 409, 'pending_reviews', 'it still blocks');
    t.strictSame(await ask(bob.client, carol.id), ['carol pending']);
    t.strictSame(await ask(bob.client, bob.id), ['bob pending', 'carol pending']);
    t.strictSame(await ask(bob.client), ['carol pending'], 'other requests are withdrawn by the author');
    t.strictSame(await ask(alice.client), [], 'a holder of merge.update may');
    t.strictSame(await ask(bob.client, carol.id), ['carol pending']);
    t.strictSame(await ask(bob.client), [], 'a new request is withdrawn by the author');

    await review(request, 'changes_requested');
    await ask(bob.client, carol.id);
    await review(request, 'approved');
    t.strictSame(await ask(bob.client, carol.id), ['carol pending'], 'asking again makes an approval pending');
    t.strictSame(await ask(bob.client), [], 'which is no objection any more');
  });

  await t.test('with dismiss_stale_approvals a push that changes the diff makes approvals pending', async (t) => {
    await branch(alice.client, code, 'strict');
    const protection = `${code}/branches/strict/protection`;
    const stale = { dismiss_stale_approvals: true, required_approvals: 1 };
    t.match(await alice.client.put(protection, { body: stale }), { status: 200, body: stale });
    t.match((await alice.client.get(protection)).body, stale);
    const request = await fresh({ target_branch: 'strict' });
    await review(request, 'approved');
    await review(request, 'changes_requested', alice.client);
    await commit(bob.client, copy, request.branch, 'later.txt');
    isError(t, await merge(request), 409, 'pending_reviews', 'also where the push was not followed yet');
    await settled();
    t.strictSame(await reviewers(request), ['alice changes_requested', 'carol pending']);
    await review(request, 'approved');
    await review(request, 'approved', alice.client);
    expect(await change(bob.client, request, { state: 'closed' }), 200);
    await commit(bob.client, copy, request.branch, 'closed.txt');
    expect(await change(bob.client, request, { state: 'open' }), 200);
    t.strictSame(await reviewers(request), ['alice pending', 'carol pending'], 'a push while it was closed');
  });

  await t.test('a push that leaves the diff unchanged keeps approvals; so does one without the rule', async (t) => {
    const request = await fresh({ target_branch: 'strict' });
    await review(request, 'approved');
    // The merge brings the target into the source, and changes nothing of the request.
    const work = await commit(alice.client, code, 'strict', 'elsewhere.txt');
    t.ok(work);
    const into = await alice.client.post(`${copy}/merges`, {
      body: { title: 'Update', source_branch: 'alice:strict', target_branch: request.branch },
    });
    const update = expect(into, 201).body as MergeJson;
    expect(await bob.client.post(`${copy}/merges/${update.number}/merge`, { body: {} }), 200);
    await settled();
    t.strictSame(await reviewers(request), ['carol approved']);
    await commit(bob.client, copy, request.branch, 'more.txt');
    await settled();
    t.strictSame(await reviewers(request), ['carol pending']);

    const other = await fresh();
    await review(other, 'approved');
    await commit(bob.client, copy, other.branch, 'more.txt');
    await settled();
    t.strictSame(await reviewers(other), ['carol approved'], 'main has no such rule');
  });
});
